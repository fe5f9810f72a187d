import { ByteReader, ByteWriter } from "@orthant/core/bytes";
import { PositionMap } from "@orthant/core/lattice";
import { ENTRIES_OFFSET, entryHeader, tableBody, tableChunk, tableHeader } from "../format/layout.ts";
import { BODIES_MAX, CHUNKS_MAX, TABLE_LINKS_MAX } from "../format/limits.ts";
import { STORAGE, storageNamed } from "../format/pixels.ts";
import {
  comparePixelBodies,
  comparePixelChunks,
  type PixelBodyRef,
  type PixelChunkRef,
} from "../format/save.ts";

/** Locations of all chunks and bodies. */
export interface PixelIndex {
  readonly chunks: ChunkIndex;
  readonly bodies: BodyIndex;
}

/** A chunk in a table; removed if it has no `ref`. */
interface ChunkLine {
  readonly x: number;
  readonly y: number;
  readonly ref: PixelChunkRef | undefined;
}

/** A body in a table; removed if it has no `ref`. */
interface BodyLine {
  readonly id: bigint;
  readonly ref: PixelBodyRef | undefined;
}

/** Contents of a table. */
export interface Table {
  /** Number of tables below this one. */
  readonly links: number;
  /** Ordered by y, then x. */
  readonly chunks: Iterable<ChunkLine>;
  /** Ordered by id. */
  readonly bodies: Iterable<BodyLine>;
}

/** Storage number of a removed chunk. */
const GONE = 0xff;

/** Encodes the payload of a table. */
export function encodeTable(
  { links, chunks, bodies }: Table,
  counts: { readonly chunks: number; readonly bodies: number },
): Uint8Array {
  const out = new ByteWriter(
    tableHeader.bytes + counts.chunks * tableChunk.bytes + counts.bodies * tableBody.bytes,
  );
  tableHeader.write(out, { links, chunkCount: counts.chunks, bodyCount: counts.bodies });
  for (const { x, y, ref } of chunks) {
    // Write field by field, because there may be a million of them.
    out.i32(x);
    out.i32(y);
    out.u64Number(ref?.offset ?? 0);
    out.u32(ref?.bytes ?? 0);
    out.u8(ref === undefined ? GONE : STORAGE[ref.storage]);
  }
  for (const { id, ref } of bodies) {
    tableBody.write(out, {
      id,
      offset: ref?.offset ?? 0,
      bytes: ref?.bytes ?? 0,
      x: ref?.x ?? 0,
      y: ref?.y ?? 0,
    });
  }
  return out.copy();
}

/**
 * Applies the payload of the table at `offset` to an index. Throws unless every line is valid, in order, and
 * refers to an entry before the table.
 */
export function applyTable(payload: Uint8Array, offset: number, index: PixelIndex): void {
  const input = new ByteReader(payload, { origin: offset + entryHeader.bytes });
  const { links, chunkCount, bodyCount } = tableHeader.read(input);
  if (links > TABLE_LINKS_MAX || chunkCount > CHUNKS_MAX || bodyCount > BODIES_MAX) {
    throw input.fail(
      "ORT_LIMIT",
      `a table of ${chunkCount} chunks and ${bodyCount} bodies over ${links} others`,
    );
  }
  const expected = chunkCount * tableChunk.bytes + bodyCount * tableBody.bytes;
  if (input.remaining !== expected) {
    throw input.fail(
      "ORT_INDEX",
      `${input.remaining} bytes for ${chunkCount} chunks and ${bodyCount} bodies`,
    );
  }
  const isWhole = links === 0;
  applyChunks(input, chunkCount, offset, isWhole, index.chunks);
  applyBodies(input, bodyCount, offset, isWhole, index.bodies);
}

/** Returns the number of tables below the one with this payload. */
export function linksOf(payload: Uint8Array): number {
  return tableHeader.read(new ByteReader(payload)).links;
}

