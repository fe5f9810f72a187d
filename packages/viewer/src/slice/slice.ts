import type { Axis, ChunkShape, Position, Vector } from "@orthant/core";
import { AXES, positionFrom } from "@orthant/core/lattice";
import type { VolumeSlice } from "@orthant/mesh/volume";

/** A point or direction in the drawn scene: to the right, up, and towards the viewer. */
export type ScenePoint = readonly [right: number, up: number, back: number];

/** The drawn part of a world: three of its axes, at one coordinate of the fourth. */
export type Slice = VolumeSlice;

/**
 * Returns the axes that a world uses: those on which a chunk has more than one voxel, or all when there are
 * fewer than two.
 */
export function axesOf({ extents }: ChunkShape): readonly Axis[] {
  const axes = AXES.filter((axis) => extents[axis] > 1);
  return axes.length < 2 ? AXES : axes;
}

/** Limit on a visitor's position, in chunks, so that everything around them is on the lattice. */
const END_CHUNKS = 2 ** 31 - 1_024;

/** Returns the nearest valid position of a visitor; a file, a link or a server may supply any point. */
export function nearestInside({ extents }: ChunkShape, point: Vector): Vector {
  return positionFrom((axis) => {
    const end = END_CHUNKS * extents[axis];
    return Number.isNaN(point[axis]) ? 0 : Math.max(-end, Math.min(end, point[axis]));
  });
}

/**
 * Returns the slice that hides an axis and goes through a point. The other axes keep their places, and w
 * takes the free one.
 */
export function sliceHiding(hidden: Axis, through: Vector): Slice {
  const shown = (axis: Axis): Axis => (axis === hidden ? 3 : axis);
  return { right: shown(0), up: shown(1), back: shown(2), hidden, at: Math.floor(through[hidden]) };
}

/** Returns the initial slice: it hides the axis that the world lacks, or w when it has all four. */
export function firstSlice(shape: ChunkShape, through: Vector): Slice {
  const axes = axesOf(shape);
  const lacking = [...AXES].reverse().find((axis) => !axes.includes(axis));
  return sliceHiding(lacking ?? 3, through);
}

/** Whether the world has more than one slice; only a world of four axes does. */
export function canSweep(shape: ChunkShape): boolean {
  return axesOf(shape).length === 4;
}

/** Axes that are hidden in turn. Up always stays visible. */
const TURN: readonly Axis[] = [3, 2, 0];

/** Returns the next slice through the same point: another axis is hidden, and the hidden one is shown. */
export function turned(slice: Slice, through: Vector): Slice {
  const next = TURN[(TURN.indexOf(slice.hidden) + 1) % TURN.length] as Axis;
  return sliceHiding(next, through);
}

/** Converts a point of the world to the scene. */
export function toScene({ right, up, back }: Slice, point: Vector): ScenePoint {
  return [point[right], point[up], point[back]];
}

/** Converts a point of the scene to the world, in the middle of the slice's voxels. */
export function toWorld(slice: Slice, [right, up, back]: ScenePoint): Vector {
  return fromScene(slice, [right, up, back], slice.at + 0.5);
}

/** Converts a direction in the scene to one in the world. */
export function directionToWorld(slice: Slice, direction: ScenePoint): Vector {
  return fromScene(slice, direction, 0);
}

/** Returns the voxel at a point of the scene. */
export function voxelAt(slice: Slice, point: ScenePoint): Position {
  return positionFrom((axis) => Math.floor(toWorld(slice, point)[axis]));
}

function fromScene(slice: Slice, [right, up, back]: ScenePoint, hidden: number): Vector {
  const point: [number, number, number, number] = [0, 0, 0, 0];
  point[slice.right] = right;
  point[slice.up] = up;
  point[slice.back] = back;
  point[slice.hidden] = hidden;
  return point;
}

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
