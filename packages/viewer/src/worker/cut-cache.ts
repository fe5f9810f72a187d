import {
  type Box,
  boxVolume,
  type Chunk,
  type ChunkShape,
  type Place,
  PlaceMap,
  placesLexicographic,
} from "@orthant/core";
import { type CutAt, chunkOfScene } from "../mesh/block.ts";
import { type ChunkCut, cutChunk } from "../mesh/chunk-cut.ts";
import type { Slice } from "../slice/slice.ts";

/** Bytes of a single-material cut, and overhead of any cached cut. */
const ENTRY_BYTES = 64;

/** Caches cuts of chunks, because every block around a chunk needs them. */
export class CutCache {
  readonly #shape: ChunkShape;
  readonly #chunkAt: (place: Place) => Chunk | undefined;
  readonly #bytesMax: number;
  /** By the coordinate on the hidden axis. */
  readonly #slices = new Map<number, PlaceMap<ChunkCut>>();
  #hidden = 3;
  #bytes = 0;
  #count = 0;

  constructor(shape: ChunkShape, chunkAt: (place: Place) => Chunk | undefined, bytesMax: number) {
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
    return (right, up, back) => this.#cutAt(slice, chunkOfScene(this.#shape, slice, [right, up, back]));
  }

  /** Drops the cuts in boxes of chunks. */
  forget(boxes: readonly Box[]): void {
    for (const box of boxes) {
      if (boxVolume(box) > this.#count) this.clear();
      else for (const place of placesLexicographic(box)) this.#drop(place);
    }
  }

  /** Drops everything. */
  clear(): void {
    this.#slices.clear();
    this.#bytes = 0;
    this.#count = 0;
  }

  #cutAt(slice: Slice, place: Place): ChunkCut | undefined {
    const kept = this.#slices.get(slice.at)?.get(...place);
    if (kept !== undefined) return kept;
    const chunk = this.#chunkAt(place);
    if (chunk === undefined) return undefined;
    const cut = cutChunk(chunk, this.#shape, slice);
    this.#keep(slice.at, place, cut);
    return cut;
  }

  #drop(place: Place): void {
    for (const cuts of this.#slices.values()) {
      const cut = cuts.get(...place);
      if (cut === undefined) continue;
      cuts.delete(...place);
      this.#bytes -= bytesOf(cut);
      this.#count--;
    }
  }

  #keep(at: number, place: Place, cut: ChunkCut): void {
    // Clearing everything avoids tracking an order of use, and the cuts still in use soon return.
    if (this.#bytes > this.#bytesMax) this.clear();
    let cuts = this.#slices.get(at);
    if (cuts === undefined) {
      cuts = new PlaceMap();
      this.#slices.set(at, cuts);
    }
    cuts.set(...place, cut);
    this.#bytes += bytesOf(cut);
    this.#count++;
  }
}

function bytesOf(cut: ChunkCut): number {
  return ENTRY_BYTES + (typeof cut === "number" ? 0 : cut.byteLength);
}
