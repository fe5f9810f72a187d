import { type Box, OrthantError, type Position } from "@orthant/core";
import { I32_MIN } from "@orthant/core/bytes";
import { AXES, cubeAt, positionFrom } from "@orthant/core/lattice";

/** Level of the whole lattice, whose edge is 2^32 chunks. */
export const LATTICE_LEVEL = 32;

/** Number of children of a cube, and of a node of the index. */
export const CHILDREN = 16;

/** Returns the aligned cube of edge 2^level that contains a position. */
export function alignedCubeAt(position: Position, level: number): Box {
  const edge = 2 ** level;
  // Counts from the lattice's minimum corner, so that the single cube of level 32 is the lattice itself.
  const aligned = (coordinate: number): number => Math.floor((coordinate - I32_MIN) / edge) * edge + I32_MIN;
  return cubeAt(
    positionFrom((axis) => aligned(position[axis])),
    edge,
  );
}

/** Returns the level of an aligned cube; `undefined` for any other box. */
export function levelOf({ min, max }: Box): number | undefined {
  const edge = max[0] - min[0];
  const level = Math.log2(edge);
  if (!Number.isInteger(level) || level > LATTICE_LEVEL) return undefined;
  for (const axis of AXES) {
    const isAligned = max[axis] - min[axis] === edge && (min[axis] - I32_MIN) % edge === 0;
    if (!isAligned || min[axis] < I32_MIN || max[axis] > -I32_MIN) return undefined;
  }
  return level;
}

/** Returns the level of an aligned cube. Throws for any other box. */
export function requireLevel(box: Box, levelMax: number = LATTICE_LEVEL): number {
  const level = levelOf(box);
  if (level !== undefined && level <= levelMax) return level;
  const detail = `[${box.min}] to [${box.max}] is not an aligned cube of edge 2^${levelMax} or less`;
  throw new OrthantError("ORT_ARGUMENT", detail);
}

/** Returns the smallest aligned cube that contains both positions, and so the box between them. */
export function cubeAround(first: Position, last: Position): Box {
  let level = 0;
  for (const axis of AXES) {
    const differing = Math.clz32((first[axis] - I32_MIN) ^ (last[axis] - I32_MIN));
    level = Math.max(level, LATTICE_LEVEL - differing);
  }
  return alignedCubeAt(first, level);
}

/** Returns the smallest aligned cube that contains two boxes on the lattice. */
export function cubeAroundBoth(a: Box, b: Box): Box {
  return cubeAround(
    [
      Math.min(a.min[0], b.min[0]),
      Math.min(a.min[1], b.min[1]),
      Math.min(a.min[2], b.min[2]),
      Math.min(a.min[3], b.min[3]),
    ],
    [
      Math.max(a.max[0], b.max[0]) - 1,
      Math.max(a.max[1], b.max[1]) - 1,
      Math.max(a.max[2], b.max[2]) - 1,
      Math.max(a.max[3], b.max[3]) - 1,
    ],
  );
}

/**
 * Returns which of a cube's sixteen children contains a position: bit 0 for x to bit 3 for w, set in the
 * upper half.
 */
export function childSlot({ min, max }: Box, position: Position): number {
  const half = (max[0] - min[0]) / 2;
  return (
    (position[0] >= min[0] + half ? 1 : 0) |
    (position[1] >= min[1] + half ? 2 : 0) |
    (position[2] >= min[2] + half ? 4 : 0) |
    (position[3] >= min[3] + half ? 8 : 0)
  );
}

/** Returns one of the sixteen children of a cube. */
export function childCube({ min, max }: Box, slot: number): Box {
  const half = (max[0] - min[0]) / 2;
  return cubeAt(
    positionFrom((axis) => min[axis] + ((slot >> axis) & 1) * half),
    half,
  );
}

/** Returns the maximum position of a box. */
export function lastOf({ max }: Box): Position {
  return positionFrom((axis) => max[axis] - 1);
}

/** Formats the minimum and maximum positions of a cube for messages. */
export function describeCube(cube: Box): string {
  return `[${cube.min}] to [${lastOf(cube)}]`;
}
