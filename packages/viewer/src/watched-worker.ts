import type { PageMessage, WorkerMessage, WorldMessage } from "./message/messages.ts";

const PING_MS = 2_000;
/** A worker that is silent for longer is stuck. */
const SILENCE_MS = 20_000;
/** Time for a worker to leave its world before it is ended. */
const CLOSE_MS = 1_000;

/** Events of a watched worker. */
interface WorkerEvents {
  readonly onMessage: (message: WorldMessage) => void;
  /** The worker was silent for too long: another one has replaced it, which holds no world. */
  readonly onStuck: () => void;
  /** The worker's program did not start; `detail` says why, as far as the browser does. */
  readonly onFailed: (detail: string) => void;
}

/** The worker that holds the world, and a watchdog for it: the page survives whatever a server sends. */
export class WatchedWorker {
  readonly #start: () => Worker;
  readonly #events: WorkerEvents;
  readonly #timer: number;
  #worker: Worker;
  #heardMs = performance.now();
  #ping = 0;
  #hasStarted = false;
  #closing: Promise<void> | undefined;
  #onClosed: () => void = () => undefined;

  constructor(start: () => Worker, events: WorkerEvents) {
    this.#start = start;
    this.#events = events;
    this.#worker = this.#begin();
    this.#timer = window.setInterval(() => this.#watch(), PING_MS);
  }

  /** Sends a message to the worker. */
  send(message: PageMessage): void {
    if (this.#closing === undefined) this.#worker.postMessage(message);
  }

  /** Lets the worker leave its world, and ends it. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearInterval(this.#timer);
    const worker = this.#worker;
    let timer = 0;
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
      timer = window.setTimeout(resolve, CLOSE_MS);
      worker.postMessage({ kind: "close" } satisfies PageMessage);
    });
    clearTimeout(timer);
    worker.terminate();
  }

  #begin(): Worker {
    const worker = this.#start();
    this.#heardMs = performance.now();
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data);
    worker.onerror = ({ message }) => {
      // A browser gives no message when it could not load the program.
      if (!this.#hasStarted) this.#fail(message ?? "the browser could not load its program");
    };
    return worker;
  }

  #receive(message: WorkerMessage): void {
    this.#heardMs = performance.now();
    this.#hasStarted = true;
    if (message.kind === "closed") this.#onClosed();
    else if (message.kind !== "alive" && this.#closing === undefined) this.#events.onMessage(message);
  }

  #fail(detail: string): void {
    clearInterval(this.#timer);
    this.#onClosed();
    this.#events.onFailed(detail);
  }

  #watch(): void {
    // Browsers throttle the timers of a page in the background.
    if (document.hidden) this.#heardMs = performance.now();
    if (performance.now() - this.#heardMs > SILENCE_MS) {
      this.#worker.terminate();
      this.#worker = this.#begin();
      this.#events.onStuck();
    }
    this.send({ kind: "alive", id: this.#ping++ });
  }
}
