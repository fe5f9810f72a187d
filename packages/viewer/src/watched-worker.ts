import type { PageMessage, WorkerMessage } from "./message/messages.ts";

const PING_MS = 2_000;
/** A worker that is silent for longer is stuck. */
const SILENCE_MS = 20_000;

/** The worker that holds the world, and a watchdog for it: the page survives whatever a server sends. */
export class WatchedWorker {
  readonly #onMessage: (message: WorkerMessage) => void;
  readonly #onStuck: () => void;
  #worker: Worker;
  #heardMs = performance.now();
  #ping = 0;

  constructor(onMessage: (message: WorkerMessage) => void, onStuck: () => void) {
    this.#onMessage = onMessage;
    this.#onStuck = onStuck;
    this.#worker = this.#begin();
    setInterval(() => this.#watch(), PING_MS);
  }

  /** Sends a message to the worker. */
  send(message: PageMessage): void {
    this.#worker.postMessage(message);
  }

  #begin(): Worker {
    const worker = new Worker(new URL("./world-worker.ts", import.meta.url), { type: "module" });
    this.#heardMs = performance.now();
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      this.#heardMs = performance.now();
      if (data.kind !== "alive") this.#onMessage(data);
    };
    return worker;
  }

  #watch(): void {
    // Browsers throttle the timers of a page in the background.
    if (document.hidden) this.#heardMs = performance.now();
    if (performance.now() - this.#heardMs > SILENCE_MS) {
      this.#worker.terminate();
      this.#worker = this.#begin();
      this.#onStuck();
    }
    this.send({ kind: "alive", id: this.#ping++ });
  }
}
