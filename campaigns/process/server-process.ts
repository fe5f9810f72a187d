import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server in a separate process, with its port and its error output. */
export class ServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #complaints: () => string;

  private constructor(child: ChildProcess, port: number, complaints: () => string) {
    this.#child = child;
    this.port = port;
    this.#complaints = complaints;
  }

  /** Starts a program, with more options of Node if given. Throws when it ends before it listens. */
  static async start(
    program: URL,
    args: readonly string[],
    nodeOptions: readonly string[] = [],
  ): Promise<ServerProcess> {
    const execArgv = [...process.execArgv, ...nodeOptions];
    const child = fork(fileURLToPath(program), args, { silent: true, execArgv });
    let complaints = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (text: Buffer) => {
        complaints += text.toString();
      });
    }
    const ended = once(child, "close").then(() => {
      throw new Error(`the server ended before it listened: ${complaints}`);
    });
    // The process also ends later, when this promise is no longer awaited.
    ended.catch(() => undefined);
    const listens = once(child, "message").then(([message]) => Number(message));
    return new ServerProcess(child, await Promise.race([listens, ended]), () => complaints);
  }

  /** Errors and warnings that the server printed; should be empty. */
  get complaints(): string {
    return this.#complaints();
  }

  /** True when the process has ended. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a question and returns the number that the server answers. */
  async ask(question: string): Promise<number> {
    const answer = once(this.#child, "message");
    this.#child.send(question);
    return Number((await answer)[0]);
  }

  /** Kills the process at once, and waits until all of its output has arrived. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}
