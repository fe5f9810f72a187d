import { requireList } from "../arguments/checks.ts";
import type { ByteWriter } from "../bytes/byte-writer.ts";
import { requireInteger, U16_MAX, U32_MAX } from "../bytes/integers.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { type Box, boxContainsBox, isBox } from "../lattice/box.ts";
import { CHUNK_VOXELS_MAX, type ChunkShape, indexInChunk } from "../lattice/chunk-shape.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import type { Position } from "../lattice/position.ts";
import {
  type BlockEdits,
  diffIndices,
  editFew,
  editVoxel,
  editVoxels,
  elementsEqual,
  isKnownMixed,
  memoryBytesOf,
  VOXELS_PER_EDIT,
  WAITING_EDITS_MAX,
  type WaitingEdit,
} from "./edit-voxel.ts";
import { countSteps, indexAt, varU32Bytes } from "./packed-indices.ts";
import {
  type BlockRuns,
  type PaletteVoxels,
  packRuns,
  packVoxels,
  uniformVoxels,
  unpackVoxels,
} from "./palette-voxels.ts";
import { checkedDataEdits, VoxelData, type VoxelDataEdit } from "./voxel-data.ts";

/** The block of empty space. */
export const AIR = 0;

/** The encoding of a chunk, determined by its content: docs/formats/chunk-payload.md, rules C3 to C5. */
export type ChunkForm = "empty" | "uniform" | "palettePacked" | "dense16";

/** One voxel of a chunk and its new block. */
export interface VoxelEdit {
  /** The voxel index, with x running fastest. */
  readonly index: number;
  readonly block: number;
}

/** Up to this many edits may wait in the chunk that they make. */
const SINGLE_EDITS_MAX = 4;

/** Voxels that are decoded when they are first used. */
interface LazyVoxels {
  readonly volume: number;
  /** Whether the voxels are known not to be all of one block. */
  readonly isMixed: boolean;
  /** Approximate memory of the decoded chunk. */
  readonly memoryBytes: number;
  /** Returns a chunk with these blocks. */
  realize(): Chunk;
}

/** Uniform chunks by volume and block, at most 65,536 for each volume. */
const uniformChunks = new Map<number, Chunk>();

/** Returns the voxels of a chunk as it holds them, for functions beside the class that leave them as they are. */
export let packedVoxels: (chunk: Chunk) => PaletteVoxels;

/** Returns where two chunks may differ, if only edits that are in neither's voxels tell them apart; `undefined` otherwise. */
let editedSince: (before: Chunk, after: Chunk) => ReadonlySet<number> | undefined;

/**
 * The voxels of one chunk, and the data that some of them have. Immutable: an edit returns another chunk, or the same one
 * if nothing changed. An edit of blocks leaves the data alone: a world decides what becomes of it.
 */
