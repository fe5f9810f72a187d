import {
  Axes,
  BlockCatalog,
  type ChunkShape,
  CUBE_CHUNKS,
  type Dimensions,
  dimensionsOf,
  type GeneratorRegistry,
  type GeneratorSource,
  generatorsOf,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  isSeededGenerator,
  OrthantError,
  requireKnownFields,
  requireObject,
  type SeededGenerator,
  TILE_CHUNKS,
  type Vector,
  wrongArgument,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { hasSave } from "@orthant/save";
import { World } from "../world.ts";
import type { StoreOptions, WorldLimits } from "../world-options.ts";
import type { WorldStore } from "../world-store.ts";
import { createWorldStore, openWorldStore } from "./open-store.ts";

/** What a new world is like. */
export interface NewWorld<D extends Dimensions> {
  /** The number of axes, for ever: 2 for tiles, 3 for blocks, 4 for one more. */
  readonly dimensions: D;
  readonly name?: string;
  /** Fills the space that has not been edited, such as `terrain({ seed: 7n })`. Default: nothing, only air. */
  readonly generator?: SeededGenerator;
  /** The blocks by name. Default: `DEFAULT_BLOCKS`. */
  readonly blocks?: BlockCatalog;
  /** Where players start, in voxels. */
  readonly spawn?: Vector<D>;
  /** The number of voxels of a chunk. Default: 32 x 32, 16 x 16 x 16 or 8 x 8 x 8 x 8. */
  readonly chunkShape?: ChunkShape;
  /** Thresholds of the save, fixed for its lifetime. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<WorldLimits>;
}

/** Options for opening a world. */
export interface WorldOptions<D extends Dimensions = Dimensions> extends Omit<StoreOptions, "generators"> {
  /** The program's own generators, such as `[hills]`, besides those that come with Orthant. */
  readonly generators?: GeneratorRegistry | readonly GeneratorSource[];
  /** The number of axes that the program expects. A world with another number is refused. */
  readonly dimensions?: D;
}

const CHUNK_SHAPES: Readonly<Record<Dimensions, ChunkShape>> = {
  2: TILE_CHUNKS,
  3: CUBE_CHUNKS,
  4: HYPERCUBE_CHUNKS,
};
const NEW_WORLD_FIELDS: readonly (keyof NewWorld<3>)[] = [
  "dimensions",
  "name",
  "generator",
  "blocks",
  "spawn",
  "chunkShape",
  "limits",
];

/** Creates a world on an empty disk and opens it. Throws `ORT_NOT_EMPTY` when the disk is not empty. */
export async function createWorld<D extends Dimensions>(
  disk: Disk,
  world: NewWorld<D>,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  const shape = chunkShapeOf(world);
  const { name, generator, blocks, spawn, limits } = world;
  const store = await createWorldStore(
    disk,
    {
      shape,
      ...(name !== undefined && { name }),
      ...(generator !== undefined && { generator: generator.ref }),
      ...(blocks !== undefined && { catalog: blocks }),
      ...(spawn !== undefined && { spawn: new Axes<D>(shape).vector("spawn", spawn) }),
      ...(limits !== undefined && { limits }),
    },
    storeOptions(options, generator),
  );
  return new World(store);
}

/**
 * Opens the world on a disk, for writing, which only one process can do at a time, or read-only. Throws
 * `ORT_LOCKED` when another process writes to it and `ORT_NOT_FOUND` when there is none.
 */
export async function openWorld<D extends Dimensions = Dimensions>(
  disk: Disk,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  const store = await openWorldStore(disk, storeOptions(options));
  return asWorld(store, options.dimensions);
}

/**
 * Opens the world on a disk, or creates it when there is none. `world` describes the new world; an existing one keeps
 * its own name, blocks and spawn, and is refused if its dimensions, chunks or generator are others.
 */
export async function openOrCreateWorld<D extends Dimensions>(
  disk: Disk,
  world: NewWorld<D>,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  chunkShapeOf(world);
  requireDisk(disk);
  if (await hasSave(disk)) return openKnown(disk, world, options);
  try {
    return await createWorld(disk, world, options);
  } catch (error) {
    // Another process may have created it since; only one of the two can open it for writing.
    if (isOrthantError(error, "ORT_NOT_EMPTY") && (await hasSave(disk)))
      return openKnown(disk, world, options);
    throw error;
  }
}

async function openKnown<D extends Dimensions>(
  disk: Disk,
  { dimensions, generator }: NewWorld<D>,
  options: WorldOptions<D>,
): Promise<World<D>> {
  return asWorld(await openWorldStore(disk, storeOptions(options, generator)), dimensions);
}

/** Returns the face of a store. Closes the store when it does not have the expected dimensions. */
async function asWorld<D extends Dimensions>(store: WorldStore, expected: D | undefined): Promise<World<D>> {
  const found = dimensionsOf(store.shape);
  if (expected === undefined || expected === found) return new World<D>(store);
  await store.close();
  throw new OrthantError(
    "ORT_ARGUMENT",
    `this world has ${found} dimensions, and the program asks for ${String(expected)}: open it with dimensions: ${found}, or take another folder`,
  );
}

/** Returns the chunk shape of a new world. Throws `ORT_ARGUMENT` for a description that makes no sense. */
function chunkShapeOf<D extends Dimensions>(world: NewWorld<D>): ChunkShape {
  requireObject(
    "the new world",
    world,
    "it is an object such as { dimensions: 3, generator: terrain({ seed: 7n }) }",
  );
  requireKnownFields("a new world", world, NEW_WORLD_FIELDS);
  const { dimensions, blocks, generator, chunkShape } = world;
  if (dimensions !== 2 && dimensions !== 3 && dimensions !== 4) {
    throw wrongArgument("dimensions", dimensions, "it is 2, 3 or 4");
  }
  if (blocks !== undefined && !(blocks instanceof BlockCatalog)) {
    throw wrongArgument("blocks", blocks, "it is a BlockCatalog: write new BlockCatalog([...])");
  }
  if (generator !== undefined && !isSeededGenerator(generator)) {
    throw wrongArgument(
      "generator",
      generator,
      "it is a generator with a seed, such as terrain({ seed: 7n })",
    );
  }
  if (chunkShape === undefined) return CHUNK_SHAPES[dimensions];
  requireObject("chunkShape", chunkShape, "it is what chunkShape([16, 16, 16]) returns");
  const axes = dimensionsOf(chunkShape);
  if (axes === dimensions) return chunkShape;
  const detail = `chunks of [${chunkShape.extents}] voxels are for a world of ${axes} dimensions, and this one has ${dimensions}`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

/** Returns the options with the generator of the world among those that can be opened. */
function storeOptions<D extends Dimensions>(
  options: WorldOptions<D>,
  seeded?: SeededGenerator,
): StoreOptions {
  requireObject("the options", options, "they are an object such as { durability: 'journal' }");
  const { dimensions: _, ...others } = options;
  const generators = generatorsOf(others.generators);
  return {
    ...others,
    generators: seeded === undefined ? generators : generators.including(seeded.generator),
  };
}

function requireDisk(disk: unknown): void {
  requireObject("disk", disk, "it is a Disk, such as NodeDisk.create gives");
}
