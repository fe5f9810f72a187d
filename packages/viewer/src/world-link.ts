import type { FromWorld } from "./message/from-world.ts";
import type { ToWorld } from "./message/to-world.ts";

const PING_MS = 2_000;
/** A worker that says nothing for so long is stuck, whatever it was given. */
const SILENCE_MS = 20_000;

/** The worker that has the world, and a watch over it: the page lives on whatever a server sends. */
export class WorldLink {
  readonly #onMessage: (message: FromWorld) => void;
  readonly #onStuck: () => void;
  #worker: Worker;
  #heardMs = performance.now();
  #ping = 0;

  constructor(onMessage: (message: FromWorld) => void, onStuck: () => void) {
    this.#onMessage = onMessage;
    this.#onStuck = onStuck;
    this.#worker = this.#begin();
    setInterval(() => this.#watch(), PING_MS);
  }

  /** Asks the worker for something. */
  send(message: ToWorld): void {
    this.#worker.postMessage(message);
  }

  #begin(): Worker {
    const worker = new Worker(new URL("./world-worker.ts", import.meta.url), { type: "module" });
    this.#heardMs = performance.now();
    worker.onmessage = ({ data }: MessageEvent<FromWorld>) => {
      this.#heardMs = performance.now();
      if (data.kind !== "alive") this.#onMessage(data);
    };
    return worker;
  }

  #watch(): void {
    // Nobody sees a page in the background, and its timers come as they like.
    if (document.hidden) this.#heardMs = performance.now();
    if (performance.now() - this.#heardMs > SILENCE_MS) {
      this.#worker.terminate();
      this.#worker = this.#begin();
      this.#onStuck();
    }
    this.send({ kind: "alive", id: this.#ping++ });
  }
}
