import type { BlockCatalog, Box, Chunk, ChunkShape, Position } from "@orthant/core";
import { boxAt, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import type { QueryDetail, RegionTree, WorldState } from "@orthant/core/tree";
import type { Save } from "@orthant/save";
import type { StoreMoment } from "../content/store-content.ts";
import { StoredLight } from "../light/stored-light.ts";
import { type RegionReader, upToTheTop } from "../regions/region-reader.ts";
import { type StoreReader, storeAt } from "./engine-store.ts";

/** The parts of a snapshot. */
interface SnapshotParts {
  readonly state: WorldState;
  readonly catalog: BlockCatalog;
  readonly moment: StoreMoment;
  readonly reader: RegionReader;
}

/** A world at one moment. Later edits and saves do not affect it. */
export class EngineSnapshot {
  readonly shape: ChunkShape;
  /** The key-value store as it was. */
  readonly store: StoreReader;
  readonly #save: Save;
  readonly #reader: RegionReader;
  /** The blocks as they were. */
  readonly catalog: BlockCatalog;
  #state: WorldState;
  #light: StoredLight | undefined;

  /**
   * Takes ownership of the moment's save and of the reader.
   *
   * @internal
   */
  constructor({ state, catalog, moment, reader }: SnapshotParts) {
    const { save } = moment;
    this.shape = state.shape;
    this.store = storeAt(moment);
    this.#state = state;
    this.catalog = catalog;
    this.#save = save;
    this.#reader = reader;
  }

  /** Returns the block of a voxel. */
  async get(position: Position): Promise<number> {
    const chunk = await this.chunk(chunkOfVoxel(this.shape, position));
    return chunk.get(voxelIndex(this.shape, ...position));
  }

  /** Returns the voxels of a chunk. */
  async chunk(position: Position): Promise<Chunk> {
    await this.load(boxAt(position));
    const state = this.#state;
    if (!state.generatesAsync) return state.realizeChunk(...position);
    return state.overrides.at(...position) ?? state.generateChunk(position);
  }

  /** Returns the contents of a box of chunks. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    await this.load(box);
    const state = this.#state;
    if (detail === "symbolic" || !state.generatesAsync) return state.queryRegion(box, detail);
    return (await state.generateBox(box).result).under(state.overrides.slice(box));
  }

  /** The chunks that are in memory. */
  get state(): WorldState {
    return this.#state;
  }

  /** Whether everything in a box of chunks has been read. Always false for a very large box. */
  isLoaded(box: Box): boolean {
    return this.#reader.isLoaded(box);
  }

  /** The light of this moment. */
  get light(): StoredLight {
    this.#light ??= this.#newLight();
    return this.#light;
  }

  /** Reads a box of chunks from the disk, so that later queries need not wait. */
  async load(box: Box): Promise<void> {
    await this.#reader.load(box, ({ overrides }) => {
      this.#state = this.#state.withOverrides(overrides.merge(this.#state.overrides));
    });
  }

  #newLight(): StoredLight {
    const reader = this.#reader;
    const state = (): WorldState => this.#state;
    return new StoredLight({
      get state() {
        return state();
      },
      catalog: this.catalog,
      isLoaded: (chunk) => reader.isLoaded(boxAt(chunk)),
      isLoadedAbove: (chunk) => reader.isLoadedAbove(chunk),
      whenLoadedAbove: async (chunks, use) => {
        await this.load(upToTheTop(chunks));
        reader.loadedAbove(chunks);
        return use();
      },
    });
  }

  /** Releases the files. */
  async close(): Promise<void> {
    await this.#save.close();
  }
}
