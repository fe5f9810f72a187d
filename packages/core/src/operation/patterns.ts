import type { BlockCatalog } from "../chunk/block-catalog.ts";
import type { BlockProperties } from "../chunk/block-ids.ts";
import { hashKey, hashPosition } from "../generate/hash/position-hash.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { floorModulo, type Position } from "../lattice/position.ts";
import { blockNamed, blockWith } from "./block-with.ts";
import { type Clipboard, NOT_COPIED, paletteIn, placeInBox } from "./clipboard.ts";
import { NOISE_WORK, type OperationContext, patchNoise } from "./masks.ts";
import type { BlockPattern, Pattern, WeightedPattern } from "./operation.ts";

/** A pattern as a choice for single voxels. */
export interface VoxelChoice {
  /** The block of all voxels, if it is always the same. */
  readonly constant?: number;
  /** How many comparisons it may take to choose for a voxel: a measure of work. */
  readonly work: number;
  /** Returns the new block of a voxel; `before` is its block. */
  blockAt(x: number, y: number, z: number, w: number, before: number): number;
}

const HASHES = 2 ** 32;

/** Returns the choice of a checked pattern. Throws `ORT_ARGUMENT` for a block that the world does not have. */
export function voxelChoiceOf(pattern: Pattern, context: OperationContext): VoxelChoice {
  // A checked pattern has no texts.
  if (typeof pattern === "string") throw new TypeError(pattern);
  if ("mixed" in pattern) return mixedChoice(pattern.mixed, context);
  if ("repeated" in pattern) return repeatedChoice(pattern.repeated, context);
  if (!("of" in pattern)) return blockChoice(pattern, context.catalog);
  const noise = patchNoise(pattern.noise, context);
  const choices = pattern.of.map((inner) => voxelChoiceOf(inner, context));
  return {
    work: NOISE_WORK + mostWork(choices),
    blockAt: (x, y, z, w, before) => {
      const at = Math.min(Math.floor(noise(x, y, z, w) * choices.length), choices.length - 1);
      return (choices[at] as VoxelChoice).blockAt(x, y, z, w, before);
    },
  };
}

/** Returns the work of the choice that takes most. */
export function mostWork(choices: readonly VoxelChoice[]): number {
  return Math.max(0, ...choices.map(({ work }) => work));
}

function blockChoice({ block, properties, keep }: BlockPattern, catalog: BlockCatalog): VoxelChoice {
  if (block !== undefined && keep !== true) {
    const constant = blockNamed("pattern", block, properties, catalog);
    return { constant, work: 1, blockAt: () => constant };
  }
  if (block !== undefined) blockNamed("pattern", block, properties, catalog);
  const known = new Map<number, number>();
  return {
    work: 1,
    blockAt: (_x, _y, _z, _w, before) =>
      getOrAdd(known, before, () => keptProperties(before, block, properties, catalog)),
  };
}

/** Returns a block that has the properties of another where it can; the other one if that leads nowhere. */
function keptProperties(
  before: number,
  block: string | undefined,
  properties: BlockProperties = {},
  catalog: BlockCatalog,
): number {
  const described = catalog.describe(before);
  if (described === undefined) return before;
  return blockWith(catalog, block ?? described.type, { ...described.properties, ...properties });
}

function mixedChoice(mixed: readonly WeightedPattern[], context: OperationContext): VoxelChoice {
  const key = hashKey(context.nextSeed(), 0);
  const total = mixed.reduce((sum, { weight }) => sum + weight, 0);
  let sum = 0;
  const choices = mixed.map(({ weight, pattern }) => {
    sum += weight;
    return { until: (sum / total) * HASHES, ...voxelChoiceOf(pattern, context) };
  });
  const last = choices.at(-1) as (typeof choices)[number];
  return {
    work: choices.length + mostWork(choices),
    blockAt: (x, y, z, w, before) => {
      const hash = hashPosition(key, x, y, z, w);
      const chosen = choices.find(({ until }) => hash < until) ?? last;
      return chosen.blockAt(x, y, z, w, before);
    },
  };
}

function repeatedChoice({ content }: Clipboard, { catalog }: OperationContext): VoxelChoice {
  const { extents, voxels } = content;
  const blocks = paletteIn(catalog, content);
  return {
    work: 2,
    blockAt: (x, y, z, w, before) => {
      const at: Position = [
        floorModulo(x, extents[0]),
        floorModulo(y, extents[1]),
        floorModulo(z, extents[2]),
        floorModulo(w, extents[3]),
      ];
      const place = voxels[placeInBox(extents, at)] as number;
      return place === NOT_COPIED ? before : (blocks[place] as number);
    },
  };
}
