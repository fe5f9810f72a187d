import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { type Chunk, chunkFromVoxels, editTogether, type VoxelEdit } from "./chunk.ts";
import { type BlockEdits, VOXELS_PER_EDIT } from "./edit-voxel.ts";

/** Up to one edit for this number of voxels is looked up in a list. */
const VOXELS_PER_LISTED_EDIT = 64;

/**
 * The blocks of a chunk while they are edited in place. The chunk itself stays as it was: {@link chunk} returns another.
 */
export class ChunkEditor {
  /** The chunk before the edits. */
  readonly before: Chunk;
  /** The edited voxels, the first `#count` elements, until they are too many; some may be there twice if all blocks are. */
  #indices: Uint16Array | undefined;
  /** Their blocks, until all blocks are there. */
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
    if (edit >= 0) (this.#blocks as Uint16Array)[edit] = block;
    else this.#add(index, block);
    return true;
  }

  /** Returns which edit is that of a voxel; -1 if none is, and once all blocks are there. */
  #find(index: number): number {
    if (this.#blocks === undefined) return -1;
    const indices = this.#indices as Uint16Array;
    let edit = this.#count - 1;
    while (edit >= 0 && indices[edit] !== index) edit--;
    return edit;
  }

  #blockAt(index: number, edit: number): number {
    if (edit >= 0) return (this.#blocks as Uint16Array)[edit] as number;
    // The chunk throws for an index that is outside of it.
    return this.#all?.[index] ?? this.before.get(index);
  }

  #add(index: number, block: number): void {
    const { volume } = this.before;
    if (this.#indices === undefined) {
      const listed = Math.ceil(volume / VOXELS_PER_LISTED_EDIT);
      this.#indices = new Uint16Array(listed);
      this.#blocks = new Uint16Array(listed);
    }
    if (this.#all === undefined && this.#count === this.#indices.length) this.#unpack();
    if (this.#all !== undefined) this.#all[index] = block;
    else (this.#blocks as Uint16Array)[this.#count] = block;
    if (this.#count < this.#indices.length) this.#indices[this.#count] = index;
    this.#count++;
  }

  /** Unpacks all blocks. The list goes on without blocks. */
  #unpack(): void {
    const { before } = this;
    const [indices, blocks] = [this.#indices as Uint16Array, this.#blocks as Uint16Array];
    this.#all = before.voxels();
    for (let edit = 0; edit < this.#count; edit++)
      this.#all[indices[edit] as number] = blocks[edit] as number;
    this.#blocks = undefined;
    this.#indices = new Uint16Array(Math.ceil(before.volume / VOXELS_PER_EDIT));
    this.#indices.set(indices);
  }

  /** Returns the chunk with the edits. */
  chunk(): Chunk {
    const listed = this.#listed();
    if (listed !== undefined) return editTogether(this.before, listed);
    return chunkFromVoxels(this.#all as Uint16Array).withData(this.before.data);
  }

  /** Returns the edited blocks, ascending by voxel; `undefined` if they are too many to be known one by one. */
  edits(): readonly VoxelEdit[] | undefined {
    const listed = this.#listed();
    if (listed === undefined) return undefined;
    const { indices, blocks, count } = listed;
    const edits = Array.from({ length: count }, (_, at) => ({
      index: indices[at] as number,
      block: blocks[at] as number,
    })).sort((a, b) => a.index - b.index);
    return this.#all === undefined ? edits : edits.filter(({ index }, at) => index !== edits[at - 1]?.index);
  }

  /** Returns the edited voxels with their blocks; `undefined` if they are too many. */
  #listed(): BlockEdits | undefined {
    const count = this.#count;
    const indices = this.#indices ?? NOTHING;
    if (this.#all === undefined) return { indices, blocks: this.#blocks ?? NOTHING, count };
    if (count > indices.length) return undefined;
    const blocks = new Uint16Array(count);
    for (let edit = 0; edit < count; edit++) blocks[edit] = this.#all[indices[edit] as number] as number;
    return { indices, blocks, count };
  }
}

const NOTHING = new Uint16Array(0);
