import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The process of a server, which says at which port it listens, and what it complained about. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #complaints: () => string;

  private constructor(child: ChildProcess, port: number, complaints: () => string) {
    this.#child = child;
    this.port = port;
    this.#complaints = complaints;
  }

  /** Starts a program; throws when it ends before it listens. */
  static async start(program: URL, args: readonly string[]): Promise<ServerProcess> {
    const child = fork(fileURLToPath(program), args, { silent: true });
    let complaints = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text: Buffer) => {
        complaints += text.toString();
      });
    }
    const ended = once(child, "close").then(() => {
      throw new Error(`the server ended before it listened: ${complaints}`);
    });
    // It ends later, too, and then nobody waits for it here.
    ended.catch(() => undefined);
    const listens = once(child, "message").then(([message]) => Number(message));
    return new ServerProcess(child, await Promise.race([listens, ended]), () => complaints);
  }

  /** What it wrote about errors and warnings; it should be nothing. */
  get complaints(): string {
    return this.#complaints();
  }

  /** Whether it ended by itself. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Asks for a number, and waits for it. */
  async ask(question: string): Promise<number> {
    const answer = once(this.#child, "message");
    this.#child.send(question);
    return Number((await answer)[0]);
  }

  /** Ends it at once, wherever it is, and waits until all that it said has been heard. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}
