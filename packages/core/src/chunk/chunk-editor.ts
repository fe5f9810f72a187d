import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { type Chunk, chunkFromVoxels, type VoxelEdit } from "./chunk.ts";

/** A chunk with more edited voxels than this is unpacked, because one voxel after the other would take longer. */
const SINGLE_EDITS_MAX = 8;

/**
 * The blocks of a chunk while they are edited in place. The chunk itself stays as it was: {@link chunk} returns another.
 */
export class ChunkEditor {
  /** The chunk before the edits. */
  readonly before: Chunk;
  /** The edited blocks, while they are few. */
  #few: Map<number, number> | undefined;
  /** All blocks, once many are edited. */
  #all: Uint16Array | undefined;

  constructor(before: Chunk) {
    this.before = before;
  }

  /** Whether a voxel got another block, which may be its own again by now. */
  get isEdited(): boolean {
    return this.#few !== undefined;
  }

  /** Returns the block of a voxel. */
  get(index: number): number {
    // The chunk throws for an index that is outside of it.
    return this.#all?.[index] ?? this.#few?.get(index) ?? this.before.get(index);
  }

  /** Sets the block of a voxel. Returns whether it had another. */
  set(index: number, block: number): boolean {
    if (this.get(index) === block) return false;
    requireInteger(block, 0, U16_MAX, "block");
    this.#few ??= new Map();
    if (this.#all !== undefined) {
      this.#all[index] = block;
      return true;
    }
    this.#few.set(index, block);
    if (this.#few.size <= SINGLE_EDITS_MAX) return true;
    this.#all = this.before.voxels();
    for (const [edited, one] of this.#few) this.#all[edited] = one;
    return true;
  }

  /** Returns the chunk with the edits. */
  chunk(): Chunk {
    if (this.#all !== undefined) return chunkFromVoxels(this.#all).withData(this.before.data);
    return this.before.edit(Array.from(this.#few ?? [], ([index, block]) => ({ index, block })));
  }

  /** Returns the edited blocks, ascending by voxel; `undefined` if they are too many to be known one by one. */
  edits(): readonly VoxelEdit[] | undefined {
    if (this.#all !== undefined) return undefined;
    const edits = Array.from(this.#few ?? [], ([index, block]) => ({ index, block }));
    return edits.sort((a, b) => a.index - b.index);
  }
}
