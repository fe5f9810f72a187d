import type { Chunk, ChunkShape, Position, VoxelEdit } from "@orthant/core";
import {
  type BlockEdit,
  chunkOfVoxel,
  editBlocks,
  type IsSameType,
  PositionMap,
  type StateEdit,
  voxelIndex,
  type WorldState,
} from "@orthant/core/engine";

/** A chunk that a step reads or edits. */
interface StepChunk {
  readonly position: Position;
  /** The chunk before the step; `undefined` where nothing is loaded. */
  readonly chunk: Chunk | undefined;
  /** Edits of this step in order. */
  readonly edits: BlockEdit[];
  /** What the edits left, by voxel. */
  readonly after: Map<number, VoxelAfter>;
}

interface VoxelAfter {
  readonly block: number;
  readonly data: Uint8Array | undefined;
}

/** The voxels that a step works on: the world before the step, with the edits that the step made so far. */
export class StepVoxels {
  readonly #state: WorldState;
  readonly #shape: ChunkShape;
  readonly #isLoaded: (chunk: Position) => boolean;
  readonly #isSameType: IsSameType;
  readonly #chunks = new PositionMap<StepChunk>();
  /** The last chunk that was used: most reads are near the one before. */
  #last: StepChunk | undefined;

  constructor(state: WorldState, isLoaded: (chunk: Position) => boolean, isSameType: IsSameType) {
    this.#state = state;
    this.#shape = state.shape;
    this.#isLoaded = isLoaded;
    this.#isSameType = isSameType;
  }

  get shape(): ChunkShape {
    return this.#shape;
  }

  /** Returns the block of a voxel; `undefined` where nothing is loaded. */
  blockAt(voxel: Position): number | undefined {
    const { chunk, after } = this.#chunkOf(voxel);
    if (chunk === undefined) return undefined;
    const index = voxelIndex(this.#shape, ...voxel);
    return (after.size > 0 ? after.get(index)?.block : undefined) ?? chunk.get(index);
  }

  /** Returns the data of a voxel, shared; `undefined` if it has none. */
  dataAt(voxel: Position): Uint8Array | undefined {
    const { chunk, after } = this.#chunkOf(voxel);
    const index = voxelIndex(this.#shape, ...voxel);
    const edited = after.get(index);
    return edited === undefined ? chunk?.data.at(index) : edited.data;
  }

  /** Edits a voxel. Returns false, and does nothing, where nothing is loaded. */
  edit(voxel: Position, edit: Pick<BlockEdit, "block" | "data">): boolean {
    const target = this.#chunkOf(voxel);
    if (target.chunk === undefined) return false;
    const index = voxelIndex(this.#shape, ...voxel);
    const before = target.after.get(index) ?? {
      block: target.chunk.get(index),
      data: target.chunk.data.at(index),
    };
    const block = edit.block ?? before.block;
    const stays = edit.data === undefined && this.#isSameType(before.block, block);
    target.after.set(index, { block, data: stays ? before.data : (edit.data ?? undefined) });
    target.edits.push({ index, ...edit });
    return true;
  }

  /** Applies the edits to the world before the step. */
  apply(): StateEdit {
    const edited = [...this.#chunks.values()].filter(({ edits }) => edits.length > 0);
    return this.#state.setChunks(
      edited.map(({ position, chunk, edits }) => [
        position,
        editBlocks(chunk as Chunk, edits, this.#isSameType),
      ]),
    );
  }

  /** Returns the blocks that a chunk got, ascending by voxel, for the journal. */
  blocksOf(position: Position): readonly VoxelEdit[] {
    const after = this.#chunks.get(...position)?.after ?? new Map<number, VoxelAfter>();
    return Array.from(after, ([index, { block }]) => ({ index, block })).sort((a, b) => a.index - b.index);
  }

  #chunkOf(voxel: Position): StepChunk {
    const position = chunkOfVoxel(this.#shape, voxel);
    const [x, y, z, w] = position;
    const last = this.#last?.position;
    if (last !== undefined && last[0] === x && last[1] === y && last[2] === z && last[3] === w)
      return this.#last as StepChunk;
    let found = this.#chunks.get(x, y, z, w);
    if (found === undefined) {
      const chunk = this.#isLoaded(position) ? this.#state.findChunk(x, y, z, w) : undefined;
      found = { position, chunk, edits: [], after: new Map() };
      this.#chunks.set(x, y, z, w, found);
    }
    this.#last = found;
    return found;
  }
}
