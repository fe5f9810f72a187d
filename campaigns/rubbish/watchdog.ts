import { Worker } from "node:worker_threads";

/** Time without progress after which a call counts as hung. No call computes for longer. */
const HANG_MS = 20_000;
const TEXT_BYTES_MAX = 4_096;

/**
 * Ends the process when a call computes for ever, which no timer of the same thread could notice. Says which call it
 * was.
 */
export class Watchdog {
  readonly #memory = new SharedArrayBuffer(8 + TEXT_BYTES_MAX);
  readonly #numbers = new Int32Array(this.#memory, 0, 2);
  readonly #text = new Uint8Array(this.#memory, 8);
  readonly #worker: Worker;

  constructor(name: string) {
    const workerData = { memory: this.#memory, name, hangMs: HANG_MS, pid: process.pid };
    this.#worker = new Worker(PROGRAM, { eval: true, workerData });
    this.#worker.unref();
  }

  /** Notes the call that comes next. */
  next(text: string): void {
    const { written } = new TextEncoder().encodeInto(text, this.#text);
    this.#numbers[1] = written;
    Atomics.add(this.#numbers, 0, 1);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

const PROGRAM = `
const { writeSync } = require("node:fs");
const { workerData: { memory, name, hangMs, pid } } = require("node:worker_threads");
const numbers = new Int32Array(memory, 0, 2);
let seen = -1;
setInterval(() => {
  const calls = Atomics.load(numbers, 0);
  if (calls !== seen) { seen = calls; return; }
  const text = Buffer.from(new Uint8Array(memory, 8).slice(0, numbers[1])).toString();
  writeSync(1, "hangs: " + text + "\\n" + name + ": " + calls + " cases, 1 failures\\n");
  process.kill(pid, "SIGKILL");
}, hangMs);
`;
