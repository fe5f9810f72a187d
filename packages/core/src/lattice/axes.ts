import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { type Box, isBox } from "./box.ts";
import { axisOutside, type ChunkShape } from "./chunk-shape.ts";
import { AXES, AXIS_NAMES, type Dimensions, type Position, positionFrom, type Vector } from "./position.ts";

/** All voxels from `min` up to but excluding `max`. `box` creates one. */
export interface VoxelBox<D extends Dimensions = Dimensions> {
  readonly unit: "voxels";
  readonly min: Position<D>;
  readonly max: Position<D>;
}

/** All chunks from `min` up to but excluding `max`. `chunkBox` creates one. */
export interface ChunkBox<D extends Dimensions = Dimensions> {
  readonly unit: "chunks";
  readonly min: Position<D>;
  readonly max: Position<D>;
}

type Unit = (VoxelBox | ChunkBox)["unit"];

const DIMENSIONS_MIN = 2;
/** How each kind of box is made, for messages. */
const MAKERS: Readonly<Record<Unit, string>> = { voxels: "box(min, max)", chunks: "chunkBox(min, max)" };

/**
 * Returns the box of voxels from `min` up to but excluding `max`.
 *
 * @example
 * await world.fill(box([0, 60, 0], [16, 64, 16]), stone); // 16 x 4 x 16 voxels
 */
export function box(min: Position<2>, max: Position<2>): VoxelBox<2>;
export function box(min: Position<3>, max: Position<3>): VoxelBox<3>;
export function box(min: Position<4>, max: Position<4>): VoxelBox<4>;
export function box(min: Position<Dimensions>, max: Position<Dimensions>): VoxelBox {
  requireCorners(min, max);
  return { unit: "voxels", min: copied(min), max: copied(max) };
}

/**
 * Returns the box of chunks from `min` up to but excluding `max`.
 *
 * @example
 * await world.loadChunks(chunkBox([-1, 0, -1], [2, 4, 2]));
 */
export function chunkBox(min: Position<2>, max: Position<2>): ChunkBox<2>;
export function chunkBox(min: Position<3>, max: Position<3>): ChunkBox<3>;
export function chunkBox(min: Position<4>, max: Position<4>): ChunkBox<4>;
export function chunkBox(min: Position<Dimensions>, max: Position<Dimensions>): ChunkBox {
  requireCorners(min, max);
  return { unit: "chunks", min: copied(min), max: copied(max) };
}

/** Returns a copy, which no later change of the caller's array reaches. */
function copied(corner: Position<Dimensions>): Position<Dimensions> {
  return [...corner] as unknown as Position<Dimensions>;
}

/** Returns the number of axes of a world: all up to the last one on which a chunk has more than one voxel. */
export function dimensionsOf(shape: ChunkShape): Dimensions {
  const { extents } = (typeof shape === "object" ? (shape ?? {}) : {}) as Partial<ChunkShape>;
  if (extents === undefined || !isTuple(extents, AXES.length, Number.isInteger))
    throw wrongArgument("shape", shape, "it is what chunkShape returns");
  if (extents[3] > 1) return 4;
  return extents[2] > 1 ? 3 : 2;
}

/**
 * Converts between the coordinates that a world of D dimensions shows and the four that all other code uses. Checks
 * what it is given, which may come from a JavaScript program: every error names the argument, the value and
 * what would be right.
 */
export class Axes<D extends Dimensions> {
  readonly dimensions: D;
  readonly #shape: ChunkShape;
  /** Whether one of the world's own axes has chunks of one voxel. On the others nothing lies outside. */
  readonly #hasThinAxis: boolean;

  /** `D` must be what `dimensionsOf` returns for the shape. */
  constructor(shape: ChunkShape) {
    this.dimensions = dimensionsOf(shape) as D;
    this.#shape = shape;
    this.#hasThinAxis = shape.extents.some((extent, axis) => axis < this.dimensions && extent === 1);
  }

  /** Returns the four coordinates of a voxel or chunk. */
  position(name: string, position: unknown): Position {
    const inside = this.#coordinates(name, position, 0);
    this.#requireInWorld(name, inside);
    return inside;
  }

