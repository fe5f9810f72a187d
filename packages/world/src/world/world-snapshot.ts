import type { Chunk, DataCodec, Dimensions, Light, Position } from "@orthant/core";
import type { Axes } from "@orthant/core/lattice";
import type { EngineSnapshot } from "../engine/engine-snapshot.ts";
import { KeyValueView } from "./key-value-store.ts";

/** A world at one moment. Later edits and saves do not affect it. */
export class WorldSnapshot<D extends Dimensions = Dimensions> {
  /** The key-value store as it was. */
  readonly store: KeyValueView;
  readonly #snapshot: EngineSnapshot;
  readonly #axes: Axes<D>;

  /** @internal */
  constructor(snapshot: EngineSnapshot, axes: Axes<D>, storeCodec: DataCodec) {
    this.store = new KeyValueView(snapshot.store, storeCodec);
    this.#snapshot = snapshot;
    this.#axes = axes;
  }

  /** Returns the block of a voxel. */
  async get(position: Position<D>): Promise<number> {
    return this.#snapshot.get(this.#axes.position("position", position));
  }

  /** Returns a chunk, by its position in chunks. */
  async chunk(chunkPosition: Position<D>): Promise<Chunk> {
    return this.#snapshot.chunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /** Returns the light of a voxel. */
  async light(position: Position<D>): Promise<Light> {
    return this.#snapshot.light.of(this.#axes.position("position", position));
  }

  /** Returns the light of a voxel at once, or `undefined` while something that can change it is not in memory. */
  lightAt(position: Position<D>): Light | undefined {
    return this.#snapshot.light.at(this.#axes.position("position", position));
  }

  /** Returns a copy of the light of a chunk, by its position in chunks. See `VoxelWorld`. */
  async chunkLight(chunkPosition: Position<D>): Promise<Uint8Array> {
    return this.#snapshot.light.ofChunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /** Returns the same at once, or `undefined` while something that can change it is not in memory. */
  chunkLightAt(chunkPosition: Position<D>): Uint8Array | undefined {
    return this.#snapshot.light.atChunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /** Releases the files. */
  close(): Promise<void> {
    return this.#snapshot.close();
  }
}
