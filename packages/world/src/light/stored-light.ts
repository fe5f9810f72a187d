import { type Box, type Chunk, type ChunkShape, OrthantError, type Position } from "@orthant/core";
import {
  boxAt,
  chunkOfVoxel,
  positionsLexicographic,
  regionBox,
  regionsTouching,
} from "@orthant/core/lattice";
import { chunksInLightReach, type Light, type LitWorld, overridesAbove } from "@orthant/core/light";
import { type LitStateSource, StateLight } from "./state-light.ts";

/** A world of which a part is in memory. */
export interface StoredWorld extends LitStateSource {
  /** Whether everything that is stored for a chunk is in memory. */
  isLoaded(chunk: Position): boolean;
  /** Whether everything that is stored for a chunk and those above it is in memory. */
  isLoadedAbove(chunk: Position): boolean;
  /** Calls `use` while everything that is stored for a box of chunks and those above it is in memory. */
  whenLoadedAbove<Result>(chunks: Box, use: () => Promise<Result>): Promise<Result>;
}

/** The light of a world on disk. Reads what decides about it: all chunks in reach, and what is stored above. */
export class StoredLight {
  readonly #world: StoredWorld;
  readonly #light: StateLight;
  readonly #part: LoadedPart;

  constructor(world: StoredWorld) {
    this.#world = world;
    this.#part = new LoadedPart(world);
    this.#light = new StateLight(world, this.#part);
  }

  /** Returns the light of a voxel, if everything that can change it is in memory. */
  at(voxel: Position): Light | undefined {
    return this.#light.at(voxel);
  }

  /** Returns a copy of the light of a chunk, if everything that can change it is in memory. */
  atChunk(position: Position): Uint8Array | undefined {
    return this.#light.chunk(position);
  }

  /** Returns the light of a voxel when everything that can change it is in memory. */
  async of(voxel: Position): Promise<Light> {
    return this.#when(chunkOfVoxel(this.#part.shape, voxel), () => this.at(voxel));
  }

  /** Returns a copy of the light of a chunk when everything that can change it is in memory. */
  async ofChunk(position: Position): Promise<Uint8Array> {
    return this.#when(position, () => this.atChunk(position));
  }

  /** Whether everything that is stored for a box of chunks and those above it is in memory. */
  hasAbove({ min, max }: Box): boolean {
    const lowest = regionsTouching({ min, max: [max[0], min[1] + 1, max[2], max[3]] });
    for (const region of positionsLexicographic(lowest))
      if (!this.#world.isLoadedAbove(regionBox(region).min)) return false;
    return true;
  }

  /** Reads what is stored for a box of chunks and those above it. */
  loadAbove(chunks: Box): Promise<void> {
    return this.#world.whenLoadedAbove(chunks, () => Promise.resolve());
  }

  async #when<Result>(chunk: Position, read: () => Result | undefined): Promise<Result> {
    const known = read();
    if (known !== undefined) return known;
    const around = chunksInLightReach(this.#part.shape, boxAt(chunk));
    return this.#world.whenLoadedAbove(around, () => this.#whenGenerated(around, read));
  }

  /** Generates what only a promise can have: the chunks in reach, and of those above as many as it takes. */
  async #whenGenerated<Result>(around: Box, read: () => Result | undefined): Promise<Result> {
    const { state } = this.#world;
    const releases = state.generatesAsync ? [await state.keepGenerated([around])] : [];
    try {
      for (;;) {
        this.#part.missing = undefined;
        const found = read();
        if (found !== undefined) return found;
        const { missing } = this.#part;
        if (missing === undefined)
          throw new OrthantError("ORT_NOT_LOADED", `the light of chunks [${around.min}] to [${around.max}]`);
        releases.push(await this.#world.state.keepGenerated([boxAt(missing)]));
      }
    } finally {
      for (const release of releases) release();
    }
  }
}

/** The part of a world that is in memory. */
class LoadedPart implements LitWorld {
  /** The last chunk that only a promise can have. */
  missing: Position | undefined;
  readonly shape: ChunkShape;
  readonly #world: StoredWorld;

  constructor(world: StoredWorld) {
    this.#world = world;
    this.shape = world.state.shape;
  }

  get skyAbove(): number | undefined {
    return this.#world.state.skyAbove;
  }

  chunkAt(x: number, y: number, z: number, w: number): Chunk | undefined {
    const position: Position = [x, y, z, w];
    if (!this.#world.isLoaded(position) && !this.#world.isLoadedAbove(position)) return undefined;
    const chunk = this.#world.state.findChunk(x, y, z, w);
    if (chunk === undefined) this.missing = position;
    return chunk;
  }

  chunkAbove(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.chunkAt(x, y, z, w);
  }

  editedAbove(x: number, y: number, z: number, w: number): Iterable<Chunk> | undefined {
    if (!this.#world.isLoadedAbove([x, y, z, w])) return undefined;
    return overridesAbove(this.#world.state.overrides, x, y, z, w);
  }
}
