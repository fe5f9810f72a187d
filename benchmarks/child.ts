import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { SIZE_OPTIONS } from "./size.ts";

/** A process that answers each order with a report. */
export class Child<Order extends object, Report> {
  readonly #process: ChildProcess;
  /** Rejects when the process ends, so that no order waits for its answer. */
  readonly #ended: Promise<never>;

  /** Starts the program. It receives the settings as its first argument, in JSON. */
  constructor(program: URL, settings: object = {}) {
    this.#process = fork(program, [JSON.stringify(settings), ...SIZE_OPTIONS], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#ended = once(this.#process, "exit").then(([code, signal]) => {
      throw new Error(`${program.pathname} ended with ${signal ?? `exit code ${code}`}`);
    });
    this.#ended.catch(() => undefined);
  }

  async ask(order: Order): Promise<Report> {
    const report = once(this.#process, "message") as Promise<[Report]>;
    // A channel that is closed belongs to a process that ended, which says more.
    this.#process.send(order, () => undefined);
    return (await Promise.race([report, this.#ended]))[0];
  }

  /** Kills the process. Resolves when it is gone. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exit;
  }
}

/** Ends this process with its parent, which may be stopped at any time, also while this process starts. */
export function endWithParent(): void {
  if (!process.connected) process.exit();
  process.on("disconnect", () => process.exit());
}
