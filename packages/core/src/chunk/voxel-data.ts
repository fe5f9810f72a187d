import { ByteWriter } from "../bytes/byte-writer.ts";
import { bytesEqual } from "../bytes/integers.ts";
import { copyBytes } from "../bytes/plain-bytes.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { varU32Bytes } from "./packed-indices.ts";

/** Maximum size of the data of one voxel: what a game gives. */
export const VOXEL_DATA_BYTES_MAX = 32_768;

/** Maximum size of the data of one voxel as it is stored and sent: `PLAIN_DATA` adds a byte that says what follows. */
export const STORED_VOXEL_DATA_BYTES_MAX: number = VOXEL_DATA_BYTES_MAX + 1;

/** Maximum size of all data of one chunk, encoded: the bytes and a few more for each voxel that has some. */
export const CHUNK_DATA_BYTES_MAX = 262_144;

/** Number of voxels between two marks. A lookup reads at most this many. */
const MARK_INTERVAL = 16;
const NO_MARKS = new Uint32Array(0);

/** Memory of the objects that hold the bytes of a chunk's data. */
const OBJECTS_BYTES = 320;

/** A voxel of a chunk and its data. */
export interface VoxelDatum {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly data: Uint8Array;
}

/** A voxel of a chunk and its new data; `undefined` removes what it has. */
export interface VoxelDataEdit {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly data: Uint8Array | undefined;
}

/** Walks over the voxels of encoded data, which has been checked. */
class DataWalk {
  readonly #encoded: Uint8Array;
  /** Where the next voxel begins, and the lowest index that it can have. */
  offset: number;
  next: number;
  /** The current voxel; infinite at the end. */
  index = -1;
  /** Length of its data, which ends at `offset`. */
  bytes = 0;
  /** `offset` and `next` before the last step. */
  from: number;
  base: number;

  constructor(encoded: Uint8Array, offset: number, next: number) {
    this.#encoded = encoded;
    this.offset = offset;
    this.next = next;
    this.from = offset;
    this.base = next;
  }

  /** Moves to the next voxel. Returns false at the end. */
  step(): boolean {
    this.from = this.offset;
    this.base = this.next;
    if (this.offset >= this.#encoded.length) {
      this.index = Infinity;
      return false;
    }
    this.index = this.next + this.varint();
    this.bytes = this.varint();
    this.offset += this.bytes;
    this.next = this.index + 1;
    return true;
  }

  /** Reads a varint of at most 31 bits at `offset`. */
  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#encoded[this.offset++] as number;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  /** Returns a copy of the current voxel's data. */
  data(): Uint8Array {
    return this.#encoded.slice(this.offset - this.bytes, this.offset);
  }

  /** Whether the current voxel has this data. */
  hasData(data: Uint8Array): boolean {
    return this.bytes === data.length && this.#hasAt(data, 0);
  }

  /** Whether the current voxel of another walk has the same data. */
  equals(other: DataWalk): boolean {
    return this.bytes === other.bytes && this.#hasAt(other.#encoded, other.offset - other.bytes);
  }

  #hasAt(data: Uint8Array, offset: number): boolean {
    const start = this.offset - this.bytes;
    for (let at = 0; at < this.bytes; at++) if (this.#encoded[start + at] !== data[offset + at]) return false;
    return true;
  }
}

/** Returns a walk before the first voxel of data, for functions beside the class. */
let walkOver: (data: VoxelData) => DataWalk;

/**
 * The data of a chunk's voxels, of those few that have some. Immutable: an edit returns another value. It is kept as it is
 * encoded, rules C24 to C27 in docs/formats/chunk-payload.md, because an object for each voxel takes 250 bytes of memory.
 */
export class VoxelData implements Iterable<VoxelDatum> {
  static {
    walkOver = (data) => data.#start();
  }

  /** No data at all: what most chunks have. */
  static readonly NONE: VoxelData = new VoxelData(Uint8Array.of(0));

