import type { Box, Chunk, ChunkShape, Position } from "@orthant/core";
import { boxVolume, getOrAdd, PositionMap, positionsLexicographic } from "@orthant/core/lattice";
import { type ChunkCut, type CutAt, chunkInSlice, cutChunk } from "@orthant/mesh/volume";
import type { Slice } from "../slice/slice.ts";

/** Bytes of a single-block cut, and overhead of any cached cut. */
const ENTRY_BYTES = 64;

/** Caches cuts of chunks, because every mesh block around a chunk needs them. */
export class CutCache {
  readonly #shape: ChunkShape;
  readonly #chunkAt: (position: Position) => Chunk | undefined;
  readonly #bytesMax: number;
  /** By the coordinate on the hidden axis. */
  readonly #slices = new Map<number, PositionMap<ChunkCut>>();
  #hidden = 3;
  #bytes = 0;
  #count = 0;

  constructor(shape: ChunkShape, chunkAt: (position: Position) => Chunk | undefined, bytesMax: number) {
    this.#shape = shape;
    this.#chunkAt = chunkAt;
    this.#bytesMax = bytesMax;
  }

  /** Approximate size of the cache in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of cached cuts. */
  get count(): number {
    return this.#count;
  }

  /** Returns the cuts of a slice, chunk by chunk. */
  of(slice: Slice): CutAt {
    if (slice.hidden !== this.#hidden) this.clear();
    this.#hidden = slice.hidden;
    return (right, up, back) => this.#cutAt(slice, chunkInSlice(this.#shape, slice, [right, up, back]));
  }

  /** Drops the cuts in boxes of chunks. */
  forget(boxes: readonly Box[]): void {
    for (const box of boxes) {
      if (boxVolume(box) > this.#count) this.clear();
      else for (const position of positionsLexicographic(box)) this.#drop(position);
    }
  }

  /** Drops everything. */
  clear(): void {
    this.#slices.clear();
    this.#bytes = 0;
    this.#count = 0;
  }

  #cutAt(slice: Slice, position: Position): ChunkCut | undefined {
    const kept = this.#slices.get(slice.at)?.get(...position);
    if (kept !== undefined) return kept;
    const chunk = this.#chunkAt(position);
    if (chunk === undefined) return undefined;
    const cut = cutChunk(chunk, this.#shape, slice);
    this.#keep(slice.at, position, cut);
    return cut;
  }

  #drop(position: Position): void {
    for (const cuts of this.#slices.values()) {
      const cut = cuts.get(...position);
      if (cut === undefined) continue;
      cuts.delete(...position);
      this.#bytes -= bytesOf(cut);
      this.#count--;
    }
  }

  #keep(at: number, position: Position, cut: ChunkCut): void {
    // Clearing everything avoids tracking an order of use, and the cuts still in use soon return.
    if (this.#bytes > this.#bytesMax) this.clear();
    const cuts = getOrAdd(this.#slices, at, () => new PositionMap());
    cuts.set(...position, cut);
    this.#bytes += bytesOf(cut);
    this.#count++;
  }
}

function bytesOf(cut: ChunkCut): number {
  return ENTRY_BYTES + (typeof cut === "number" ? 0 : cut.byteLength);
}
