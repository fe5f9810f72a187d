import {
  BlockCatalog,
  type BlockDefinitions,
  type ChunkShape,
  CUBE_CHUNKS,
  type DataCodec,
  type Dimensions,
  dimensionsOf,
  type GeneratorRegistry,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  OrthantError,
  TILE_CHUNKS,
  type Vector,
} from "@orthant/core";
import {
  checkedOptions,
  fieldsOf,
  type OptionTable,
  requireObject,
  requireText,
  unchecked,
  whole,
  wrongArgument,
} from "@orthant/core/arguments";
import { defineBlocks, definitionOf } from "@orthant/core/chunk";
import {
  firstBlocks,
  type GeneratorSource,
  generatorsOf,
  type SeededGenerator,
} from "@orthant/core/generate";
import { Axes, requireShape } from "@orthant/core/lattice";
import { PLAIN_DATA, requireDataCodec } from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import { DEFAULT_LIMITS, hasSave } from "@orthant/save";
import type { WorldEngine } from "../engine/world-engine.ts";
import { createWorldEngine, openWorldEngine } from "../open/open-engine.ts";
import { requireSeededGenerator } from "../options/checked-arguments.ts";
import { checkedEngineOptions } from "../options/checked-options.ts";
import type { EngineOptions, WorldLimits } from "../options/world-options.ts";
import { World } from "./world.ts";

