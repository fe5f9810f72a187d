import { PlaceMap } from "@orthant/core";
import { STORAGE, storageNamed } from "../pixels/stored-chunk.ts";
import type { PixelChunkRef } from "../save.ts";

const CAPACITY_MIN = 16;
const STORAGES = [STORAGE.empty, STORAGE.delta, STORAGE.full].map(
  (storage) => storageNamed(storage) ?? "full",
);

/**
 * Where each chunk lies, for millions of them: a row of numbers in columns, and no object. A row that is freed is
 * used again.
 */
export class ChunkIndex {
  readonly #rows = new PlaceMap<number>();
  readonly #free: number[] = [];
  #offsets = new Float64Array(CAPACITY_MIN);
  #bytes = new Uint32Array(CAPACITY_MIN);
  #storages = new Uint8Array(CAPACITY_MIN);
  #rowCount = 0;
  #liveBytes = 0;

  /** How many chunks there are. */
  get size(): number {
    return this.#rows.size;
  }

  /** Bytes of all their entries. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** Whether a chunk is there. */
  has(x: number, y: number): boolean {
    return this.#rows.has(x, y, 0, 0);
  }

  /** Where a chunk lies. */
  get(x: number, y: number): PixelChunkRef | undefined {
    const row = this.#rows.get(x, y, 0, 0);
    return row === undefined ? undefined : this.#refAt(x, y, row);
  }

  /** Adds or replaces a chunk; gives the bytes of the entry that it had. */
  set(x: number, y: number, storage: number, offset: number, bytes: number): number {
    let row = this.#rows.get(x, y, 0, 0);
    let before = 0;
    if (row === undefined) {
      row = this.#free.pop() ?? this.#newRow();
      this.#rows.set(x, y, 0, 0, row);
    } else before = this.#bytes[row] as number;
    this.#offsets[row] = offset;
    this.#bytes[row] = bytes;
    this.#storages[row] = storage;
    this.#liveBytes += bytes - before;
    return before;
  }

  /** Removes a chunk; gives the bytes of the entry that it had. */
  delete(x: number, y: number): number {
    const row = this.#rows.get(x, y, 0, 0);
    if (row === undefined) return 0;
    this.#rows.delete(x, y, 0, 0);
    this.#free.push(row);
    const bytes = this.#bytes[row] as number;
    this.#liveBytes -= bytes;
    return bytes;
  }

  /** All of them, in their order. */
  *[Symbol.iterator](): Generator<PixelChunkRef> {
    const places = sortedPlaces(this.#rows);
    for (let at = 0; at < places.length; at += 2) {
      const [x, y] = [(places[at] as number) ^ SIGN_BIT, (places[at + 1] as number) ^ SIGN_BIT];
      const row = this.#rows.get(x, y, 0, 0);
      if (row !== undefined) yield this.#refAt(x, y, row);
    }
  }

  #refAt(x: number, y: number, row: number): PixelChunkRef {
    const storage = STORAGES[this.#storages[row] as number] ?? "full";
    return { x, y, storage, offset: this.#offsets[row] as number, bytes: this.#bytes[row] as number };
  }

  #newRow(): number {
    if (this.#rowCount === this.#offsets.length) this.#grow(this.#rowCount * 2);
    return this.#rowCount++;
  }

  #grow(capacity: number): void {
    const [offsets, bytes, storages] = [this.#offsets, this.#bytes, this.#storages];
    this.#offsets = new Float64Array(capacity);
    this.#offsets.set(offsets);
    this.#bytes = new Uint32Array(capacity);
    this.#bytes.set(bytes);
    this.#storages = new Uint8Array(capacity);
    this.#storages.set(storages);
  }
}

const SIGN_BIT = -0x8000_0000;

/** Pairs of x and y, both with their sign bit turned, sorted as one 64-bit number each: that is by y, then x. */
function sortedPlaces(rows: PlaceMap<number>): Uint32Array {
  const halves = new Uint32Array(rows.size * 2);
  let end = 0;
  rows.forEach((_row, x, y) => {
    halves[end++] = x ^ SIGN_BIT;
    halves[end++] = y ^ SIGN_BIT;
  });
  // Bytes of a machine that is little-endian, as all that Orthant runs on are.
  new BigUint64Array(halves.buffer).sort();
  return halves;
}
