import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Writer programs: one makes steps durable with each save, the other with each edit. */
const WRITERS = {
  snapshot: fileURLToPath(new URL("./world-writer.js", import.meta.url)),
  journal: fileURLToPath(new URL("./journal-writer.js", import.meta.url)),
} as const;

/** A process that writes to the world in a folder, with the last step that it acknowledged. */
export class WriterProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #acknowledged = 0;
  #complaints = "";

  constructor(folder: string, durability: keyof typeof WRITERS = "snapshot") {
    this.#child = spawn(process.execPath, [WRITERS[durability], folder], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#exited = once(this.#child, "close");
    if (this.#child.stdout !== null) {
      createInterface(this.#child.stdout).on("line", (line) => {
        this.#acknowledged = Number(line);
      });
    }
    this.#child.stderr?.on("data", (text: Buffer) => {
      this.#complaints += text.toString();
    });
  }

  /** The last acknowledged step. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Errors that the process printed; should be empty. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Suspends the process. */
  stop(): void {
    this.#child.kill("SIGSTOP");
  }

  /** Kills the process at once, and waits until all of its output has arrived. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
