import { Worker } from "node:worker_threads";

/** CPU time without progress after which a call counts as hung. No call computes for longer. */
const HANG_MS = 20_000;
/** A call that waits uses no CPU time, so it gets this many times as long. */
const WAIT_FACTOR = 15;
const TEXT_BYTES_MAX = 4_096;
const INPUT_BYTES_MAX = 262_144;
const NUMBERS = 3;

/**
 * Ends the process when a call computes forever, which no timer of the same thread could notice. Says which call it
 * was.
 */
export class Watchdog {
  readonly #memory = new SharedArrayBuffer(NUMBERS * 4 + TEXT_BYTES_MAX + INPUT_BYTES_MAX);
  /** Calls so far, and the lengths of the text and the input. */
  readonly #numbers = new Int32Array(this.#memory, 0, NUMBERS);
  readonly #text = new Uint8Array(this.#memory, NUMBERS * 4, TEXT_BYTES_MAX);
  readonly #input = new Uint8Array(this.#memory, NUMBERS * 4 + TEXT_BYTES_MAX);
  readonly #worker: Worker;

  /** `name` is that of the campaign. */
  constructor(name: string, hangMs = HANG_MS) {
    const workerData = {
      numbers: this.#numbers,
      text: this.#text,
      input: this.#input,
      name,
      hangMs,
      waitMs: hangMs * WAIT_FACTOR,
      pid: process.pid,
    };
    this.#worker = new Worker(PROGRAM, { eval: true, execArgv: [], workerData });
    this.#worker.unref();
  }

  /** Notes the call that comes next. */
  next(text: string): void {
    const { written } = new TextEncoder().encodeInto(text, this.#text);
    this.#numbers[1] = written;
    this.#numbers[2] = 0;
    Atomics.add(this.#numbers, 0, 1);
  }

  /** Notes the next input of the call that {@link next} has named. */
  nextInput(bytes: Uint8Array): void {
    const shown = bytes.subarray(0, INPUT_BYTES_MAX);
    this.#input.set(shown);
    this.#numbers[2] = shown.length;
    Atomics.add(this.#numbers, 0, 1);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

const PROGRAM = `
const { writeSync } = require("node:fs");
const { workerData } = require("node:worker_threads");
const { numbers, text, input, name, hangMs, waitMs, pid } = workerData;
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
let seen = -1, seenCpuMs = 0, seenAtMs = 0;
setInterval(() => {
  const calls = Atomics.load(numbers, 0);
  if (calls !== seen) { seen = calls; seenCpuMs = cpuMs(); seenAtMs = performance.now(); return; }
  if (cpuMs() - seenCpuMs < hangMs && performance.now() - seenAtMs < waitMs) return;
  const hex = Buffer.from(input.slice(0, numbers[2])).toString("hex");
  const call = Buffer.from(text.slice(0, numbers[1])).toString() + (hex === "" ? "" : "; input " + hex);
  writeSync(1, "hangs: " + call + "\\n" + name + ": " + calls + " cases, 1 failures\\n");
  process.kill(pid, "SIGKILL");
}, hangMs / 10);
`;
