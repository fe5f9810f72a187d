import { BlockCatalog, type Dimensions, type Position, type Vector } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { AXIS_NAMES } from "@orthant/core/lattice";

/** What rays and boxes need of a world: `World`, `ClientWorld` and small objects of your own fit. */
export interface VoxelReader<D extends Dimensions> {
  /** The number of axes, and so of coordinates in a position. */
  readonly dimensions: D;
  /** The blocks of the world; they say what is solid. */
  readonly blocks: BlockCatalog;
  /** Returns the block of a voxel, or `undefined` while its chunk is not in memory. */
  voxelAt(position: Position<D>): number | undefined;
}

/** A point or direction, in voxels: an array, or an object that yields its numbers, such as three.js's `Vector3`. */
export type PointLike<D extends Dimensions> = Vector<D> | (Iterable<number> & { readonly x: number });

/** Limit on coordinates, in voxels. Up to here, numbers distinguish places much closer than the size of a voxel. */
const COORDINATE_MAX: number = 2 ** 40;

/** Throws `ORT_ARGUMENT` unless `world` has the parts of a world that `method` belongs to. */
export function requireSource(
  world: unknown,
  method: "voxelAt" | "chunkAt",
  dimensionsMax: Dimensions,
): void {
  const given = (typeof world === "object" && world !== null ? world : {}) as Record<string, unknown>;
  if (typeof given[method] !== "function") {
    throw wrongArgument("world", world, `it has a method ${method}, as every World and ClientWorld has`);
  }
  const { dimensions, blocks } = given;
  if (!Number.isInteger(dimensions) || (dimensions as number) < 2 || (dimensions as number) > dimensionsMax) {
    throw wrongArgument("world.dimensions", dimensions, `it is a whole number from 2 to ${dimensionsMax}`);
  }
  if (!(blocks instanceof BlockCatalog)) throw wrongArgument("world.blocks", blocks, "it is a BlockCatalog");
}

/** Returns the numbers of a point or direction. Throws `ORT_ARGUMENT` unless there is a finite one for each axis. */
export function requirePoint(name: string, value: unknown, dimensions: number): readonly number[] {
  const numbers = numbersOf(value, dimensions);
  const isPoint = numbers.length === dimensions && numbers.every((number) => Number.isFinite(number));
  if (isPoint) return numbers as readonly number[];
  const axes = AXIS_NAMES.slice(0, dimensions).join(", ");
  throw wrongArgument(name, value, `it is [${axes}], ${dimensions} finite numbers in voxels`);
}

/** Returns the numbers of a place, each within the limit on coordinates. */
export function requirePlace(name: string, value: unknown, dimensions: number): readonly number[] {
  const place = requirePoint(name, value, dimensions);
  if (place.every((number) => Math.abs(number) <= COORDINATE_MAX)) return place;
  throw wrongArgument(name, value, `each number is from ${-COORDINATE_MAX} to ${COORDINATE_MAX}`);
}

/** Returns `value` if it is a number in a range. */
export function requireRange(name: string, value: unknown, min: number, max: number): number {
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw wrongArgument(name, value, `it is a number of voxels from ${min} to ${max}`);
}

/** Returns at most one number more than there are axes, so that no iterable takes long. */
function numbersOf(value: unknown, dimensions: number): readonly unknown[] {
  const isIterable = typeof value === "object" && value !== null && Symbol.iterator in value;
  if (!isIterable || typeof value[Symbol.iterator] !== "function") return [];
  const numbers: unknown[] = [];
  for (const number of value as Iterable<unknown>) {
    numbers.push(number);
    if (numbers.length > dimensions) break;
  }
  return numbers;
}
