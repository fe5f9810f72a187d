import { type Chunk, isOrthantError, type Position } from "@orthant/core";
import { CHUNK_DATA_BYTES_MAX, ChunkEditor, type IsSameType, type VoxelEdit } from "@orthant/core/chunk";
import type { ChunkTicks } from "../regions/loaded-ticks.ts";

/** Bytes that the data of a voxel takes besides its own, at most. */
const DATUM_HEAD_BYTES = 10;

/** What a step reads and changes in one chunk. */
export class StepChunk {
  readonly position: Position;
  /** The chunk before the step; `undefined` where nothing is loaded or can be changed. */
  readonly before: Chunk | undefined;
  /** Whether systems may read and change it. */
  readonly isInReach: boolean;
  /** The scheduled ticks, once they are used. */
  ticks: ChunkTicks | undefined;
  /** The blocks, once one is edited. */
  #editor: ChunkEditor | undefined;
  #data: Map<number, Uint8Array | undefined> | undefined;
  /** At least as many bytes as all data takes in a save. */
  #dataBytes = 0;

  constructor(position: Position, before: Chunk | undefined, isInReach: boolean) {
    this.position = position;
    this.before = before;
    this.isInReach = isInReach;
    this.#dataBytes = before?.data.byteLength ?? 0;
  }

  /** Whether a voxel was edited. */
  get isEdited(): boolean {
    return this.#editor?.isEdited === true || this.#data !== undefined;
  }

  /** Returns the block of a voxel; `undefined` where nothing is loaded. */
  blockAt(index: number): number | undefined {
    return (this.#editor ?? this.before)?.get(index);
  }

  /** Returns the data of a voxel, shared. */
  dataAt(index: number): Uint8Array | undefined {
    return this.#data?.has(index) === true ? this.#data.get(index) : this.before?.data.at(index);
  }

  /** Sets the block of a voxel. Its data stays if `isSameType` says so. */
  setBlock(index: number, block: number, isSameType: IsSameType): void {
    const { before } = this;
    if (before === undefined) return;
    const mayHaveData = this.#data !== undefined || before.data.size > 0;
    if (mayHaveData && this.dataAt(index) !== undefined && !isSameType(this.blockAt(index) as number, block))
      this.setData(index, undefined);
    this.#editor ??= new ChunkEditor(before);
    this.#editor.set(index, block);
  }

  /** Whether a chunk can hold this data besides that of its other voxels. */
  hasRoomFor(index: number, data: Uint8Array): boolean {
    if (this.#dataBytesWith(index, data) <= CHUNK_DATA_BYTES_MAX) return true;
    const { before } = this;
    if (before === undefined) return false;
    try {
      const edits = new Map(this.#data).set(index, data);
      const exact = before.data.edit(Array.from(edits, ([at, one]) => ({ index: at, data: one })));
      this.#dataBytes = exact.byteLength - this.#dataBytesWith(index, data) + this.#dataBytes;
      return true;
    } catch (error) {
      if (isOrthantError(error, "ORT_LIMIT")) return false;
      throw error;
    }
  }

  /** Sets the data of a voxel, `undefined` for none. There must be room for it. */
  setData(index: number, data: Uint8Array | undefined): void {
    this.#dataBytes = this.#dataBytesWith(index, data);
    this.#data ??= new Map();
    this.#data.set(index, data);
  }

  #dataBytesWith(index: number, data: Uint8Array | undefined): number {
    const added = data === undefined ? 0 : data.length + DATUM_HEAD_BYTES;
    return this.#dataBytes + added - (this.dataAt(index)?.length ?? 0);
  }

  /** Returns the chunk with all edits. */
  after(): Chunk | undefined {
    const { before } = this;
    if (before === undefined || !this.isEdited) return before;
    const edited = this.#editor?.chunk() ?? before;
    return this.#data === undefined
      ? edited
      : edited.editData(Array.from(this.#data, ([index, data]) => ({ index, data })));
  }

  /** Returns the blocks that the edits left, ascending by voxel; `undefined` if they were not recorded one by one. */
  blocks(): readonly VoxelEdit[] | undefined {
    return this.#editor === undefined ? [] : this.#editor.edits();
  }
}