export class Chunk {
  static {
    packedVoxels = (chunk) => chunk.#voxels;
    editedSince = (before, after) => {
      if (before.#decoded === undefined || before.#decoded !== after.#decoded) return undefined;
      const indices = new Set<number>();
      for (const last of [before.#waiting, after.#waiting])
        for (let edit = last; edit !== undefined; edit = edit.before) indices.add(edit.index);
      return indices;
    };
  }

  /** The voxels; `undefined` until a chunk that is decoded lazily is first used. */
  #decoded: PaletteVoxels | undefined;
  #lazy: LazyVoxels | undefined;
  /** The last of the edits that are not in `#decoded` yet. With them the chunk has several blocks: see `isKnownMixed`. */
  #waiting: WaitingEdit | undefined;
  /** The data of voxels, of those that have some. */
  readonly data: VoxelData;
  /**
   * Approximate memory in bytes, with the data; 0 for a shared chunk of one block. It never changes: a chunk that is
   * decoded lazily counts as if it were decoded.
   */
  readonly memoryBytes: number;

  /**
   * Takes ownership of the voxels.
   *
   * @internal
   */
  constructor(
    voxels: PaletteVoxels | LazyVoxels,
    data: VoxelData = VoxelData.NONE,
    waiting: WaitingEdit | undefined = undefined,
  ) {
    const isLazy = "realize" in voxels;
    this.#decoded = isLazy ? undefined : voxels;
    this.#lazy = isLazy ? voxels : undefined;
    this.#waiting = waiting;
    this.data = data;
    this.memoryBytes = data.memoryBytes + (isLazy ? voxels.memoryBytes : memoryBytesOf(voxels, waiting));
  }

  /** Number of voxels. */
  get volume(): number {
    return (this.#decoded ?? this.#lazy ?? this.#voxels).volume;
  }

  /** The canonical form: the shortest encoding of these blocks. */
  get form(): ChunkForm {
    const { palette, packedBytes, denseBytes } = this.#voxels;
    if (palette.length === 1) return palette[0] === AIR ? "empty" : "uniform";
    return packedBytes <= denseBytes ? "palettePacked" : "dense16";
  }

  /** Length of the encoded blocks in bytes, known without encoding. */
  get byteLength(): number {
    const { palette, packedBytes, denseBytes } = this.#voxels;
    if (palette.length > 1) return Math.min(packedBytes, denseBytes);
    return palette[0] === AIR ? 1 : 1 + varU32Bytes(palette[0] as number);
  }

  /** Whether every voxel is air, without data. */
  get isEmpty(): boolean {
    return this.uniformBlock === AIR;
  }

  /** The block of every voxel; `undefined` when they differ, or one of them has data. */
  get uniformBlock(): number | undefined {
    if (this.#lazy?.isMixed === true || this.#waiting !== undefined) return undefined;
    const { palette } = this.#voxels;
    return palette.length === 1 && this.data.size === 0 ? palette[0] : undefined;
  }

  /** Returns the block of one voxel. */
  get(index: number): number {
    const { volume, palette, bitWidth, indices } = this.#decoded ?? this.#voxels;
    if (typeof index !== "number" || index >>> 0 !== index || index >= volume)
      throw outsideChunk(index, volume);
    // The last edit of a voxel wins.
    for (let edit = this.#waiting; edit !== undefined; edit = edit.before)
      if (edit.index === index) return edit.block;
    if (bitWidth === 0) return palette[0] as number;
    return palette[indexAt(indices, bitWidth, index)] as number;
  }

  /** Returns the chunk with another block in one voxel. */
  set(index: number, block: number): Chunk {
    requireInteger(block, 0, U16_MAX, "block");
    if (this.get(index) === block) return this;
    const voxels = this.#decoded as PaletteVoxels;
    const before = this.#waiting;
    const count = (before?.count ?? 0) + 1;
    if (count <= WAITING_EDITS_MAX && isKnownMixed(voxels, index, block))
      return new Chunk(voxels, this.data, { index, block, before, count });
    return chunkOf(editVoxel(this.#voxels, index, block), this.data);
  }

  /** Returns a copy of the data of one voxel; `undefined` if it has none. */
  dataAt(index: number): Uint8Array | undefined {
    requireInteger(index, 0, this.volume - 1);
    return this.data.at(index);
  }

  /** Returns the chunk with other data for some voxels, the last one for a voxel winning. Throws `ORT_LIMIT` for too much. */
  editData(edits: readonly VoxelDataEdit[]): Chunk {
    return this.withData(this.data.edit(checkedDataEdits(edits, this.volume)));
  }

  /** Returns the chunk with the same blocks and this data instead of its own. */
  withData(data: VoxelData): Chunk {
    if (data === this.data) return this;
    if (!(data instanceof VoxelData)) throw wrongArgument("data", data, "it is the data of a chunk");
    requireInteger(data.lastIndex ?? 0, 0, this.volume - 1);
    return data.equals(this.data) ? this : chunkOf(this.#voxels, data);
  }

  /** Returns the chunk with the same blocks and no data. */
  withoutData(): Chunk {
    return this.withData(VoxelData.NONE);
  }

  /** Returns the chunk with several edits, applied in order, so that the last one for a voxel wins. */
  edit(edits: readonly VoxelEdit[]): Chunk {
    requireList("edits", edits, "it is a list of { index, block }");
    const count = edits.length;
    if (count <= SINGLE_EDITS_MAX) return this.#editSingly(edits);
    const indices = new Uint16Array(count);
    const blocks = new Uint16Array(count);
    for (let at = 0; at < count; at++) {
      const edit = edits[at] as VoxelEdit;
      requireEditOf(this.volume, edit);
      indices[at] = edit.index;
      blocks[at] = edit.block;
    }
    return editTogether(this, { indices, blocks, count });
  }

  #editSingly(edits: readonly VoxelEdit[]): Chunk {
    let edited: Chunk = this;
    for (const edit of edits) {
      requireEdit(edit);
      edited = edited.set(edit.index, edit.block);
    }
    // One edit that changes nothing has returned this chunk already.
    return edits.length > 1 && this.equals(edited) ? this : edited;
  }

  /** Returns the chunk with one block in every voxel of a box, relative to the chunk's corner. */
  fill(shape: ChunkShape, box: Box, block: number): Chunk {
    requireInteger(block, 0, U16_MAX, "block");
    const checked = checkedShape(shape);
    requireInteger(checked.volume, this.volume, this.volume, "the volume of shape");
    const { min, max } = (typeof box === "object" ? (box ?? {}) : {}) as Partial<Box>;
    if (!isPosition(min) || !isPosition(max))
      throw wrongArgument("box", box, "it is { min, max }, two positions of four numbers");
    if (!isBox(min, max) || !boxContainsBox({ min: [0, 0, 0, 0], max: checked.extents }, { min, max })) {
      throw new OrthantError(
        "ORT_ARGUMENT",
        `box is [${min}] to [${max}], which is not inside [${checked.extents}]`,
      );
    }
    const voxels = this.voxels();
    for (let w = min[3]; w < max[3]; w++)
      for (let z = min[2]; z < max[2]; z++)
        for (let y = min[1]; y < max[1]; y++) {
          const row = indexInChunk(checked, 0, y, z, w);
          voxels.fill(block, row + min[0], row + max[0]);
        }
    const filled = chunkOf(packVoxels(voxels), this.data);
    return this.equals(filled) ? this : filled;
  }

  /** Copies the block of every voxel, x fastest, into an array of this length, by default a new one. */
  voxels(into: Uint16Array = new Uint16Array(this.volume)): Uint16Array {
    if (!(into instanceof Uint16Array)) throw wrongArgument("into", into, "it is a Uint16Array");
    requireInteger(into.length, this.volume, this.volume, "the length of into");
    return unpackVoxels(this.#voxels, into);
  }

  /** Returns how many voxels have another block than the one before, x running fastest; it may stop above `stepsMax`. */
  countSteps(stepsMax: number = this.volume): number {
    requireInteger(stepsMax, 0, U32_MAX, "stepsMax");
    const { indices, bitWidth, volume } = this.#voxels;
    return countSteps(indices, bitWidth, volume, stepsMax);
  }

  /** Calls `visit` for every voxel, x running fastest. */
  forEach(visit: (block: number, index: number) => void): void {
    const voxels = this.voxels();
    for (let index = 0; index < voxels.length; index++) visit(voxels[index] as number, index);
  }

  /** How many different blocks occur. */
  get blockCount(): number {
    return this.#voxels.palette.length;
  }

  /** Returns a copy of the blocks that occur, in the order of their first appearance. */
  blocks(): Uint16Array {
    return this.#voxels.palette.slice();
  }

  /** Returns a copy of the palette index of each voxel, packed according to rules C8 and C9. */
  packedIndices(): BigUint64Array {
    return new BigUint64Array(this.#voxels.indices.slice().buffer);
  }

  /** Writes the result of `packedIndices()` without copying it: a varint count, then a varint per word. */
  writeIndices(out: ByteWriter): void {
    const { buffer, byteOffset, length } = this.#voxels.indices;
    out.varUint(length / 2);
    out.varU64Array(new BigUint64Array(buffer, byteOffset, length / 2));
  }

  /** Writes the results of `blocks()` and `packedIndices()` without copying them before: two and eight bytes for each. */
  writeBlocksAndWords(out: ByteWriter): void {
    const { palette, indices } = this.#voxels;
    out.u16Array(palette);
    out.u32Array(indices);
  }

  /** Whether the other chunk has the same voxels, with the same data. */
  equals(other: Chunk): boolean {
    if (this === other) return true;
    if (!isChunk(other)) throw wrongArgument("other", other, "it is a chunk");
    // Often tells them apart without decoding either.
    if (this.uniformBlock !== other.uniformBlock || this.volume !== other.volume) return false;
    if (this.#differsWhereEdited(other) || other.#differsWhereEdited(this)) return false;
    const mine = this.#voxels;
    const theirs = other.#voxels;
    return (
      elementsEqual(mine.palette, theirs.palette) &&
      elementsEqual(mine.indices, theirs.indices) &&
      this.data.equals(other.data)
    );
  }

  get #voxels(): PaletteVoxels {
    if (this.#decoded === undefined) {
      this.#decoded = (this.#lazy as LazyVoxels).realize().#voxels;
      this.#lazy = undefined;
    }
    if (this.#waiting !== undefined) {
      this.#decoded = editVoxels(this.#decoded, this.#waiting);
      this.#waiting = undefined;
    }
    return this.#decoded;
  }

  /** Whether another chunk has another block at the last waiting edit, as the chunk before that edit has. */
  #differsWhereEdited(other: Chunk): boolean {
    const index = this.#waiting?.index;
    return index !== undefined && this.get(index) !== other.get(index);
  }
}

/** Returns a chunk with edits, which were checked; the same chunk if they change nothing. */
export function editTogether(chunk: Chunk, edits: BlockEdits): Chunk {
  if (edits.count === 0) return chunk;
  const packed = packedVoxels(chunk);
  const edit = edits.count * VOXELS_PER_EDIT <= packed.volume ? editFew : editMany;
  const edited = chunkOf(edit(packed, edits), chunk.data);
  return chunk.equals(edited) ? chunk : edited;
}

function editMany(packed: PaletteVoxels, { indices, blocks, count }: BlockEdits): PaletteVoxels {
  const voxels = unpackVoxels(packed, new Uint16Array(packed.volume));
  for (let at = 0; at < count; at++) voxels[indices[at] as number] = blocks[at] as number;
  return packVoxels(voxels);
}

function requireEditOf(volume: number, edit: VoxelEdit): void {
  requireEdit(edit);
  const { index, block } = edit;
  requireInteger(block, 0, U16_MAX, "block");
  if (typeof index !== "number" || index >>> 0 !== index || index >= volume)
    throw outsideChunk(index, volume);
}

function requireEdit(edit: unknown): void {
  if (typeof edit !== "object" || edit === null)
    throw wrongArgument("the edit", edit, "it is { index, block }");
}

/** Returns the shape, with fields that were read once. */
function checkedShape(shape: unknown): ChunkShape {
  const { extents, volume } = (typeof shape === "object" ? (shape ?? {}) : {}) as Partial<ChunkShape>;
  if (isPosition(extents) && typeof volume === "number") return { extents, volume };
  throw wrongArgument("shape", shape, "it is what chunkShape returns");
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === 4 && value.every((item) => typeof item === "number");
}

/** Returns the chunk with these voxels, x running fastest; copies the array. */
export function chunkFromVoxels(voxels: Uint16Array): Chunk {
  if (!(voxels instanceof Uint16Array)) throw wrongArgument("voxels", voxels, "it is a Uint16Array");
  requireVolume(voxels.length);
  return chunkOf(packVoxels(voxels));
}

/** Returns a chunk of one block, except for some runs of voxels. No run may contain the first voxel. */
export function chunkOfRuns(volume: number, block: number, runs: BlockRuns): Chunk {
  return chunkOf(packRuns(volume, block, runs));
}

/**
 * Returns a chunk whose blocks are those of `realize()`, which is called when they are first used. It must not fail:
 * whatever the blocks come from has been checked. It has no data.
 */
export function lazyChunk(lazy: LazyVoxels): Chunk {
  return new Chunk(lazy);
}

/** Whether a value is a chunk. */
export function isChunk(value: unknown): value is Chunk {
  return value instanceof Chunk;
}

/** Returns the chunk of one block; always the same object for the same volume and block. */
export function uniformChunk(volume: number, block: number): Chunk {
  requireVolume(volume);
  requireInteger(block, 0, U16_MAX, "block");
  const key = volume * (U16_MAX + 1) + block;
  return getOrAdd(uniformChunks, key, () => new Chunk(uniformVoxels(volume, block)));
}

/** Returns the chunk of air; always the same object for the same volume. */
export function emptyChunk(volume: number): Chunk {
  return uniformChunk(volume, AIR);
}

/** Throws `ORT_ARGUMENT` unless a chunk may have this many voxels. */
export function requireVolume(volume: number): void {
  requireInteger(volume, 1, CHUNK_VOXELS_MAX, "volume");
}

/** Uniform chunks without data are shared objects; all others are separate. */
function chunkOf(voxels: PaletteVoxels, data: VoxelData = VoxelData.NONE): Chunk {
  const { volume, palette } = voxels;
  const isShared = palette.length === 1 && data.size === 0;
  return isShared ? uniformChunk(volume, palette[0] as number) : new Chunk(voxels, data);
}

function outsideChunk(index: number, volume: number): OrthantError {
  return wrongArgument("index", index, `it is a whole number below ${volume}, the voxels of the chunk`);
}

/** Returns the edits that turn some voxels of one chunk into those of another, ordered by index. */
function diffVoxels(before: Chunk, after: Chunk, indices: ReadonlySet<number>): readonly VoxelEdit[] {
  return [...indices]
    .sort((a, b) => a - b)
    .map((index) => ({ index, block: after.get(index) }))
    .filter(({ index, block }) => block !== before.get(index));
}

/** Returns the edits that turn the blocks of one chunk into those of another, ordered by index. */
export function diffChunks(before: Chunk, after: Chunk): readonly VoxelEdit[] {
  requireInteger(after.volume, before.volume, before.volume);
  if (before === after) return [];
  const edited = editedSince(before, after);
  if (edited !== undefined) return diffVoxels(before, after, edited);
  const [old, young] = [packedVoxels(before), packedVoxels(after)];
  if (elementsEqual(old.palette, young.palette)) return diffIndices(old.indices, young);
  const edits: VoxelEdit[] = [];
  const [oldBlocks, blocks] = [before.voxels(), after.voxels()];
  for (let index = 0; index < blocks.length; index++)
    if (blocks[index] !== oldBlocks[index]) edits.push({ index, block: blocks[index] as number });
  return edits;
}
