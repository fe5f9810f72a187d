import type { BlockCatalog, Chunk, ChunkShape, DataCodec, Dimensions, Light, Position } from "@orthant/core";
import type { Axes } from "@orthant/core/lattice";
import type { EngineSnapshot } from "../engine/engine-snapshot.ts";
import { KeyValueView } from "./key-value-store.ts";

/** A world at one moment. Later edits and saves do not affect it. */
export class WorldSnapshot<D extends Dimensions = Dimensions> {
  /** The key-value store as it was. */
  readonly store: KeyValueView;
  /** The same moment with four axes, for the other packages of Orthant. */
  readonly engine: EngineSnapshot;
  readonly #axes: Axes<D>;

  /** @internal */
  constructor(snapshot: EngineSnapshot, axes: Axes<D>, storeCodec: DataCodec) {
    this.store = new KeyValueView(snapshot.store, storeCodec);
    this.engine = snapshot;
    this.#axes = axes;
  }

  get dimensions(): D {
    return this.#axes.dimensions;
  }

  get chunkShape(): ChunkShape {
    return this.engine.shape;
  }

  /** The blocks as they were. */
  get blocks(): BlockCatalog {
    return this.engine.catalog;
  }

  /** Returns the block of a voxel. */
  async get(position: Position<D>): Promise<number> {
    return this.engine.get(this.#axes.position("position", position));
  }

  /** Returns a chunk, by its position in chunks. */
  async chunk(chunkPosition: Position<D>): Promise<Chunk> {
    return this.engine.chunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /** Returns the light of a voxel. */
  async light(position: Position<D>): Promise<Light> {
    return this.engine.light.of(this.#axes.position("position", position));
  }

  /** Returns the light of a voxel at once, or `undefined` while something that can change it is not in memory. */
  lightAt(position: Position<D>): Light | undefined {
    return this.engine.light.at(this.#axes.position("position", position));
  }

  /** Returns a copy of the light of a chunk, by its position in chunks. See `VoxelWorld`. */
  async chunkLight(chunkPosition: Position<D>): Promise<Uint8Array> {
    return this.engine.light.ofChunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /** Returns the same at once, or `undefined` while something that can change it is not in memory. */
  chunkLightAt(chunkPosition: Position<D>): Uint8Array | undefined {
    return this.engine.light.atChunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /** Releases the files. */
  close(): Promise<void> {
    return this.engine.close();
  }
}
