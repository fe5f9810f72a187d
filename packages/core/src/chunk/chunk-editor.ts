import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { type Chunk, chunkFromVoxels, editTogether, type VoxelEdit } from "./chunk.ts";
import { VOXELS_PER_EDIT } from "./edit-voxel.ts";

const NOTHING = new Uint16Array(0);

/** Above one edit for this number of voxels, each is looked up in a table. */
const VOXELS_PER_LISTED_EDIT = 64;

/**
 * The blocks of a chunk while they are edited in place. The chunk itself stays as it was: {@link chunk} returns another.
 */
export class ChunkEditor {
  /** The chunk before the edits. */
  readonly before: Chunk;
  // The edited voxels and their blocks, until they are too many: the first `#count` elements.
  #indices: Uint16Array = NOTHING;
  #blocks: Uint16Array = NOTHING;
  #count = 0;
  /** For each voxel which edit may be its own, once they are many. */
  #edits: Uint16Array | undefined;
  /** All blocks, once too many are edited to list them. */
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
    else if (edit >= 0) this.#blocks[edit] = block;
    else this.#add(index, block);
    return true;
  }

  /** Returns which edit is that of a voxel; -1 if none is listed. */
  #find(index: number): number {
    const indices = this.#indices;
    if (this.#edits !== undefined) {
      // For a voxel without an edit the table has zero.
      const edit = this.#edits[index] ?? 0;
      return indices[edit] === index ? edit : -1;
    }
    let edit = this.#all === undefined ? this.#count - 1 : -1;
    while (edit >= 0 && indices[edit] !== index) edit--;
    return edit;
  }

  #blockAt(index: number, edit: number): number {
    if (edit >= 0) return this.#blocks[edit] as number;
    // The chunk throws for an index that is outside of it.
    return this.#all?.[index] ?? this.before.get(index);
  }

  #add(index: number, block: number): void {
    if (this.#count === this.#indices.length) this.#makeRoom();
    if (this.#all !== undefined) {
      this.#all[index] = block;
      return;
    }
    if (this.#edits !== undefined) this.#edits[index] = this.#count;
    this.#indices[this.#count] = index;
    this.#blocks[this.#count++] = block;
  }

  /** Makes room for more edits, or unpacks all blocks. */
  #makeRoom(): void {
    const { volume } = this.before;
    const count = this.#count;
    if (count * VOXELS_PER_EDIT >= volume) {
      this.#unpack();
      return;
    }
    const isFirst = count === 0;
    const room = Math.ceil(volume / (isFirst ? VOXELS_PER_LISTED_EDIT : VOXELS_PER_EDIT));
    const [indices, blocks] = [new Uint16Array(room), new Uint16Array(room)];
    indices.set(this.#indices);
    blocks.set(this.#blocks);
    this.#indices = indices;
    this.#blocks = blocks;
    if (isFirst) return;
    this.#edits = new Uint16Array(volume);
    for (let edit = 0; edit < count; edit++) this.#edits[indices[edit] as number] = edit;
  }

  #unpack(): void {
    const all = this.before.voxels();
    for (let edit = 0; edit < this.#count; edit++)
      all[this.#indices[edit] as number] = this.#blocks[edit] as number;
    this.#all = all;
    this.#edits = undefined;
    this.#indices = NOTHING;
    this.#blocks = NOTHING;
  }

  /** Returns the chunk with the edits. */
  chunk(): Chunk {
    if (this.#all !== undefined) return chunkFromVoxels(this.#all).withData(this.before.data);
    return editTogether(this.before, { indices: this.#indices, blocks: this.#blocks, count: this.#count });
  }

  /** Returns the edited blocks, ascending by voxel; `undefined` if they are too many to be known one by one. */
  edits(): readonly VoxelEdit[] | undefined {
    if (this.#all !== undefined) return undefined;
    return Array.from({ length: this.#count }, (_, edit) => ({
      index: this.#indices[edit] as number,
      block: this.#blocks[edit] as number,
    })).sort((a, b) => a.index - b.index);
  }
}
