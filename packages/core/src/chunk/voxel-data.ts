import { bytesEqual } from "../bytes/integers.ts";
import { copyBytes } from "../bytes/plain-bytes.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { varU32Bytes } from "./packed-indices.ts";

/** Maximum size of the data of one voxel. */
export const VOXEL_DATA_BYTES_MAX = 32_768;

/** Maximum size of all data of one chunk, encoded: the bytes and a few more for each voxel that has some. */
export const CHUNK_DATA_BYTES_MAX = 262_144;

/** A voxel of a chunk and its data. */
export interface VoxelDatum {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  /** Shared by all chunks that have it: copy it before you change it. */
  readonly data: Uint8Array;
}

/** A voxel of a chunk and its new data; `undefined` removes what it has. */
export interface VoxelDataEdit {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly data: Uint8Array | undefined;
}

/** The data of a chunk's voxels, of those few that have some. Immutable: an edit returns another value. */
export class VoxelData {
  /** No data at all: what most chunks have. */
  static readonly NONE: VoxelData = new VoxelData([]);

  /** The voxels that have data, ascending by index. */
  readonly entries: readonly VoxelDatum[];
  /** Length of the encoding in bytes. */
  readonly byteLength: number;

  private constructor(entries: readonly VoxelDatum[]) {
    this.entries = entries;
    this.byteLength = encodedBytes(entries);
  }

  /** Returns data from entries that ascend by index. Takes ownership of their bytes. Throws `ORT_LIMIT` above a limit. */
  static of(entries: readonly VoxelDatum[]): VoxelData {
    if (entries.length === 0) return VoxelData.NONE;
    for (const { data } of entries) requireVoxelDataLength(data.length);
    const data = new VoxelData(entries);
    if (data.byteLength <= CHUNK_DATA_BYTES_MAX) return data;
    throw new OrthantError(
      "ORT_LIMIT",
      `the voxels of a chunk have ${data.byteLength} bytes of data where at most ${CHUNK_DATA_BYTES_MAX} may be`,
    );
  }

  /** Number of voxels that have data. */
  get size(): number {
    return this.entries.length;
  }

  /** Returns the data of a voxel, shared; `undefined` if it has none. */
  at(index: number): Uint8Array | undefined {
    const { entries } = this;
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((entries[middle] as VoxelDatum).index < index) low = middle + 1;
      else high = middle;
    }
    const found = entries[low];
    return found?.index === index ? found.data : undefined;
  }

  /** Returns the data after some edits, the last one for a voxel winning. Takes ownership of their bytes. */
  edit(edits: readonly VoxelDataEdit[]): VoxelData {
    const edited = new Map<number, Uint8Array | undefined>();
    for (const { index, data } of edits) edited.set(index, data);
    const changes = [...edited].sort(([a], [b]) => a - b);
    const entries: VoxelDatum[] = [];
    let isChanged = false;
    let next = 0;
    const keepBefore = (index: number): void => {
      for (let entry = this.entries[next]; entry !== undefined && entry.index < index; ) {
        entries.push(entry);
        entry = this.entries[++next];
      }
    };
    for (const [index, data] of changes) {
      keepBefore(index);
      const before = this.entries[next]?.index === index ? this.entries[next++] : undefined;
      const isSame = data === undefined ? before === undefined : before && bytesEqual(before.data, data);
      isChanged ||= isSame !== true;
      if (isSame === true && before !== undefined) entries.push(before);
      else if (data !== undefined) entries.push({ index, data });
    }
    keepBefore(Infinity);
    return isChanged ? VoxelData.of(entries) : this;
  }

  /** Whether the other data is the same. */
  equals(other: VoxelData): boolean {
    if (this === other) return true;
    if (this.size !== other.size || this.byteLength !== other.byteLength) return false;
    return this.entries.every(({ index, data }, position) => {
      const theirs = other.entries[position] as VoxelDatum;
      return theirs.index === index && (theirs.data === data || bytesEqual(theirs.data, data));
    });
  }
}

/** Returns the edits that turn one chunk's data into another's, ascending by index. */
export function diffVoxelData(before: VoxelData, after: VoxelData): readonly VoxelDataEdit[] {
  if (before === after) return [];
  const edits: VoxelDataEdit[] = [];
  for (const { index } of before.entries) {
    if (after.at(index) === undefined) edits.push({ index, data: undefined });
  }
  for (const { index, data } of after.entries) {
    const old = before.at(index);
    if (old === undefined || !bytesEqual(old, data)) edits.push({ index, data });
  }
  return edits.sort((a, b) => a.index - b.index);
}

/** Returns edits of data as our own. Throws `ORT_ARGUMENT` for one that no chunk of this volume can have. */
export function ownDataEdits(edits: readonly VoxelDataEdit[], volume: number): readonly VoxelDataEdit[] {
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
  if (bytes <= VOXEL_DATA_BYTES_MAX) return;
  throw new OrthantError(
    "ORT_LIMIT",
    `${bytes} bytes of data for a voxel where at most ${VOXEL_DATA_BYTES_MAX} may be`,
  );
}

function encodedBytes(entries: readonly VoxelDatum[]): number {
  let bytes = varU32Bytes(entries.length);
  let next = 0;
  for (const { index, data } of entries) {
    bytes += varU32Bytes(index - next) + varU32Bytes(data.length) + data.length;
    next = index + 1;
  }
  return bytes;
}
