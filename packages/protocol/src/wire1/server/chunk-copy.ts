import type { ChunkWatcher, WatchedChunk } from "./tile-feed.ts";
import type { Wire1Address } from "./wire1-address.ts";

/** The receiver of chunks, with its budget. */
export interface CopyOwner {
  readonly from: Wire1Address;
  /** Whether any of this tick's budget is left. */
  readonly maySend: boolean;
  /** Spends bytes of this tick's budget. */
  spend(bytes: number): void;
}

/** The sender of chunks. */
export interface CopySender {
  /** Sends a chunk as soon as the budget allows. */
  sendSoon(copy: ChunkCopy): void;
}

/** Time between the first and the second sending of a chunk; it doubles after each. */
const REPEAT_MS_MIN = 1_000;
/** Time during which a sent chunk may still be on its way. */
const ON_ITS_WAY_MS = 250;
/** Maximum time between two sendings. They never stop, because clients do not acknowledge chunks. */
const REPEAT_MS_MAX = 60_000;

/** What one session has of one chunk, as far as the server can know. */
export class ChunkCopy implements ChunkWatcher {
  /** The session that owns this copy. */
  readonly session: CopyOwner;
  readonly #sender: CopySender;
  #chunk: WatchedChunk | undefined;
  /** Number of times that the current state of the chunk was sent. */
  #sends = 0;
  #sentMs = Number.NEGATIVE_INFINITY;

  constructor(session: CopyOwner, sender: CopySender) {
    this.session = session;
    this.#sender = sender;
  }

  /** The chunk; `undefined` when the session no longer sees it. */
  get chunk(): WatchedChunk | undefined {
    return this.#chunk;
  }

  /** Whether the current state of the chunk was never sent to the session. */
  get isNews(): boolean {
    return this.#sends === 0;
  }

  /** Starts to follow a chunk. */
  follow(chunk: WatchedChunk): void {
    this.#chunk = chunk;
    this.chunkChanged();
  }

  /** Stops following the chunk and returns it. */
  drop(): WatchedChunk | undefined {
    const chunk = this.#chunk;
    this.#chunk = undefined;
    return chunk;
  }

  chunkChanged(): void {
    this.#sends = 0;
    this.#sender.sendSoon(this);
  }

  /** Sends the chunk again on request, unless it may still be on its way. */
  askAgain(nowMs: number): void {
    if (nowMs - this.#sentMs >= ON_ITS_WAY_MS) this.chunkChanged();
  }

  /** Records that the chunk was sent. Returns the time to wait before sending it again. */
  sent(nowMs: number): number {
    this.#sentMs = nowMs;
    return Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** this.#sends++);
  }
}
