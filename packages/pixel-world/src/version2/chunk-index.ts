import { PositionMap } from "@orthant/core";
import { STORAGE, storageNamed } from "../pixels/stored-chunk.ts";
import type { PixelChunkRef } from "../save.ts";

const CAPACITY_MIN = 16;
const STORAGES = [STORAGE.empty, STORAGE.delta, STORAGE.full].map(
  (storage) => storageNamed(storage) ?? "full",
);

/** Locations of up to millions of chunks, in columns of numbers instead of objects. Reuses freed rows. */
export class ChunkIndex {
  readonly #rows = new PositionMap<number>();
  readonly #free: number[] = [];
  #offsets = new Float64Array(CAPACITY_MIN);
  #bytes = new Uint32Array(CAPACITY_MIN);
  #storages = new Uint8Array(CAPACITY_MIN);
  #rowCount = 0;
  #liveBytes = 0;

  get size(): number {
    return this.#rows.size;
  }

  /** Total size of the chunks' entries. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  has(x: number, y: number): boolean {
    return this.#rows.has(x, y, 0, 0);
  }

  get(x: number, y: number): PixelChunkRef | undefined {
    const row = this.#rows.get(x, y, 0, 0);
    return row === undefined ? undefined : this.#refAt(x, y, row);
  }

  /** Adds or replaces a chunk. Returns the size of its previous entry, or 0. */
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

  /** Removes a chunk. Returns the size of its entry, or 0. */
  delete(x: number, y: number): number {
    const row = this.#rows.get(x, y, 0, 0);
    if (row === undefined) return 0;
    this.#rows.delete(x, y, 0, 0);
    this.#free.push(row);
    const bytes = this.#bytes[row] as number;
    this.#liveBytes -= bytes;
    return bytes;
  }

  /** All chunks, ordered by y, then x. */
  *[Symbol.iterator](): Generator<PixelChunkRef> {
    const positions = sortedPositions(this.#rows);
    for (let at = 0; at < positions.length; at += 2) {
      const [x, y] = [(positions[at] as number) ^ SIGN_BIT, (positions[at + 1] as number) ^ SIGN_BIT];
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

/** Returns pairs of x and y, each with its sign bit flipped, sorted as 64-bit numbers: by y, then x. */
function sortedPositions(rows: PositionMap<number>): Uint32Array {
  const halves = new Uint32Array(rows.size * 2);
  let end = 0;
  rows.forEach((_row, x, y) => {
    halves[end++] = x ^ SIGN_BIT;
    halves[end++] = y ^ SIGN_BIT;
  });
  // Assumes a little-endian machine, like all that Orthant runs on.
  new BigUint64Array(halves.buffer).sort();
  return halves;
}
