import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type NatsConfiguration, natsConfiguration } from "./nats-configuration.ts";

/** One NATS server as a process of its own, which can be killed, stopped and started again over the same files. */
export class NatsNode {
  readonly url: string;
  readonly name: string;
  readonly #command: readonly string[];
  readonly #configurationFile: string;
  #child: ChildProcess | undefined;
  #said = "";

  /** `command` is the server, behind what puts it into a network of its own. */
  constructor(command: readonly string[], folder: string, options: Omit<NatsConfiguration, "store">) {
    this.name = options.name;
    this.url = `${options.tls === undefined ? "nats" : "tls"}://${options.address}:${options.port}`;
    this.#command = command;
    const store = join(folder, options.name);
    mkdirSync(store, { recursive: true });
    this.#configurationFile = join(folder, `${options.name}.conf`);
    const { written = natsConfiguration } = options;
    writeFileSync(this.#configurationFile, written({ ...options, store }));
  }

  /** Resolves when the server takes connections. */
  async start(): Promise<void> {
    const [program = "", ...parameters] = [...this.#command, "-c", this.#configurationFile];
    const child = spawn(program, parameters, { stdio: ["ignore", "ignore", "pipe"] });
    this.#child = child;
    this.#said = "";
    process.once("exit", () => child.kill("SIGKILL"));
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on("data", (text: Buffer) => {
        this.#said = (this.#said + text.toString()).slice(-20_000);
        if (this.#said.includes("Server is ready")) resolve();
      });
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`nats-server ${this.name} ended: ${this.#said}`)));
    });
  }

  /** The end of what it logged. */
  get log(): string {
    return this.#said;
  }

  /** What the system calls it, while it runs. */
  get processId(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Ends it at once, as a lost machine does. */
  kill(): Promise<void> {
    return this.#end("SIGKILL");
  }

  /** Lets it end in order. */
  stop(): Promise<void> {
    return this.#end("SIGTERM");
  }

  /** Stops it where it stands, until `resume`. */
  pause(): void {
    this.#child?.kill("SIGSTOP");
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
}
