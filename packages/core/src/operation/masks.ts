import type { BlockCatalog } from "../chunk/block-catalog.ts";
import { idCountOf } from "../chunk/block-type.ts";
import { AIR } from "../chunk/chunk.ts";
import { nearestNames } from "../chunk/nearest-names.ts";
import { wrongArgument } from "../error/orthant-error.ts";
import { hashKey, hashPosition } from "../generate/hash/position-hash.ts";
import { valueNoise } from "../generate/hash/value-noise.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import { blockNamed } from "./block-with.ts";
import type { CachedVoxels } from "./cached-voxels.ts";
import type { BlockMask, Mask, NextToMask } from "./operation.ts";
import { type SelectionContext, stepsToFaces, voxelSetOf, workOf } from "./selections.ts";

/** A mask as a test of single voxels. */
export interface VoxelTest {
  /** How far it looks below and above a voxel on each axis. */
  readonly low: Position;
  readonly high: Position;
  /** How many comparisons and reads it may take to test a voxel: a measure of work. */
  readonly work: number;
  /** `block` is the voxel's own. */
  accepts(block: number, x: number, y: number, z: number, w: number): boolean;
}

/** What masks and patterns need to know of a world and of their operation. */
export interface OperationContext extends SelectionContext {
  readonly catalog: BlockCatalog;
  readonly reader: CachedVoxels;
  /** Returns another seed for each use, always the same ones in the same order. */
  nextSeed(): bigint;
}

const NO_REACH: Position = [0, 0, 0, 0];
const UP: Position = [0, 1, 0, 0];
const DOWN: Position = [0, -1, 0, 0];
const HASHES = 2 ** 32;
/** The work of reading another voxel, in comparisons. */
export const READ_WORK = 2;
/** The work of noise at a voxel. */
export const NOISE_WORK = 16;

/** Returns the test of a checked mask. Throws `ORT_ARGUMENT` for a block or tag that the world does not have. */
export function voxelTestOf(mask: Mask, context: OperationContext): VoxelTest {
  const part = (inner: Mask): VoxelTest => voxelTestOf(inner, context);
  const { catalog, reader } = context;
  // A checked mask has no texts.
  if (typeof mask === "string") throw new TypeError(mask);
  if ("block" in mask) return blockTest(mask, catalog);
  if ("tag" in mask) return tagTest(mask.tag, catalog);
  if ("is" in mask) {
    if (mask.is === "solid") return idTest((id) => catalog.isSolid(id));
    if (mask.is === "data") return testHere((_, x, y, z, w) => reader.data(x, y, z, w) !== undefined);
    return {
      low: NO_REACH,
      high: UP,
      work: 2,
      accepts: (block, x, y, z, w) => block !== AIR && reader.block(x, y + 1, z, w) === AIR,
    };
  }
  if ("above" in mask) return shiftedTest(part(mask.above), DOWN, reader);
  if ("below" in mask) return shiftedTest(part(mask.below), UP, reader);
  if ("shifted" in mask) return shiftedTest(part(mask.shifted), context.axes.position("by", mask.by), reader);
  if ("nextTo" in mask) return nextToTest(mask, part(mask.nextTo), context);
  if ("inside" in mask) {
    const { has, work } = voxelSetOf(mask.inside, context);
    return testHere((_, x, y, z, w) => has(x, y, z, w), work);
  }
  if ("chance" in mask) {
    const key = hashKey(context.nextSeed(), 0);
    return testHere((_, x, y, z, w) => hashPosition(key, x, y, z, w) < mask.chance * HASHES);
  }
  if ("noise" in mask) {
    const noise = patchNoise(mask.noise, context);
    return testHere((_, x, y, z, w) => noise(x, y, z, w) < mask.share, NOISE_WORK);
  }
  if ("not" in mask) {
    const { accepts, ...rest } = part(mask.not);
    return { ...rest, accepts: (block, x, y, z, w) => !accepts(block, x, y, z, w) };
  }
  const isAny = "any" in mask;
  const tests = (isAny ? mask.any : mask.all).map(part);
  return {
    ...farthest(tests),
    work: workOf(tests),
    accepts: (block, x, y, z, w) => {
      for (const { accepts } of tests) if (accepts(block, x, y, z, w) === isAny) return isAny;
      return !isAny;
    },
  };
}

