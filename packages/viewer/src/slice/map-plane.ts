import type { Axis, ChunkShape } from "@orthant/core";
import { axesOf, type Slice } from "./slice.ts";

/** The axes that a map shows, and the axis that it looks along. */
export interface MapPlane {
  /** To the right. */
  readonly across: Axis;
  /** Down in the picture, or up when {@link isUpright}. */
  readonly down: Axis;
  readonly isUpright: boolean;
  /** Viewed from its greatest coordinate; `undefined` when the world has only two axes. */
  readonly along: Axis | undefined;
}

/** Whether a world is two-dimensional, so that a map shows all of it. */
export function isFlat(shape: ChunkShape): boolean {
  return axesOf(shape).length === 2;
}

/** Returns the plane of a map: all of a two-dimensional world, otherwise the view from above. */
export function mapPlane(shape: ChunkShape, slice: Slice): MapPlane {
  if (!isFlat(shape)) return { across: slice.right, down: slice.back, isUpright: false, along: slice.up };
  const [first, second] = axesOf(shape) as [Axis, Axis];
  const isUpright = first === 1 || second === 1;
  const across = first === 1 ? second : first;
  return { across, down: across === first ? second : first, isUpright, along: undefined };
}