  /** Number of voxels that have data. */
  readonly size: number;
  readonly #encoded: Uint8Array;
  /** For every `MARK_INTERVAL` voxels, the lowest index that the next one can have, and the offset at which it begins. */
  readonly #marks: Uint32Array;

  private constructor(encoded: Uint8Array) {
    const walk = new DataWalk(encoded, 0, 0);
    this.size = walk.varint();
    this.#encoded = encoded;
    this.#marks = marksOf(walk, this.size);
  }

  /** Returns the data that an encoding holds, which must have been checked. Takes ownership of the bytes. */
  static ofEncoded(encoded: Uint8Array): VoxelData {
    return encoded.length === 1 ? VoxelData.NONE : new VoxelData(encoded);
  }

  /** Length of the encoding in bytes. */
  get byteLength(): number {
    return this.#encoded.length;
  }

  /** Approximate memory in bytes. */
  get memoryBytes(): number {
    return this.size === 0 ? 0 : OBJECTS_BYTES + this.#encoded.length + this.#marks.byteLength;
  }

  /** The highest index of a voxel with data; `undefined` if there is none. */
  get lastIndex(): number | undefined {
    if (this.size === 0) return undefined;
    const walk = this.#walkTo(Infinity);
    return walk.next - 1;
  }

  /** Writes the encoding. */
  write(out: ByteWriter): void {
    out.raw(this.#encoded);
  }

  /** Yields a copy of the data of each voxel that has some, ascending by index. */
  *[Symbol.iterator](): Generator<VoxelDatum> {
    for (const walk = this.#start(); walk.step(); ) yield { index: walk.index, data: walk.data() };
  }

  /** Calls `visit` for each voxel that has data, ascending by index, with the length of its data. */
  forEachLength(visit: (index: number, bytes: number) => void): void {
    for (const walk = this.#start(); walk.step(); ) visit(walk.index, walk.bytes);
  }

  /** Returns a copy of the data of a voxel; `undefined` if it has none. */
  at(index: number): Uint8Array | undefined {
    if (this.size === 0) return undefined;
    const walk = this.#walkTo(index);
    return walk.index === index ? walk.data() : undefined;
  }

  /** Returns the data after some edits, the last one for a voxel winning. Throws `ORT_LIMIT` for too much. */
  edit(edits: readonly VoxelDataEdit[]): VoxelData {
    const edited = new Map<number, Uint8Array | undefined>();
    for (const { index, data } of edits) edited.set(index, data);
    const out = new ByteWriter(this.#encoded.length);
    let copied = this.#start();
    let next = 0;
    let count = this.size;
    let isChanged = false;
    for (const [index, data] of [...edited].sort(([a], [b]) => a - b)) {
      const walk = this.#walkTo(index);
      const isThere = walk.index === index;
      if (isThere ? data !== undefined && walk.hasData(data) : data === undefined) continue;
      isChanged = true;
      next = this.#copy(out, next, copied, walk.from, walk.base);
      copied = isThere ? walk : new DataWalk(this.#encoded, walk.from, walk.base);
      if (isThere) count--;
      if (data === undefined) continue;
      count++;
      out.varUint(index - next);
      out.bytes(data, STORED_VOXEL_DATA_BYTES_MAX);
      next = index + 1;
    }
    if (!isChanged) return this;
    this.#copy(out, next, copied, this.#encoded.length, 0);
    return VoxelData.ofEncoded(withCount(count, out.view()));
  }

  /** Whether the other data is the same. */
  equals(other: VoxelData): boolean {
    return this === other || bytesEqual(this.#encoded, other.#encoded);
  }

  #start(): DataWalk {
    return new DataWalk(this.#encoded, varU32Bytes(this.size), 0);
  }

  /** Returns a walk that stands at the first voxel from `index` on; at the end if there is none. */
  #walkTo(index: number): DataWalk {
    const marks = this.#marks;
    let low = 0;
    let high = marks.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((marks[middle * 2] as number) <= index) low = middle + 1;
      else high = middle;
    }
    const walk =
      low === 0
        ? this.#start()
        : new DataWalk(this.#encoded, marks[low * 2 - 1] as number, marks[low * 2 - 2] as number);
    while (walk.step() && walk.index < index);
    return walk;
  }

  /**
   * Writes the voxels from a walk's next one up to the offset `end`, behind a voxel before `next`. Returns `endNext`, the
   * lowest index that the voxel at `end` can have, or `next` if there is nothing to copy.
   */
  #copy(out: ByteWriter, next: number, from: DataWalk, end: number, endNext: number): number {
    if (from.offset >= end) return next;
    const walk = new DataWalk(this.#encoded, from.offset, from.next);
    out.varUint(walk.next + walk.varint() - next);
    out.raw(this.#encoded.subarray(walk.offset, end));
    return endNext;
  }
}

function marksOf(walk: DataWalk, size: number): Uint32Array {
  const count = Math.max(0, Math.ceil(size / MARK_INTERVAL) - 1);
  if (count === 0) return NO_MARKS;
  const marks = new Uint32Array(count * 2);
  for (let mark = 0; mark < count; mark++) {
    for (let voxel = 0; voxel < MARK_INTERVAL; voxel++) walk.step();
    marks[mark * 2] = walk.next;
    marks[mark * 2 + 1] = walk.offset;
  }
  return marks;
}

/** Returns encoded voxels behind their number. Throws `ORT_LIMIT` for more than a chunk may have. */
function withCount(count: number, voxels: Uint8Array): Uint8Array {
  const start = varU32Bytes(count);
  const bytes = start + voxels.length;
  if (bytes > CHUNK_DATA_BYTES_MAX) {
    throw new OrthantError(
      "ORT_LIMIT",
      `the voxels of a chunk have ${bytes} bytes of data, the limit is ${CHUNK_DATA_BYTES_MAX}`,
    );
  }
  const out = new ByteWriter(bytes);
  out.varUint(count);
  out.raw(voxels);
  return out.copy();
}

/** Returns the edits that turn one chunk's data into another's, ascending by index. */
export function diffVoxelData(before: VoxelData, after: VoxelData): readonly VoxelDataEdit[] {
  if (before === after) return [];
  const edits: VoxelDataEdit[] = [];
  const [old, young] = [walkOver(before), walkOver(after)];
  old.step();
  young.step();
  // At its end, a walk stands at an infinite index.
  while (old.index < Infinity || young.index < Infinity) {
    if (old.index < young.index) {
      edits.push({ index: old.index, data: undefined });
      old.step();
      continue;
    }
    const isKept = old.index === young.index;
    if (!isKept || !young.equals(old)) edits.push({ index: young.index, data: young.data() });
    if (isKept) old.step();
    young.step();
  }
  return edits;
}

/** Returns edits of data as our own. Throws `ORT_ARGUMENT` for one that no chunk of this volume can have. */
export function checkedDataEdits(edits: readonly VoxelDataEdit[], volume: number): readonly VoxelDataEdit[] {
  if (!Array.isArray(edits)) throw wrongArgument("edits", edits, "it is a list of { index, data }");
  return edits.map((edit: unknown) => {
    const { index, data } = (typeof edit === "object" ? (edit ?? {}) : {}) as Partial<VoxelDataEdit>;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= volume)
      throw wrongArgument("index", index, `it is a whole number below ${volume}`);
    if (data === undefined) return { index, data };
    if (!(data instanceof Uint8Array)) throw wrongArgument("data", data, "it is a Uint8Array");
    requireVoxelDataLength(data.length);
    return { index, data: copyBytes(data) };
  });
}

/** Throws `ORT_LIMIT` for more data than one voxel may have. */
export function requireVoxelDataLength(bytes: number): void {
  if (bytes <= STORED_VOXEL_DATA_BYTES_MAX) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `${bytes} bytes of data for a voxel, the limit is ${STORED_VOXEL_DATA_BYTES_MAX}`,
  );
}
