import type { Axis, Box, ChunkBox, ChunkShape, Dimensions, Vector } from "@orthant/core";
import { convertList, requireObject, wrongArgument } from "@orthant/core/arguments";
import { type Axes, intersectBoxes, positionFrom, WHOLE_LATTICE } from "@orthant/core/lattice";
import type { ReplicaInterest } from "./interest.ts";

/** What a client wants to hold: everything around a point, or boxes of chunks. */
export type Interest<D extends Dimensions> = InterestAround<D> | InterestInChunks<D>;

/** All chunks within a distance of a point. */
export interface InterestAround<D extends Dimensions> {
  /** In voxels. The server sends what is near it first. */
  readonly center: Vector<D>;
  /** In voxels, on every axis. */
  readonly radius: number;
  /** In voxels per second. The server sends what lies ahead before what lies behind. */
  readonly motion?: Vector<D>;
}

/** Boxes of chunks. */
export interface InterestInChunks<D extends Dimensions> {
  readonly chunks: readonly ChunkBox<D>[];
  /** In voxels. The server sends what is near it first. */
  readonly center?: Vector<D>;
  /** In voxels per second. The server sends what lies ahead before what lies behind. */
  readonly motion?: Vector<D>;
}

/** Returns an interest with four axes. Throws `ORT_ARGUMENT` for an invalid one. */
export function replicaInterest<D extends Dimensions>(
  axes: Axes<D>,
  shape: ChunkShape,
  interest: Interest<D>,
): ReplicaInterest {
  requireObject("the interest", interest, "it is { center, radius } or { chunks }");
  const motion =
    interest.motion === undefined ? {} : { motion: requireSendablePoint(axes, "motion", interest.motion) };
  if ("chunks" in interest) {
    const boxes = convertList("chunks", interest.chunks, "it is a list of boxes of chunks", (box, index) =>
      axes.chunks(`chunks[${index}]`, box),
    );
    const center =
      interest.center === undefined ? {} : { center: requireSendablePoint(axes, "center", interest.center) };
    return { boxes, ...center, ...motion };
  }
  const { radius } = interest;
  if (radius === undefined) throw wrongArgument("interest", interest, "it has chunks, or center and radius");
  if (typeof radius !== "number" || !Number.isFinite(radius) || radius < 0) {
    throw wrongArgument("radius", radius, "it is a number of voxels, such as 128");
  }
  const center = requireSendablePoint(axes, "center", interest.center);
  return { boxes: [chunksAround(shape, center, radius)], center, ...motion };
}

/** Returns the chunks within a distance of a point, cut off at the edge of the world. */
function chunksAround({ extents }: ChunkShape, center: Vector, radius: number): Box {
  const chunk = (axis: Axis, voxel: number): number => Math.floor(Math.floor(voxel) / extents[axis]);
  const around: Box = {
    min: positionFrom((axis) => (extents[axis] === 1 ? 0 : chunk(axis, center[axis] - radius))),
    max: positionFrom((axis) => (extents[axis] === 1 ? 1 : chunk(axis, center[axis] + radius) + 1)),
  };
  const inside = intersectBoxes(around, WHOLE_LATTICE);
  if (inside === undefined) throw wrongArgument("center", center, "it lies outside of the world");
  return inside;
}

/** The largest coordinate of any world. Messages hold no larger ones. */
const COORDINATE_MAX = 2 ** 47 - 1;

/** Returns the four coordinates of a point or a motion that a message can hold. */
export function requireSendablePoint<D extends Dimensions>(
  axes: Axes<D>,
  name: string,
  value: unknown,
): Vector {
  const point = axes.vector(name, value);
  if (point.every((coordinate) => Math.abs(coordinate) <= COORDINATE_MAX)) return point;
  throw wrongArgument(name, value, "it lies far beyond the largest world");
}