  /** Returns the four numbers of a point or direction. */
  vector(name: string, vector: unknown): Vector {
    if (!isTuple(vector, this.dimensions, Number.isFinite))
      throw wrongArgument(name, vector, this.#wanted("finite"));
    const [x = 0, y = 0, z = 0, w = 0] = vector;
    return [x, y, z, w];
  }

  /** Returns a box with four axes. */
  voxels(name: string, voxels: unknown): Box {
    return this.#box(name, voxels, "voxels");
  }

  /** Returns a box with four axes. */
  chunks(name: string, chunks: unknown): Box {
    return this.#box(name, chunks, "chunks");
  }

  /** Returns the coordinates that the world shows for a position or vector with four. */
  publicPosition(position: Vector): Position<D> {
    return position.slice(0, this.dimensions) as unknown as Position<D>;
  }

  /** Returns the box of chunks that the world shows. */
  publicChunks({ min, max }: Box): ChunkBox<D> {
    return { unit: "chunks", min: this.publicPosition(min), max: this.publicPosition(max) };
  }

  /** Returns the box of voxels that the world shows. */
  publicVoxels({ min, max }: Box): VoxelBox<D> {
    return { unit: "voxels", min: this.publicPosition(min), max: this.publicPosition(max) };
  }

  #box(name: string, value: unknown, unit: Unit): Box {
    if (typeof value !== "object" || value === null) {
      throw wrongArgument(name, value, `it is a box of ${unit}: write ${MAKERS[unit]}`);
    }
    const given = value as Partial<VoxelBox | ChunkBox>;
    const givenUnit = given.unit;
    if (givenUnit !== unit) {
      const isOther = givenUnit === "voxels" || givenUnit === "chunks";
      const found = isOther ? `a box of ${givenUnit}` : "an object without a unit";
      throw new OrthantError(
        "ORT_ARGUMENT",
        `${name} is ${found}; it is a box of ${unit}: write ${MAKERS[unit]}`,
      );
    }
    const min = this.position(`${name}.min`, given.min);
    // A box ends after 0 on the axes that the world lacks.
    const max = this.#coordinates(`${name}.max`, given.max, 1);
    if (!isBox(min, max)) throw emptyBox(name, this.publicPosition(min), this.publicPosition(max));
    this.#requireInWorld(
      `${name}.max`,
      positionFrom((axis) => max[axis] - 1),
    );
    return { min, max };
  }

  /** Returns four whole numbers, with `rest` on the axes that the world lacks. */
  #coordinates(name: string, value: unknown, rest: number): Position {
    // Reads of single voxels in three dimensions are the calls that games make most.
    if (this.dimensions === 3 && Array.isArray(value) && value.length === 3) {
      const x: unknown = value[0];
      const y: unknown = value[1];
      const z: unknown = value[2];
      if (isWhole(x) && isWhole(y) && isWhole(z)) return [x + 0, y + 0, z + 0, rest];
    }
    if (!isTuple(value, this.dimensions, isWhole)) throw wrongArgument(name, value, this.#wanted("whole"));
    const [x = rest, y = rest, z = rest, w = rest] = value;
    // Adding 0 turns -0 into 0.
    return [x + 0, y + 0, z + 0, w + 0];
  }

  #requireInWorld(name: string, position: Position): void {
    if (!this.#hasThinAxis) return;
    const axis = axisOutside(this.#shape, position);
    if (axis === undefined) return;
    const advice = `chunks of this world have one voxel on ${AXIS_NAMES[axis]}, so it must be 0`;
    throw wrongArgument(name, this.publicPosition(position), advice);
  }

  #wanted(kind: "whole" | "finite"): string {
    const axes = AXIS_NAMES.slice(0, this.dimensions).join(", ");
    return `it is [${axes}], ${this.dimensions} ${kind} numbers, in this world of ${this.dimensions} dimensions`;
  }
}

/** Throws `ORT_ARGUMENT` unless the corners have the same number of whole coordinates, each minimum below its maximum. */
function requireCorners(min: unknown, max: unknown): void {
  for (const [name, corner] of [
    ["min", min],
    ["max", max],
  ] as const) {
    const length = isList(corner) ? corner.length : 0;
    const isCorner = length >= DIMENSIONS_MIN && length <= AXES.length;
    if (!isCorner || !isTuple(corner, length, Number.isSafeInteger))
      throw wrongArgument(name, corner, "it is a list of two to four whole numbers, such as [0, 64, 0]");
  }
  const [low, high] = [min as readonly number[], max as readonly number[]];
  if (low.length !== high.length) {
    throw wrongArgument("max", max, `it has as many numbers as min, which has ${low.length}`);
  }
  if (low.some((coordinate, axis) => coordinate >= (high[axis] as number)))
    throw emptyBox("the box", low, high);
}

function emptyBox(name: string, min: readonly number[], max: readonly number[]): OrthantError {
  const detail = `${name} from [${min.join(", ")}] to [${max.join(", ")}] is empty; each number of min is below the same of max, which is excluded`;
  return new OrthantError("ORT_ARGUMENT", detail);
}

/** Whether `value` is a list of `length` numbers that `accepts` accepts. Also looks at the holes of an array. */
function isTuple(
  value: unknown,
  length: number,
  accepts: (coordinate: unknown) => boolean,
): value is readonly number[] {
  if (!isList(value) || value.length !== length) return false;
  for (let axis = 0; axis < length; axis++) if (!accepts(value[axis])) return false;
  return true;
}

/** Whether a value can be a coordinate: the one behind it, where a box may end, is a whole number too. */
function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) < Number.MAX_SAFE_INTEGER;
}

/** Accepts arrays and typed arrays, but no strings or array-like objects. */
function isList(value: unknown): value is readonly number[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
