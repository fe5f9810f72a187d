import { type Chunk, chunkFromVoxels, type Position, type VoxelEdit } from "@orthant/core";
import type { IsSameType } from "@orthant/core/engine";
import type { ChunkTicks } from "./tick-store.ts";

/** A chunk with more edited voxels than this is unpacked, because one voxel after the other would take longer. */
const SINGLE_EDITS_MAX = 8;

/** What a step reads and changes in one chunk. */
export class StepChunk {
  readonly position: Position;
  /** The chunk before the step; `undefined` where nothing is loaded. */
  readonly before: Chunk | undefined;
  /** The scheduled ticks, once they are used. */
  ticks: ChunkTicks | undefined;
  /** Edited blocks, while they are few. */
  #few: Map<number, number> | undefined;
  /** All blocks, once many are edited. */
  #all: Uint16Array | undefined;
  #data: Map<number, Uint8Array | undefined> | undefined;

  constructor(position: Position, before: Chunk | undefined) {
    this.position = position;
    this.before = before;
  }

  /** Whether a voxel was edited. */
  get isEdited(): boolean {
    return this.#few !== undefined || this.#data !== undefined;
  }

  /** Returns the block of a voxel; `undefined` where nothing is loaded. */
  blockAt(index: number): number | undefined {
    if (this.#all !== undefined) return this.#all[index];
    return this.#few?.get(index) ?? this.before?.get(index);
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
    this.#few ??= new Map();
    if (this.#all !== undefined) {
      this.#all[index] = block;
      return;
    }
    this.#few.set(index, block);
    if (this.#few.size <= SINGLE_EDITS_MAX) return;
    this.#all = before.voxels();
    for (const [edited, one] of this.#few) this.#all[edited] = one;
  }

  /** Sets the data of a voxel, `undefined` for none. */
  setData(index: number, data: Uint8Array | undefined): void {
    this.#data ??= new Map();
    this.#data.set(index, data);
  }

  /** Returns the chunk with all edits. */
  after(): Chunk | undefined {
    const { before } = this;
    if (before === undefined || !this.isEdited) return before;
    const edited =
      this.#all === undefined
        ? before.edit(Array.from(this.#few ?? [], ([index, block]) => ({ index, block })))
        : chunkFromVoxels(this.#all).withData(before.data);
    return this.#data === undefined
      ? edited
      : edited.editData(Array.from(this.#data, ([index, data]) => ({ index, data })));
  }

  /** Returns the blocks that the edits left, ascending by voxel; `undefined` if they were not recorded one by one. */
  blocks(): readonly VoxelEdit[] | undefined {
    if (this.#all !== undefined) return undefined;
    return Array.from(this.#few ?? [], ([index, block]) => ({ index, block })).sort(
      (a, b) => a.index - b.index,
    );
  }
}
