import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { type Chunk, chunkFromVoxels, type VoxelEdit } from "./chunk.ts";
import { VOXELS_PER_EDIT } from "./edit-voxel.ts";

/**
 * The blocks of a chunk while they are edited in place. The chunk itself stays as it was: {@link chunk} returns another.
 */
export class ChunkEditor {
  /** The chunk before the edits. */
  readonly before: Chunk;
  // The edited voxels, while they are few: the first `#count` elements.
  #indices: Uint16Array | undefined;
  #blocks: Uint16Array | undefined;
  #count = 0;
  /** All blocks, once many are edited. */
  #all: Uint16Array | undefined;

  constructor(before: Chunk) {
    this.before = before;
  }

  /** Whether a voxel got another block, which may be its own again by now. */
  get isEdited(): boolean {
    return this.#count > 0;
  }

  /** Returns the block of a voxel. */
  get(index: number): number {
    return this.#blockAt(index, this.#find(index));
  }

  /** Sets the block of a voxel. Returns whether it had another. */
  set(index: number, block: number): boolean {
    const edit = this.#find(index);
    if (this.#blockAt(index, edit) === block) return false;
    requireInteger(block, 0, U16_MAX, "block");
    if (this.#all !== undefined) this.#all[index] = block;
    else if (edit >= 0) (this.#blocks as Uint16Array)[edit] = block;
    else this.#add(index, block);
    return true;
  }

  /** Returns which edit is that of a voxel; -1 if none is. */
  #find(index: number): number {
    if (this.#all !== undefined || this.#indices === undefined) return -1;
    let edit = this.#count - 1;
    while (edit >= 0 && this.#indices[edit] !== index) edit--;
    return edit;
  }

  #blockAt(index: number, edit: number): number {
    if (edit >= 0) return (this.#blocks as Uint16Array)[edit] as number;
    // The chunk throws for an index that is outside of it.
    return this.#all?.[index] ?? this.before.get(index);
  }

  #add(index: number, block: number): void {
    const few = Math.ceil(this.before.volume / VOXELS_PER_EDIT);
    this.#indices ??= new Uint16Array(few);
    this.#blocks ??= new Uint16Array(few);
    if (this.#count < few) {
      this.#indices[this.#count] = index;
      this.#blocks[this.#count++] = block;
      return;
    }
    this.#all = this.before.voxels();
    for (let edit = 0; edit < few; edit++)
      this.#all[this.#indices[edit] as number] = this.#blocks[edit] as number;
    this.#all[index] = block;
  }

  /** Returns the chunk with the edits. */
  chunk(): Chunk {
    if (this.#all !== undefined) return chunkFromVoxels(this.#all).withData(this.before.data);
    return this.before.edit(this.#fewEdits());
  }

  /** Returns the edited blocks, ascending by voxel; `undefined` if they are too many to be known one by one. */
  edits(): readonly VoxelEdit[] | undefined {
    return this.#all === undefined ? this.#fewEdits().sort((a, b) => a.index - b.index) : undefined;
  }

  #fewEdits(): VoxelEdit[] {
    return Array.from({ length: this.#count }, (_, edit) => ({
      index: this.#indices?.[edit] as number,
      block: this.#blocks?.[edit] as number,
    }));
  }
}
