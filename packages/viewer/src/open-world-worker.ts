import { callback, checkedOptions } from "@orthant/core/arguments";
import { startWorldWorker } from "./default-worker.ts";
import type { WorldMessage, WorldRequest } from "./message/messages.ts";
import { ADDRESS_OPTIONS, type ServerAddress, serverOpening } from "./server-opening.ts";
import { WatchedWorker } from "./watched-worker.ts";

/** Options of `openWorldWorker`. */
export interface WorldWorkerOptions extends ServerAddress {
  /** Starts the program `@orthant/viewer/world-worker.js`; by default as a file beside this one. */
  readonly worker?: () => Worker;
}

/** A worker that holds a world of a server: it connects, generates, draws tiles of maps and casts rays. */
export interface WorldWorker {
  /** Sends a request. Before the first `view`, the worker loads nothing. */
  send(request: WorldRequest): void;
  /** Calls `listener` with each message of the worker. Returns an unsubscribe function. */
  onMessage(listener: (message: WorldMessage) => void): () => void;
  /** Leaves the world and ends the worker. */
  close(): Promise<void>;
}

/**
 * Opens a world of a server in a worker, for programs that draw by themselves. Throws `ORT_ARGUMENT` for a
 * wrong option; everything later is a message of the kind `status`.
 *
 * ```ts
 * const worker = openWorldWorker({ url: "wss://play.example.org", token });
 * worker.onMessage((message) => {
 *   if (message.kind === "mapTile") draw(message.tile, message.pixels);
 * });
 * worker.send({ kind: "view", view });
 * ```
 */
export function openWorldWorker(options: WorldWorkerOptions): WorldWorker {
  const listeners = new Set<(message: WorldMessage) => void>();
  const receive = (message: WorldMessage): void => {
    for (const listener of [...listeners]) listener(message);
  };
  const fail = (text: string): void => receive({ kind: "status", status: { kind: "failed", text } });
  const { worker: start, ...address } = checkedOptions("the options", options, {
    ...ADDRESS_OPTIONS,
    worker: callback,
  });
  const opening = serverOpening(address);
  const worker = new WatchedWorker(start ?? startWorldWorker, {
    onMessage: receive,
    onStuck: () => fail("This world is more than the worker can take. It was closed."),
    onFailed: (detail) => fail(`The worker did not start: ${detail}.`),
  });
  worker.send({ kind: "open", opening });
  return {
    send: (request) => worker.send(request),
    onMessage(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      listeners.clear();
      return worker.close();
    },
  };
}
