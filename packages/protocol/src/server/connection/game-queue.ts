import type { Outbox } from "./outbox.ts";

/** Maximum bytes of game messages that wait for one client. */
const WAITING_BYTES_MAX = 262_144;

/** Overhead charged per message, which also limits the number of empty ones. */
const MESSAGE_BYTES = 64;

/** Game messages for one client that wait to be sent. */
export class GameQueue {
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  /** Adds a message. Returns false if there is no room. */
  add(payload: Uint8Array): boolean {
    const bytes = payload.length + MESSAGE_BYTES;
    if (this.#bytes + bytes > WAITING_BYTES_MAX) return false;
    this.#waiting.push(payload);
    this.#bytes += bytes;
    return true;
  }

  /** Writes all messages. */
  write(out: Outbox): void {
    if (this.#waiting.length === 0) return;
    for (const payload of this.#waiting) out.write({ kind: "game", payload });
    this.#waiting = [];
    this.#bytes = 0;
  }
}
