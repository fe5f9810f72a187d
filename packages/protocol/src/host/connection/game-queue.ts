import type { Outbox } from "./outbox.ts";

/** Bytes of a game's messages that may wait for one client. */
const WAITING_BYTES_MAX = 262_144;

/** What a message counts besides its bytes, so that even empty ones cannot be without number. */
const MESSAGE_BYTES = 64;

/** A game's messages for one client, until they may be sent. */
export class GameQueue {
  #waiting: Uint8Array[] = [];
  #bytes = 0;

  /** Adds a message; tells whether there was room for it. */
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
