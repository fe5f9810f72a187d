import { type ChunkShape, isOrthantError } from "@orthant/core";
import { TokenBucket } from "@orthant/core/time";
import { placedDataBytes, type RequestedEdit } from "../message/requested-edit.ts";
import type { ClientLimits, Welcome } from "../message/server-message.ts";
import { chunkCount } from "../message/touched-chunks.ts";
import type { EditCapacity } from "./joint-edits.ts";

/** The part of a rate and of a burst that a client uses: frames may arrive closer together than they were sent. */
const RATE_SHARE = 0.95;
const BURST_SHARE = 0.9;

/** Returns a bucket that stays inside a server's bucket with this rate and burst. */
export function carefulBucket(perSecond: number, burst: number, nowMs: number): TokenBucket {
  const own = burst < 1 ? 0 : Math.max(1, Math.floor(burst * BURST_SHARE));
  return new TokenBucket(perSecond * RATE_SHARE, own, nowMs);
}

/** Decides when a client may send its next edit, by the limits of the server. Outlives connections. */
export class EditPace {
  readonly limits: ClientLimits;
  readonly #shape: ChunkShape;
  readonly #edits: TokenBucket;
  readonly #chunks: TokenBucket;
  readonly #data: TokenBucket;

  constructor({ limits, shape }: Welcome, nowMs: number) {
    this.limits = limits;
    this.#shape = shape;
    // A server that takes no edits says so itself.
    this.#edits = carefulBucket(limits.editsPerSecond, Math.max(1, limits.editsBurst), nowMs);
    this.#chunks = new TokenBucket(limits.editChunksPerSecond * RATE_SHARE, limits.editChunksMax, nowMs);
    this.#data = new TokenBucket(limits.editDataBytesPerSecond * RATE_SHARE, limits.editDataBytesMax, nowMs);
  }

  /** Returns true when a welcome has the limits that this pace keeps. */
  isFor({ limits, shape }: Welcome): boolean {
    return (
      shape.extents.join() === this.#shape.extents.join() &&
      JSON.stringify(limits) === JSON.stringify(this.limits)
    );
  }

  /** Returns how many edits the client may send now. */
  editsNow(nowMs: number): number {
    return this.#edits.available(nowMs);
  }

  /** Returns what the next edit may take. */
  capacityNow(nowMs: number): EditCapacity {
    return { chunks: this.#chunks.available(nowMs), dataBytes: this.#data.available(nowMs) };
  }

  /** Counts an edit that is sent. Returns false, and counts nothing, if it has to wait. */
  take(edit: RequestedEdit, nowMs: number): boolean {
    const chunks = Math.min(this.#chunksOf(edit), Math.floor(this.limits.editChunksMax));
    const dataBytes = Math.min(placedDataBytes(edit), Math.floor(this.limits.editDataBytesMax));
    const capacity = this.capacityNow(nowMs);
    if (this.editsNow(nowMs) < 1 || capacity.chunks < chunks || capacity.dataBytes < dataBytes) return false;
    this.#edits.take(1, nowMs);
    this.#chunks.take(chunks, nowMs);
    this.#data.take(dataBytes, nowMs);
    return true;
  }

  /** An edit off the lattice touches no chunks: the server rejects it. */
  #chunksOf(edit: RequestedEdit): number {
    try {
      return chunkCount(edit, this.#shape);
    } catch (error) {
      if (isOrthantError(error, "ORT_POSITION_RANGE")) return 0;
      throw error;
    }
  }
}
