import {
  type Box,
  type ChunkShape,
  CUBE_CHUNKS,
  chunkShape,
  HYPERCUBE_CHUNKS,
  type Position,
  TILE_CHUNKS,
} from "@orthant/core";
import {
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  type GeneratedSpace,
  type GeneratorRef,
  generatorRef,
  MAZE_DEFAULTS,
  mazeGenerator,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  terrainGenerator,
} from "@orthant/core/generate";
import { boxBetween, positionFrom } from "@orthant/core/lattice";
import type { Prng } from "@orthant/testkit";

/** A world for testing the guarantees of generators. */
export interface SampleWorld {
  readonly name: string;
  readonly ref: GeneratorRef;
  readonly shape: ChunkShape;
  /** The heights, in chunks, between which there is content. */
  readonly lowest: number;
  readonly highest: number;
  /** The distance from a point, in chunks, within which there is content. */
  readonly spread: number;
  /** Whether there are such points everywhere, not only at the origin. */
  readonly isEndless: boolean;
}

const SEED = 0x0123_4567_89ab_cdefn;

const flat = generatorRef(flatGenerator, FLAT_DEFAULTS, SEED);
const platforms = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, SEED);
const crowded = generatorRef(platformsGenerator, { cellVoxels: 96, structurePercent: 100 }, SEED);
const terrain = generatorRef(terrainGenerator, TERRAIN_DEFAULTS, SEED);
const maze = generatorRef(mazeGenerator, MAZE_DEFAULTS, SEED);

/** One world for each generator, in the shape that it is made for. */
export const SAMPLE_WORLDS: readonly SampleWorld[] = [
  { name: "flat", ref: flat, shape: HYPERCUBE_CHUNKS, spread: 40, lowest: -2, highest: 1, isEndless: true },
  {
    name: "platforms",
    ref: platforms,
    shape: HYPERCUBE_CHUNKS,
    spread: 20,
    lowest: -4,
    highest: 4,
    isEndless: true,
  },
  { name: "terrain", ref: terrain, shape: CUBE_CHUNKS, spread: 40, lowest: -9, highest: 5, isEndless: true },
  {
    name: "tile terrain",
    ref: terrain,
    shape: TILE_CHUNKS,
    spread: 40,
    lowest: -6,
    highest: 3,
    isEndless: true,
  },
  { name: "maze", ref: maze, shape: HYPERCUBE_CHUNKS, spread: 4, lowest: -1, highest: 2, isEndless: false },
];

/** The same in small chunks, so that many can be tested. */
export const SMALL_WORLDS: readonly SampleWorld[] = [
  {
    name: "flat",
    ref: flat,
    shape: chunkShape([3, 4, 3, 3]),
    spread: 40,
    lowest: -2,
    highest: 2,
    isEndless: true,
  },
  {
    name: "platforms",
    ref: crowded,
    shape: chunkShape([4, 8, 4, 4]),
    spread: 40,
    lowest: -24,
    highest: 24,
    isEndless: true,
  },
  {
    name: "terrain",
    ref: terrain,
    shape: chunkShape([4, 4, 4, 1]),
    spread: 40,
    lowest: -40,
    highest: 20,
    isEndless: true,
  },
  {
    name: "maze",
    ref: maze,
    shape: chunkShape([4, 4, 4, 4]),
    spread: 7,
    lowest: -1,
    highest: 5,
    isEndless: false,
  },
];

/** Opens a world with empty caches. */
export function openWorld({ ref, shape }: Pick<SampleWorld, "ref" | "shape">): GeneratedSpace {
  return DEFAULT_GENERATORS.open(ref, shape);
}

/**
 * Returns a box with edges of 1 to `edgeMax` chunks, near the origin, millions of chunks away, or at the end
 * of the lattice; in half of the cases near content.
 */
export function boxSomewhere(prng: Prng, world: SampleWorld, edgeMax: number): Box {
  const { extents } = world.shape;
  const { spread, lowest, highest } = world;
  const far = prng.pick(world.isEndless ? [0, 0, 3_000_000, -3_000_000, 2 ** 31 - 20, -(2 ** 31) + 12] : [0]);
  let min: Position = positionFrom((axis) => {
    if (axis === 1) return prng.between(lowest, highest);
    if (axis > 1 && extents[axis] === 1) return prng.chance(0.95) ? 0 : -1;
    return far + prng.between(-spread, spread);
  });
  const around = boxBetween(
    min,
    positionFrom((axis) => min[axis] + (extents[axis] === 1 ? 1 : 16)),
  );
  const content = prng.chance(0.5) ? openedWorld(world).contentBounds(around) : undefined;
  if (content !== undefined) {
    min = positionFrom((axis) => prng.between(content.min[axis] - 1, content.max[axis] - 1));
  }
  min = positionFrom((axis) => Math.max(-(2 ** 31), Math.min(2 ** 31 - edgeMax, min[axis])));
  const isThin = prng.chance(0.9);
  return boxBetween(
    min,
    positionFrom((axis) => min[axis] + (isThin && extents[axis] === 1 ? 1 : prng.between(1, edgeMax))),
  );
}

const openedWorlds = new Map<SampleWorld, GeneratedSpace>();

function openedWorld(world: SampleWorld): GeneratedSpace {
  const opened = openedWorlds.get(world) ?? openWorld(world);
  openedWorlds.set(world, opened);
  return opened;
}

/** Returns a box inside another one. */
export function boxInside(prng: Prng, { min, max }: Box): Box {
  const from = positionFrom((axis) => prng.between(min[axis], max[axis] - 1));
  return boxBetween(
    from,
    positionFrom((axis) => prng.between(from[axis] + 1, max[axis])),
  );
}