function applyChunks(
  input: ByteReader,
  count: number,
  end: number,
  isWhole: boolean,
  chunks: ChunkIndex,
): void {
  let before = { x: 0, y: 0 };
  for (let line = 0; line < count; line++) {
    const [x, y, offset, bytes, storage] = [
      input.i32(),
      input.i32(),
      input.u64Number(),
      input.u32(),
      input.u8(),
    ];
    const position = { x, y };
    if (line > 0 && comparePixelChunks(before, position) >= 0)
      throw input.fail("ORT_INDEX", `chunk [${x}, ${y}] is not in its order`);
    before = position;
    if (storage === GONE) {
      if (isWhole || offset !== 0 || bytes !== 0)
        throw input.fail("ORT_INDEX", `chunk [${x}, ${y}] is gone, and is not`);
      chunks.delete(x, y);
    } else {
      if (storageNamed(storage) === undefined)
        throw input.fail("ORT_INDEX", `chunk [${x}, ${y}] is stored in way ${storage}`);
      requireSpan(offset, bytes, end, input);
      chunks.set(x, y, storage, offset, bytes);
    }
  }
}

function applyBodies(
  input: ByteReader,
  count: number,
  end: number,
  isWhole: boolean,
  bodies: BodyIndex,
): void {
  let before = -1n;
  for (let line = 0; line < count; line++) {
    const ref = tableBody.read(input);
    if (ref.id <= before) throw input.fail("ORT_INDEX", `body ${ref.id} is not in its order`);
    before = ref.id;
    if (ref.offset === 0) {
      if (isWhole || ref.bytes !== 0 || ref.x !== 0 || ref.y !== 0)
        throw input.fail("ORT_INDEX", `body ${ref.id} is gone, and is not`);
      bodies.delete(ref.id);
    } else {
      requireSpan(ref.offset, ref.bytes, end, input);
      bodies.set(ref);
    }
  }
}

function requireSpan(offset: number, bytes: number, end: number, input: ByteReader): void {
  if (offset >= ENTRIES_OFFSET && bytes >= entryHeader.bytes && offset + bytes <= end) return;
  throw input.fail("ORT_INDEX", `an entry of ${bytes} bytes at ${offset}, before a table at ${end}`);
}

/** Returns a complete table, with no other table below it. */
export function wholeTable({ chunks, bodies }: PixelIndex): Table {
  return {
    links: 0,
    chunks: linesOf(chunks),
    bodies: [...bodies].sort(byId).map((ref) => ({ id: ref.id, ref })),
  };
}

function* linesOf(chunks: ChunkIndex): Generator<ChunkLine> {
  for (const ref of chunks) yield { x: ref.x, y: ref.y, ref };
}

/** Orders bodies as in a table. */
export function byId(a: { readonly id: bigint }, b: { readonly id: bigint }): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

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

/** Locations of all bodies, by id and by chunk. */
export class BodyIndex {
  readonly #byId = new Map<bigint, PixelBodyRef>();
  readonly #byChunk = new PositionMap<Set<bigint>>();
  #liveBytes = 0;

  get size(): number {
    return this.#byId.size;
  }

  /** Total size of the bodies' entries. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  get(id: bigint): PixelBodyRef | undefined {
    return this.#byId.get(id);
  }

  /** Returns the bodies of a chunk, ordered by id. */
  inChunk(x: number, y: number): readonly PixelBodyRef[] {
    const refs: PixelBodyRef[] = [];
    for (const id of this.#byChunk.get(x, y, 0, 0) ?? []) {
      const ref = this.#byId.get(id);
      if (ref !== undefined) refs.push(ref);
    }
    return refs.sort(comparePixelBodies);
  }

  set(ref: PixelBodyRef): void {
    this.delete(ref.id);
    this.#byId.set(ref.id, ref);
    this.#liveBytes += ref.bytes;
    this.#byChunk.getOrAdd(ref.x, ref.y, 0, 0, () => new Set()).add(ref.id);
  }

  delete(id: bigint): void {
    const ref = this.#byId.get(id);
    if (ref === undefined) return;
    this.#byId.delete(id);
    this.#liveBytes -= ref.bytes;
    const there = this.#byChunk.get(ref.x, ref.y, 0, 0);
    there?.delete(id);
    if (there?.size === 0) this.#byChunk.delete(ref.x, ref.y, 0, 0);
  }

  /** All bodies, ordered by chunk, then id. */
  *[Symbol.iterator](): Generator<PixelBodyRef> {
    yield* [...this.#byId.values()].sort(comparePixelBodies);
  }
}