/** Returns noise from 0 to 1 in patches of about `period` voxels. */
export function patchNoise(
  period: number,
  { axes, nextSeed }: OperationContext,
): (x: number, y: number, z: number, w: number) => number {
  const noise = valueNoise({ seed: nextSeed(), period });
  const { dimensions } = axes;
  return (x, y, z, w) =>
    (noise(x, y, dimensions > 2 ? z : undefined, dimensions > 3 ? w : undefined) + 1) / 2;
}

/** Returns the farthest that some tests look. */
function farthest(tests: readonly VoxelTest[]): Pick<VoxelTest, "low" | "high"> {
  return {
    low: positionFrom((axis) => Math.max(0, ...tests.map(({ low }) => low[axis]))),
    high: positionFrom((axis) => Math.max(0, ...tests.map(({ high }) => high[axis]))),
  };
}

function blockTest({ block, properties = {} }: BlockMask, catalog: BlockCatalog): VoxelTest {
  const first = blockNamed("mask", block, properties, catalog);
  const type = catalog.byId(first);
  const wanted = Object.entries(properties);
  if (type === undefined || wanted.length === 0) {
    const end = first + (type === undefined ? 1 : idCountOf(type));
    return testHere((id) => id >= first && id < end);
  }
  return idTest((id) => {
    if (catalog.byId(id) !== type) return false;
    const found = catalog.describe(id)?.properties ?? {};
    return wanted.every(([name, value]) => found[name] === value);
  });
}

function tagTest(tag: string, catalog: BlockCatalog): VoxelTest {
  const tags = [...new Set(catalog.types.flatMap((type) => type.tags))].sort();
  if (!tags.includes(tag))
    throw wrongArgument(
      "a tag in the mask of the operation",
      tag,
      `no block of this world has it; ${nearestNames(tag, tags)}`,
    );
  return idTest((id) => catalog.byId(id)?.tags.includes(tag) ?? false);
}

/** Returns a test that looks at nothing but the voxel itself. */
function testHere(accepts: VoxelTest["accepts"], work = 1): VoxelTest {
  return { low: NO_REACH, high: NO_REACH, work, accepts };
}

/** Tests each id once. */
function idTest(accepts: (id: number) => boolean): VoxelTest {
  const known = new Map<number, boolean>();
  return testHere((id) => getOrAdd(known, id, () => accepts(id)));
}

function shiftedTest({ low, high, work, accepts }: VoxelTest, by: Position, reader: CachedVoxels): VoxelTest {
  const [byX, byY, byZ, byW] = by;
  return {
    low: positionFrom((axis) => Math.max(0, low[axis] - by[axis])),
    high: positionFrom((axis) => Math.max(0, high[axis] + by[axis])),
    work: work + READ_WORK,
    accepts: (_, x, y, z, w) => {
      const [atX, atY, atZ, atW] = [x + byX, y + byY, z + byZ, w + byW];
      return accepts(reader.block(atX, atY, atZ, atW), atX, atY, atZ, atW);
    },
  };
}

function nextToTest(
  { least = 1, most = Number.POSITIVE_INFINITY }: NextToMask,
  { low, high, work, accepts }: VoxelTest,
  { axes, reader }: OperationContext,
): VoxelTest {
  const faces = stepsToFaces(axes);
  const reach = (of: Position): Position =>
    positionFrom((axis) => of[axis] + (axis < axes.dimensions ? 1 : 0));
  return {
    low: reach(low),
    high: reach(high),
    work: faces.length * (work + READ_WORK),
    accepts: (_, x, y, z, w) => {
      let count = 0;
      for (const [byX, byY, byZ, byW] of faces) {
        const [atX, atY, atZ, atW] = [x + byX, y + byY, z + byZ, w + byW];
        if (accepts(reader.block(atX, atY, atZ, atW), atX, atY, atZ, atW)) count++;
      }
      return count >= least && count <= most;
    },
  };
}