/** What a new world is like. */
export interface NewWorld<D extends Dimensions> {
  /** The number of axes, forever: 2 for tiles, 3 for blocks, 4 for one more. */
  readonly dimensions: D;
  readonly name?: string;
  /** Fills the space that has not been edited, such as `terrain({ seed: 7n })`. Default: nothing, only air. */
  readonly generator?: SeededGenerator;
  /**
   * The types of blocks: definitions by name, besides those of the generator or `DEFAULT_BLOCKS`, or a catalog of all of them.
   * Types that an existing world lacks are added to it.
   */
  readonly blocks?: BlockDefinitions | BlockCatalog;
  /** Where players start, in voxels. */
  readonly spawn?: Vector<D>;
  /** The number of voxels of a chunk. Default: 32 x 32, 16 x 16 x 16 or 8 x 8 x 8 x 8. */
  readonly chunkShape?: ChunkShape;
  /** Thresholds of the save, fixed for its lifetime. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<WorldLimits>;
}

/** Options for opening a world. */
export interface WorldOptions<D extends Dimensions = Dimensions> extends Omit<EngineOptions, "generators"> {
  /** The program's own generators, such as `[hills]`, besides those that come with Orthant. */
  readonly generators?: GeneratorRegistry | readonly GeneratorSource[];
  /** The number of axes that the program expects. A world with another number is refused. */
  readonly dimensions?: D;
  /**
   * Turns the data of voxels into bytes and back. All programs that open the world need the same one. Default: JSON, and
   * bytes as they are.
   */
  readonly dataCodec?: DataCodec;
  /** Turns the values of `world.store` into bytes and back. Default: JSON, and bytes as they are. */
  readonly storeCodec?: DataCodec;
}

const CHUNK_SHAPES: Readonly<Record<Dimensions, ChunkShape>> = {
  2: TILE_CHUNKS,
  3: CUBE_CHUNKS,
  4: HYPERCUBE_CHUNKS,
};

/** Creates a world on an empty disk and opens it. Throws `ORT_NOT_EMPTY` when the disk is not empty. */
export async function createWorld<D extends Dimensions>(
  disk: Disk,
  world: NewWorld<D>,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  requireDisk("disk", disk);
  return createChecked(disk, checkedNewWorld(world), options);
}

async function createChecked<D extends Dimensions>(
  disk: Disk,
  { chunkShape: shape, name, generator, blocks, spawn, limits }: CheckedNewWorld<D>,
  options: WorldOptions<D>,
): Promise<World<D>> {
  const engine = await createWorldEngine(
    disk,
    {
      shape,
      ...(name !== undefined && { name }),
      ...(generator !== undefined && { generator: generator.ref }),
      ...(blocks !== undefined && { catalog: catalogOf(blocks, generator) }),
      ...(spawn !== undefined && { spawn: new Axes<D>(shape).vector("spawn", spawn) }),
      ...(limits !== undefined && { limits }),
    },
    engineOptions(options, generator),
  );
  return new World(engine, ...codecsOf(options));
}

/**
 * Opens the world on a disk, for writing, which only one process can do at a time, or read-only. Throws
 * `ORT_LOCKED` when another process writes to it and `ORT_NOT_FOUND` when there is none.
 */
export async function openWorld<D extends Dimensions = Dimensions>(
  disk: Disk,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  requireDisk("disk", disk);
  requireObject("the options", options, "they are an object such as { durability: 'journal' }");
  const own = { ...options };
  return asWorld(await openWorldEngine(disk, engineOptions(own)), own.dimensions, codecsOf(own));
}

function requireBlocks(name: string, value: unknown): BlockDefinitions | BlockCatalog {
  requireObject(
    name,
    value,
    "they are an object such as { copper: { colour: 0xb87333 } }, or a BlockCatalog",
  );
  return value as BlockDefinitions | BlockCatalog;
}

/** Returns the blocks of a new world. */
function catalogOf(
  blocks: BlockDefinitions | BlockCatalog,
  generator: SeededGenerator | undefined,
): BlockCatalog {
  if (blocks instanceof BlockCatalog) return blocks;
  return defineBlocks(firstBlocks(generator?.generator), blocks);
}

/**
 * Opens the world on a disk, or creates it when there is none. `world` describes the new world; an existing one keeps
 * its own name and spawn, gets the blocks that it lacks, and is refused if its dimensions or the meaning of a block are others.
 */
export async function openOrCreateWorld<D extends Dimensions>(
  disk: Disk,
  world: NewWorld<D>,
  options: WorldOptions<D> = {},
): Promise<World<D>> {
  requireDisk("disk", disk);
  const checked = checkedNewWorld(world);
  if (await hasSave(disk)) return openKnown(disk, checked, options);
  try {
    return await createChecked(disk, checked, options);
  } catch (error) {
    // Another process may have created it since; only one of the two can open it for writing.
    if (isOrthantError(error, "ORT_NOT_EMPTY") && (await hasSave(disk)))
      return openKnown(disk, checked, options);
    throw error;
  }
}

async function openKnown<D extends Dimensions>(
  disk: Disk,
  { dimensions, generator, blocks }: CheckedNewWorld<D>,
  options: WorldOptions<D>,
): Promise<World<D>> {
  const engine = await openWorldEngine(disk, engineOptions(options, generator));
  const world = await asWorld(engine, dimensions, codecsOf(options));
  if (blocks === undefined || options.readOnly === true) return world;
  try {
    await addBlocks(engine, blocks);
    return world;
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** Adds types that a world lacks. Throws `ORT_ARGUMENT` for one that means something else there. */
async function addBlocks(engine: WorldEngine, blocks: BlockDefinitions | BlockCatalog): Promise<void> {
  if (!(blocks instanceof BlockCatalog)) {
    await engine.blocks.define(blocks);
    return;
  }
  // The program counts on the ids of its catalog; colours and behaviour may have changed in the world since.
  const missing = blocks.types.filter(({ name }) => engine.catalog.byName(name) === undefined);
  const definitions = Object.fromEntries(missing.map((type) => [type.name, definitionOf(type)]));
  const grown = defineBlocks(engine.catalog, definitions);
  for (const { name, id } of blocks.types) {
    const there = grown.id(name);
    if (there !== id)
      throw new OrthantError(
        "ORT_ARGUMENT",
        `the block ${JSON.stringify(name)} has the id ${there} in this world and ${id} in the program: ask the world for ids, with world.blocks.id`,
      );
  }
  if (missing.length > 0) await engine.blocks.define(definitions);
}

/** Returns a world over an engine. Closes the engine when it does not have the expected dimensions. */
async function asWorld<D extends Dimensions>(
  engine: WorldEngine,
  expected: D | undefined,
  codecs: Codecs,
): Promise<World<D>> {
  const found = dimensionsOf(engine.shape);
  if (expected === undefined || expected === found) return new World<D>(engine, ...codecs);
  await engine.close();
  throw new OrthantError(
    "ORT_ARGUMENT",
    `this world has ${found} dimensions, and the program asks for ${String(expected)}: open it with dimensions: ${found}, or take another folder`,
  );
}

/** A new world with its chunks. */
type CheckedNewWorld<D extends Dimensions> = NewWorld<D> & { readonly chunkShape: ChunkShape };

/** Returns a copy of the description of a new world. Throws `ORT_ARGUMENT` for one that makes no sense. */
function checkedNewWorld<D extends Dimensions>(world: NewWorld<D>): CheckedNewWorld<D> {
  const advice = "it is an object such as { dimensions: 3, generator: terrain({ seed: 7n }) }";
  requireObject("the new world", world, advice);
  const checked = checkedOptions<NewWorld<D>>("a new world", world, {
    dimensions: requireDimensions<D>,
    name: requireText,
    generator: requireSeededGenerator,
    blocks: requireBlocks,
    spawn: unchecked,
    chunkShape: requireShape,
    limits: fieldsOf<Partial<WorldLimits>>(LIMIT_OPTIONS),
  });
  const dimensions = requireDimensions("dimensions", checked.dimensions);
  const shape = checked.chunkShape ?? CHUNK_SHAPES[dimensions];
  const axes = dimensionsOf(shape);
  if (axes === dimensions) return { ...checked, chunkShape: shape };
  const detail = `chunks of [${shape.extents}] voxels are for a world of ${axes} dimensions, and this one has ${dimensions}`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

const LIMIT_OPTIONS = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => name !== "regionChunkEdge")
    .map((name) => [name, whole(1)]),
) as unknown as OptionTable<WorldLimits>;

function requireDimensions<D extends Dimensions>(name: string, value: unknown): D {
  if (value !== 2 && value !== 3 && value !== 4) throw wrongArgument(name, value, "it is 2, 3 or 4");
  return value as D;
}

/** The codecs of a game. */
type Codecs = readonly [data: DataCodec, store: DataCodec];

function codecsOf({ dataCodec, storeCodec }: Pick<WorldOptions, "dataCodec" | "storeCodec">): Codecs {
  return [
    dataCodec === undefined ? PLAIN_DATA : requireDataCodec("dataCodec", dataCodec),
    storeCodec === undefined ? PLAIN_DATA : requireDataCodec("storeCodec", storeCodec),
  ];
}

/** Returns the options with the generator of the world among those that can be opened. */
function engineOptions<D extends Dimensions>(
  options: WorldOptions<D>,
  seeded?: SeededGenerator,
): EngineOptions {
  requireObject("the options", options, "they are an object such as { durability: 'journal' }");
  const { dimensions, generators: source, dataCodec: _, storeCodec: __, ...others } = options;
  if (dimensions !== undefined) requireDimensions("dimensions", dimensions);
  const checked = checkedEngineOptions(others);
  const generators = generatorsOf(source);
  return {
    ...checked,
    generators: seeded === undefined ? generators : generators.including(seeded.generator),
  };
}
