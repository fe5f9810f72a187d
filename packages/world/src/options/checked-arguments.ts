import type { Box, Chunk, ChunkShape, Dimensions, Position, Vector } from "@orthant/core";
import {
  convertList,
  requireBytes,
  requireList,
  requirePrintableName,
  requireText,
  wrongArgument,
} from "@orthant/core/arguments";
import { encodeUtf8 } from "@orthant/core/bytes";
import { isChunk } from "@orthant/core/chunk";
import { isSeededGenerator, type SeededGenerator } from "@orthant/core/generate";
import { AXES, AXIS_NAMES, type Axes, pointOnAxes } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { LABEL_BYTES_MAX, TEXT_BYTES_MAX } from "@orthant/save/content";
import type { Moment, WorldLabel } from "./world-options.ts";

// Arguments from JavaScript programs are checked here, at the boundary: a world only shows what it can store.
// Journals and saves are not checked again, so data that older programs stored remains readable.

/**
 * Throws `ORT_ARGUMENT` for a name or spawn point that a save cannot hold, and for a new name that cannot be shown as it is.
 * A world may keep the name that it `has` from before such names were refused.
 */
export function requireLabel({ name, spawn }: WorldLabel, has?: string): void {
  requireShortText("name", name, LABEL_BYTES_MAX);
  if (name !== has) requirePrintableName("name", name);
  requireVector("spawn", spawn, (coordinate) => coordinate);
}

/**
 * Throws `ORT_ARGUMENT` for a point outside of the layer from 0 to 1 on an axis that the world lacks. An omitted
 * point is valid.
 */
export function requireOnAxes(field: string, shape: ChunkShape, point: Vector | undefined): void {
  if (point === undefined) return;
  const inside = pointOnAxes(shape, point);
  const axis = AXES.find((each) => inside[each] !== point[each]);
  if (axis === undefined) return;
  const advice = `chunks of this world have one voxel on ${AXIS_NAMES[axis]}, so it must be from 0 to 1`;
  throw wrongArgument(field, point, advice);
}

/** Throws `ORT_ARGUMENT` unless `position` is a list of four numbers, in the world or not. */
export function requirePositionArgument(field: string, position: unknown): asserts position is Position {
  const isPosition =
    isList(position) &&
    position.length === 4 &&
    typeof position[0] === "number" &&
    typeof position[1] === "number" &&
    typeof position[2] === "number" &&
    typeof position[3] === "number";
  if (!isPosition) throw wrongArgument(field, position, "a position is a list of four whole numbers");
}

/** Throws `ORT_ARGUMENT` unless `box` is an object with two positions. */
export function requireBox(box: unknown): asserts box is Box {
  if (typeof box !== "object" || box === null) throw wrongArgument("the box", box, "a box has min and max");
  const { min, max } = box as Partial<Box>;
  requirePositionArgument("min", min);
  requirePositionArgument("max", max);
}

/** Throws `ORT_ARGUMENT` unless `placement` has a voxel. Does not check that it lies in the world. */
export function requirePlacement(placement: unknown): asserts placement is VoxelPlacement {
  if (typeof placement !== "object" || placement === null) {
    throw wrongArgument("the placement", placement, "it has a voxel and a block");
  }
  const { voxel, data } = placement as Partial<VoxelPlacement>;
  requirePositionArgument("voxel", voxel);
  if (data !== undefined && data !== null) requireBytes("data", data);
}

/** Throws `ORT_ARGUMENT` unless `pair` is a position and a chunk. */
export function requireChunkPair(pair: unknown): asserts pair is readonly [Position, Chunk] {
  requireList("the pair", pair, "it is a position and a chunk");
  requirePositionArgument("the position", pair[0]);
  if (!isChunk(pair[1]))
    throw wrongArgument("the chunk", pair[1], "make one with emptyChunk or uniformChunk");
}

/** Throws `ORT_ARGUMENT` unless `moment` can select a saved state. */
export function requireMoment(field: string, moment: unknown): asserts moment is Moment {
  const isMoment =
    typeof moment === "string" ||
    (typeof moment === "number" && Number.isSafeInteger(moment) && moment >= 0) ||
    (moment instanceof Date && !Number.isNaN(moment.getTime()));
  if (!isMoment) {
    throw wrongArgument(field, moment, "it is the number or name of a generation, or a Date");
  }
}

/** Requires a text that a save can hold. */
export function requireShortText(field: string, value: unknown, bytesMax: number = TEXT_BYTES_MAX): void {
  const { length } = encodeUtf8(requireText(field, value));
  if (length > bytesMax)
    throw wrongArgument(field, value, `it has ${length} bytes as UTF-8, the limit is ${bytesMax}`);
}

/** Requires four numbers that stay finite when rounded to the precision of a save, by default 32 bits. */
export function requireVector(
  field: string,
  value: unknown,
  rounded: (coordinate: number) => number = Math.fround,
): asserts value is Vector {
  const isVector =
    isList(value) &&
    value.length === AXES.length &&
    // A spread visits holes, which `every` does not.
    [...value].every((number) => typeof number === "number" && Number.isFinite(rounded(number)));
  if (!isVector) throw wrongArgument(field, value, "it is a list of four finite numbers");
}

/** Accepts arrays and typed arrays, but no strings or array-like objects. */
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

/** Returns a generator with a seed. */
export function requireSeededGenerator(name: string, value: unknown): SeededGenerator {
  const { ref, generator } = (typeof value === "object" ? (value ?? {}) : {}) as Partial<SeededGenerator>;
  const own = { ref, generator };
  if (isSeededGenerator(own)) return own;
  throw wrongArgument(name, value, "it is a generator with a seed, such as terrain({ seed: 7n })");
}

/** Returns positions with chunks as our own. */
export function checkedChunkPairs<D extends Dimensions>(
  axes: Axes<D>,
  chunks: readonly (readonly [chunkPosition: Position<D>, chunk: Chunk])[],
): readonly (readonly [position: Position, chunk: Chunk])[] {
  return convertList("chunks", chunks, "it is a list of [chunkPosition, chunk]", (pair, index) => {
    requireList(`chunks[${index}]`, pair, "it is [chunkPosition, chunk]");
    const [position, chunk] = pair;
    if (!isChunk(chunk))
      throw wrongArgument(`chunks[${index}][1]`, chunk, "make one with emptyChunk or uniformChunk");
    return [axes.position(`chunks[${index}][0]`, position), chunk] as const;
  });
}
