import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A process that answers each order with a report. */
export class Child<Order extends object, Report> {
  readonly #process: ChildProcess;

  /** Starts the program. It receives the settings as its only argument, in JSON. */
  constructor(program: URL, settings: object = {}) {
    this.#process = fork(program, [JSON.stringify(settings)], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  async ask(order: Order): Promise<Report> {
    this.#process.send(order);
    const [report] = (await once(this.#process, "message")) as [Report];
    return report;
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
