import {
  type BlockCatalog,
  type Chunk,
  type ChunkShape,
  GeneratorRegistry,
  type Position,
} from "@orthant/core";
import type { SeededGenerator } from "@orthant/core/generate";
import {
  boxAt,
  boxContains,
  chunkOfVoxel,
  chunksOfRegions,
  positionsLexicographic,
  regionOf,
  regionsTouching,
  voxelIndex,
  voxelsOfChunks,
} from "@orthant/core/lattice";
import { WorldState } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { FakeTime, type Prng } from "@orthant/testkit";
import {
  createWorldEngine,
  type EngineOptions,
  openWorldEngine,
  type WorldEngine,
} from "@orthant/world/engine";
import {
  BLOCKS,
  chunksAround,
  chunksInReach,
  difference,
  GROUND_HEIGHT,
  modelLight,
  placeNear,
  randomLand,
  randomPlace,
  randomPlacements,
} from "./lit-land.ts";

/** Edits between two comparisons: few as often as many. */
const EDITS_MAX = 1_200;
/** Memory of worlds that unload most of what they read. */
const LITTLE_BYTES = 30_000;

/** A small world on disk that is edited at random, whose light is compared with a plain model's. */
export class EngineCase {
  readonly shape: ChunkShape;
  /** Edits so far. */
  edits = 0;
  readonly #prng: Prng;
  readonly #disk: MemoryDisk;
  readonly #options: EngineOptions;
  #world: WorldEngine;
  /** The same world, all of it in memory. */
  #model: WorldState;
  #ceiling = GROUND_HEIGHT;

  private constructor(
    prng: Prng,
    disk: MemoryDisk,
    options: EngineOptions,
    world: WorldEngine,
    model: WorldState,
  ) {
    this.#prng = prng;
    this.#disk = disk;
    this.#options = options;
    this.#world = world;
    this.#model = model;
    this.shape = world.shape;
  }

  static async create(prng: Prng, shapes: readonly ChunkShape[]): Promise<EngineCase> {
    const shape = prng.pick(shapes);
    const { ref, generator }: SeededGenerator = randomLand(shape, prng);
    const generators = new GeneratorRegistry([generator]);
    const disk = new MemoryDisk();
    const little = prng.below(2) === 0 ? { loadedBytesMax: LITTLE_BYTES } : {};
    const options = { generators, time: new FakeTime(), autosave: false, ...little };
    const world = await createWorldEngine(disk, { shape, generator: ref, catalog: BLOCKS }, options);
    return new EngineCase(prng, disk, options, world, WorldState.open({ generators, generator: ref, shape }));
  }

  /** Makes some edits, looks at some light in between, and returns the first difference from the model. */
  async round(): Promise<string | undefined> {
    const prng = this.#prng;
    for (let count = 1 + prng.below(1 + prng.below(EDITS_MAX)); count > 0; count--) {
      await this.#edit();
      if (prng.below(12) === 0) await this.#world.light.of(this.#place());
      if (prng.below(12) === 0) this.#world.light.at(this.#place());
    }
    const happening = prng.below(6);
    if (happening === 0) await this.#world.save();
    if (happening === 1) await this.#reopen();
    if (happening === 2) await this.#world.blocks.change("torch", { light: prng.below(16) });
    const chunk = chunkOfVoxel(this.shape, this.#place());
    if (prng.below(2) === 0) await this.#world.light.ofChunk(chunk);
    await this.#edit(placeNear(this.shape, chunk, prng));
    return (await this.#compareSnapshot(chunk)) ?? (await this.#compare(chunk)) ?? this.#compareStep(chunk);
  }

  async close(): Promise<void> {
    await this.#world.close();
  }

  async #edit(place?: Position): Promise<void> {
    const placements = randomPlacements(this.shape, this.#prng, place);
    const { state, chunks } = this.#model.setVoxels(placements);
    this.#model = state;
    for (const chunk of chunks)
      this.#ceiling = Math.max(this.#ceiling, voxelsOfChunks(this.shape, boxAt(chunk)).max[1]);
    await this.#world.edit(placements);
    this.edits++;
  }

  async #reopen(): Promise<void> {
    await this.#world.close();
    this.#world = await openWorldEngine(this.#disk, this.#options);
  }

  async #compare(chunk: Position): Promise<string | undefined> {
    const wanted = this.#wanted(chunk, this.#model);
    const { light } = this.#world;
    const atOnce = light.atChunk(chunk);
    return (
      (atOnce && difference("at once", atOnce, wanted)) ??
      difference("of a world", await light.ofChunk(chunk), wanted)
    );
  }

  /** Compares a snapshot, often after a later edit. */
  async #compareSnapshot(chunk: Position): Promise<string | undefined> {
    const model = this.#model;
    const { catalog } = this.#world;
    const snapshot = this.#world.snapshot();
    try {
      for (let count = this.#prng.below(4); count > 0; count--) await this.#edit();
      return difference(
        "of a snapshot",
        await snapshot.light.ofChunk(chunk),
        this.#wanted(chunk, model, catalog),
      );
    } finally {
      await snapshot.close();
    }
  }

  /** Compares what a step sees, which reaches some regions. */
  async #compareStep(chunk: Position): Promise<string | undefined> {
    const prng = this.#prng;
    const world = this.#world;
    const reach = regionsTouching(chunksAround(this.shape, chunk, prng.below(8)));
    const isInReach = (region: Position): boolean => boxContains(reach, region);
    const release = world.keep(chunksOfRegions(reach));
    await world.load(chunksOfRegions(reach));
    const voxels = voxelsOfChunks(this.shape, boxAt(chunk));
    const found = new Uint8Array(this.shape.volume);
    let isUnknown = false;
    const onReach = (): (() => void) => () => undefined;
    const end = world.steps.begin();
    await world.steps.make({ isActive: isInReach, isInReach, onReach }, (step) => {
      for (const voxel of positionsLexicographic(voxels)) {
        const { light } = step.moveTo(...voxel);
        if (light === undefined) isUnknown = true;
        else found[voxelIndex(this.shape, ...voxel)] = 16 * light.sky + light.block;
      }
    });
    end();
    release();
    const isKnown = [...positionsLexicographic(chunksInReach(this.shape, chunk))].every((position) =>
      isInReach(regionOf(position)),
    );
    if (isKnown === isUnknown)
      return `in a step: the light of chunk [${chunk}] is ${isKnown ? "not " : ""}known`;
    if (isUnknown) return undefined;
    const chunkAt = (position: Position): Chunk =>
      isInReach(regionOf(position))
        ? this.#model.realizeChunk(...position)
        : this.#model.generatedChunk(...position);
    return difference("in a step", found, this.#light(chunk, chunkAt));
  }

  #wanted(chunk: Position, model: WorldState, catalog?: BlockCatalog): Uint8Array {
    return this.#light(chunk, (position) => model.realizeChunk(...position), catalog);
  }

  #light(
    chunk: Position,
    chunkAt: (position: Position) => Chunk,
    catalog: BlockCatalog = this.#world.catalog,
  ): Uint8Array {
    const { skyAbove } = this.#model;
    return modelLight({ shape: this.shape, catalog, skyAbove, ceiling: this.#ceiling, chunkAt }, chunk);
  }

  #place(): Position {
    return randomPlace(this.shape, this.#prng);
  }
}
