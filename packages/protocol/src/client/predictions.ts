import {
  type Chunk,
  type ChunkShape,
  chunkOfVoxel,
  type Position,
  PositionMap,
  type VoxelEdit,
  type VoxelPlacement,
  voxelIndex,
} from "@orthant/core";

interface PredictedVoxel extends VoxelEdit {
  readonly editId: number;
}

/** The predicted voxels over one chunk, and the latest result of applying them. */
interface Layer {
  readonly voxels: readonly PredictedVoxel[];
  seen?: { readonly base: Chunk; readonly result: Chunk };
}

/** A client's own edits without results, applied in order over the state from the server. */
export class Predictions {
  readonly #shape: ChunkShape;
  readonly #layers = new PositionMap<Layer>();
  readonly #chunksByEdit = new Map<number, readonly Position[]>();

  constructor(shape: ChunkShape) {
    this.#shape = shape;
  }

  /** Returns the chunks that have predictions. */
  chunks(): Iterable<Position> {
    return this.#layers.positions();
  }

  /** Applies an edit over earlier ones and returns its chunks. Throws `ORT_POSITION_RANGE` off the lattice. */
  lay(editId: number, placements: readonly VoxelPlacement[]): readonly Position[] {
    const voxelsByChunk = new PositionMap<PredictedVoxel[]>();
    for (const { voxel, block } of placements) {
      const chunk = chunkOfVoxel(this.#shape, voxel);
      const predicted = { editId, index: voxelIndex(this.#shape, ...voxel), block };
      const known = voxelsByChunk.get(...chunk);
      if (known === undefined) voxelsByChunk.set(...chunk, [predicted]);
      else known.push(predicted);
    }
    for (const [chunk, voxels] of voxelsByChunk) {
      const below = this.#layers.get(...chunk)?.voxels ?? [];
      this.#layers.set(...chunk, { voxels: [...below, ...voxels] });
    }
    const chunks = [...voxelsByChunk.positions()];
    this.#chunksByEdit.set(editId, chunks);
    return chunks;
  }

  /** Removes an edit from between the others. Returns its chunks. */
  takeBack(editId: number): readonly Position[] {
    const chunks = this.#chunksByEdit.get(editId) ?? [];
    this.#chunksByEdit.delete(editId);
    for (const chunk of chunks) {
      const voxels = this.#layers.get(...chunk)?.voxels.filter((voxel) => voxel.editId !== editId) ?? [];
      if (voxels.length === 0) this.#layers.delete(...chunk);
      else this.#layers.set(...chunk, { voxels });
    }
    return chunks;
  }

  /** Returns a chunk with its predictions applied. */
  over([x, y, z, w]: Position, base: Chunk): Chunk {
    const layer = this.#layers.get(x, y, z, w);
    if (layer === undefined) return base;
    if (layer.seen?.base !== base) layer.seen = { base, result: base.edit(layer.voxels) };
    return layer.seen.result;
  }
}
