import type { OpenSocket, WebSocketLike } from "./server-connection.ts";

/** A worker that serves a world with `serveWorker` of `@orthant/server/worker`, or one end of a channel to one. */
export interface ServingWorker {
  postMessage(message: unknown, transfer: never[]): void;
}

/** The parts of a `MessagePort` that the client uses. */
interface Port {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, transfer?: readonly ArrayBufferLike[]): void;
  close(): void;
}

declare const MessageChannel: new () => { readonly port1: Port; readonly port2: Port };

/** Returns a function that connects to the world of a worker. */
export function workerSocket(worker: ServingWorker): OpenSocket {
  return () => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ orthantPort: port2 }, [port2] as never[]);
    return new WorkerSocket(port1);
  };
}

/** A channel to a worker, in the form of a WebSocket: the worker answers `"open"`, frames, and at the end why it closes. */
class WorkerSocket implements WebSocketLike {
  binaryType = "arraybuffer";
  readonly #port: Port;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor(port: Port) {
    this.#port = port;
    port.onmessage = ({ data }) => {
      if (data === "open") this.#dispatch("open", {});
      else if (data instanceof ArrayBuffer) this.#dispatch("message", { data });
      else this.#dispatch("close", data as object);
    };
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  send(frame: Uint8Array): void {
    const { buffer } = frame.slice();
    this.#port.postMessage(buffer, [buffer]);
  }

  close(): void {
    this.#port.postMessage("close");
    this.#port.close();
  }

  #dispatch(type: string, event: object): void {
    this.#listeners.get(type)?.(event as never);
  }
}
