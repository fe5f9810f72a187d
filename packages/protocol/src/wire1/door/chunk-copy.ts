import type { ChunkWatcher, WatchedChunk } from "./tile-feed.ts";
import type { Wire1Address } from "./wire1-address.ts";

/** Who gets chunks, and how many at once. */
export interface CopyOwner {
  readonly from: Wire1Address;
  /** Whether anything is left of this tick's share. */
  readonly maySend: boolean;
  /** Takes bytes of this tick's share. */
  spend(bytes: number): void;
}

/** Who sends chunks. */
export interface CopySender {
  /** Sends a chunk as soon as there is room for it. */
  sendSoon(copy: ChunkCopy): void;
}

/** After the first sending of a chunk the second comes this soon; from then on the time doubles. */
const REPEAT_MS_MIN = 1_000;
/** What was sent less long ago than this may still be on its way. */
const ON_ITS_WAY_MS = 250;
/** It doubles up to this, and goes on like that: nobody ever says that a chunk has arrived. */
const REPEAT_MS_MAX = 60_000;

/** What one session has of one chunk, as far as anybody can know. */
export class ChunkCopy implements ChunkWatcher {
  /** Whose it is. */
  readonly session: CopyOwner;
  readonly #sender: CopySender;
  #chunk: WatchedChunk | undefined;
  /** How often the chunk was sent as it is now. */
  #sends = 0;
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(session: CopyOwner, sender: CopySender) {
    this.session = session;
    this.#sender = sender;
  }

  /** The chunk; `undefined` when the session does not see it any more. */
  get chunk(): WatchedChunk | undefined {
    return this.#chunk;
  }

  /** Whether the session was never sent the chunk as it is now. */
  get isNews(): boolean {
    return this.#sends === 0;
  }

  /** Begins to follow a chunk. */
  follow(chunk: WatchedChunk): void {
    this.#chunk = chunk;
    this.chunkChanged();
  }

  /** The session does not see the chunk any more; gives it back. */
  drop(): WatchedChunk | undefined {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    return chunk;
  }

  chunkChanged(): void {
    this.#sends = 0;
    this.#sender.sendSoon(this);
  }

  /** The session asks for what it should have already: it was lost, unless it is still on its way. */
  askAgain(nowMs: number): void {
    if (nowMs - this.#sentMs >= ON_ITS_WAY_MS) this.chunkChanged();
  }

  /** The chunk was sent; gives how long to wait before it is sent again. */
  sent(nowMs: number): number {
    this.#sentMs = nowMs;
    return Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** this.#sends++);
  }
}
