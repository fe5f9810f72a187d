import {
  type Chunk,
  type ChunkShape,
  cellOfVoxel,
  chunkOfVoxel,
  type Place,
  PlaceMap,
  type VoxelEdit,
  type VoxelPlacement,
} from "@orthant/core";

interface PredictedVoxel extends VoxelEdit {
  readonly editId: number;
}

/** What is laid over one chunk, and what came out of it last. */
interface Layer {
  readonly voxels: readonly PredictedVoxel[];
  seen?: { readonly base: Chunk; readonly result: Chunk };
}

/** A guest's own edits that nobody has judged yet, laid over what the server says, in their order. */
export class Predictions {
  readonly #shape: ChunkShape;
  readonly #layers = new PlaceMap<Layer>();
  readonly #chunksByEdit = new Map<number, readonly Place[]>();

  constructor(shape: ChunkShape) {
    this.#shape = shape;
  }

  /** The chunks that have something laid over them. */
  chunks(): Iterable<Place> {
    return this.#layers.places();
  }

  /** Lays an edit over everything before it; gives the chunks. `ORT_PLACE_RANGE` for voxels off the lattice. */
  lay(editId: number, placements: readonly VoxelPlacement[]): readonly Place[] {
    const voxelsByChunk = new PlaceMap<PredictedVoxel[]>();
    for (const { voxel, material } of placements) {
      const chunk = chunkOfVoxel(this.#shape, voxel);
      const predicted = { editId, index: cellOfVoxel(this.#shape, ...voxel), material };
      const known = voxelsByChunk.get(...chunk);
      if (known === undefined) voxelsByChunk.set(...chunk, [predicted]);
      else known.push(predicted);
    }
    for (const [chunk, voxels] of voxelsByChunk) {
      const below = this.#layers.get(...chunk)?.voxels ?? [];
      this.#layers.set(...chunk, { voxels: [...below, ...voxels] });
    }
    const chunks = [...voxelsByChunk.places()];
    this.#chunksByEdit.set(editId, chunks);
    return chunks;
  }

  /** Takes an edit away from between the others; gives the chunks. */
  takeBack(editId: number): readonly Place[] {
    const chunks = this.#chunksByEdit.get(editId) ?? [];
    this.#chunksByEdit.delete(editId);
    for (const chunk of chunks) {
      const voxels = this.#layers.get(...chunk)?.voxels.filter((voxel) => voxel.editId !== editId) ?? [];
      if (voxels.length === 0) this.#layers.delete(...chunk);
      else this.#layers.set(...chunk, { voxels });
    }
    return chunks;
  }

  /** A chunk with what is laid over it. */
  over([x, y, z, w]: Place, base: Chunk): Chunk {
    const layer = this.#layers.get(x, y, z, w);
    if (layer === undefined) return base;
    if (layer.seen?.base !== base) layer.seen = { base, result: base.edit(layer.voxels) };
    return layer.seen.result;
  }
}
