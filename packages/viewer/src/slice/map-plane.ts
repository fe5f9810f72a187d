import type { Axis, ChunkShape } from "@orthant/core";
import { axesOf, type Slice } from "./slice.ts";

/** Which axes a map shows, and which one it looks along. */
export interface MapPlane {
  /** To the right. */
  readonly across: Axis;
  /** Down in the picture, or up when {@link isUpright}. */
  readonly down: Axis;
  readonly isUpright: boolean;
  /** Looked along from its greatest coordinate; `undefined` where two axes are all there is. */
  readonly along: Axis | undefined;
}

/** Whether a world is a plane, of which a map shows everything. */
export function isFlat(shape: ChunkShape): boolean {
  return axesOf(shape).length === 2;
}

/** The plane of a map: all of a world with two axes, else what is seen from above. */
export function mapPlane(shape: ChunkShape, slice: Slice): MapPlane {
  if (!isFlat(shape)) return { across: slice.right, down: slice.back, isUpright: false, along: slice.up };
  const [first, second] = axesOf(shape) as [Axis, Axis];
  const isUpright = first === 1 || second === 1;
  const across = first === 1 ? second : first;
  return { across, down: across === first ? second : first, isUpright, along: undefined };
}
