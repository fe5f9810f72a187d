import {
  type Axis,
  type Box,
  boxAt,
  type ChunkShape,
  chunksOfVoxels,
  type Position,
  positionFrom,
  unionBox,
  voxelsOfChunks,
  type WorldField,
} from "@orthant/core";
import type { SaveContent } from "@orthant/save";
import type { View } from "./view.ts";

/** Leaves read to find edits; beyond this limit only the extents of the leaves count. */
const LEAVES_READ_MAX = 256;
/** Voxels along an axis of the picture: minimum, maximum, and margin around the edits. */
const EXTENT_MIN = 192;
/** A sheet shows four-dimensional worlds, which are wide. */
const SHEET_EXTENT_MIN = 320;
const EXTENT_MAX = 1024;
const MARGIN = 16;
/** Vertical distance visible from the spawn point and the edits. */
const REACH = 128;
/** Distance from the spawn point to search for the end of a bounded world. */
const PROBE = 768;

/** Returns a box with the edits, the spawn point and their surroundings; all of a bounded world. */
export async function defaultBox(
  content: SaveContent,
  field: WorldField,
  spawn: Position,
  { along, sheet }: View,
): Promise<Box> {
  const { shape } = field;
  const least = sheet === undefined ? EXTENT_MIN : SHEET_EXTENT_MIN;
  const made = await boundsOfMade(content, shape);
  const home = boxAt(spawn);
  const seen = made === undefined ? home : unionBox(made, home);
  const probe = inside(shape, { min: moved(spawn, -PROBE), max: moved(spawn, PROBE) });
  const generated = field.queryContentBounds(chunksOfVoxels(shape, probe));
  const world = generated && voxelsOfChunks(shape, generated);
  const range = (axis: Axis): readonly [number, number] => {
    if (shape.extents[axis] === 1) return [0, 1];
    const [from, to] = [seen.min[axis], seen.max[axis]];
    if (axis === along) return [from - REACH, to + REACH];
    const hasEnd =
      world !== undefined && world.min[axis] > probe.min[axis] && world.max[axis] < probe.max[axis];
    if (hasEnd)
      return widened(Math.min(from, world.min[axis]), Math.max(to, world.max[axis]), 0, spawn[axis]);
    return widened(from - MARGIN, to + MARGIN, least, made === undefined ? spawn[axis] : (from + to) / 2);
  };
  return inside(shape, {
    min: positionFrom((axis) => range(axis)[0]),
    max: positionFrom((axis) => range(axis)[1]),
  });
}

/** Extends a range to at least `least` voxels, and cuts one that is too long around the middle. */
function widened(from: number, to: number, least: number, middle: number): readonly [number, number] {
  const extent = to - from;
  if (extent > EXTENT_MAX) return [Math.floor(middle - EXTENT_MAX / 2), Math.floor(middle + EXTENT_MAX / 2)];
  const more = Math.max(0, least - extent);
  return [from - Math.ceil(more / 2), to + Math.floor(more / 2)];
}

async function boundsOfMade(content: SaveContent, shape: ChunkShape): Promise<Box | undefined> {
  let bounds: Box | undefined;
  let read = 0;
  for await (const leaf of content.all()) {
    if (read++ >= LEAVES_READ_MAX) {
      bounds = bounds === undefined ? leaf.cell : unionBox(bounds, leaf.cell);
      continue;
    }
    for (const { position } of await content.readBlocks(leaf)) {
      bounds = bounds === undefined ? boxAt(position) : unionBox(bounds, boxAt(position));
    }
  }
  return bounds && voxelsOfChunks(shape, bounds);
}

/** A world whose chunks are one voxel deep has one layer of them. */
function inside({ extents }: ChunkShape, { min, max }: Box): Box {
  const isFlat = (axis: Axis): boolean => extents[axis] === 1;
  return {
    min: positionFrom((axis) => (isFlat(axis) ? 0 : min[axis])),
    max: positionFrom((axis) => (isFlat(axis) ? 1 : max[axis])),
  };
}

function moved(position: Position, by: number): Position {
  return positionFrom((axis) => position[axis] + by);
}
