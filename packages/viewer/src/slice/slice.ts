import { AXES, type Axis, type ChunkShape, type Place, placeFrom } from "@orthant/core";

/** A point or direction in the four axes of a world. */
export type Vector = readonly [x: number, y: number, z: number, w: number];

/** A point or direction in what is drawn: to the right, up, and towards the viewer. */
export type ScenePoint = readonly [right: number, up: number, back: number];

/** The names of the axes, in their order. */
export const AXIS_NAMES = ["x", "y", "z", "w"] as const;

/** What of a world is drawn: three of its axes, at one coordinate of the fourth. */
export interface Slice {
  readonly right: Axis;
  readonly up: Axis;
  readonly back: Axis;
  readonly hidden: Axis;
  /** The voxel on the hidden axis. */
  readonly at: number;
}

/** The axes that a world has: those on which a chunk has more than one voxel, or all where that are fewer than two. */
export function axesOf({ extents }: ChunkShape): readonly Axis[] {
  const axes = AXES.filter((axis) => extents[axis] > 1);
  return axes.length < 2 ? AXES : axes;
}

/** Chunks between a visitor and the end of the lattice, so that all that is around them is on it. */
const END_CHUNKS = 2 ** 31 - 1_024;

/** The nearest point that a visitor may be at: on the lattice, whatever a file, a link or a server says. */
export function nearestInside({ extents }: ChunkShape, point: Vector): Vector {
  return placeFrom((axis) => {
    const end = END_CHUNKS * extents[axis];
    return Number.isNaN(point[axis]) ? 0 : Math.max(-end, Math.min(end, point[axis]));
  });
}

/** The slice that hides an axis and goes through a point. The others keep their places, and w takes the free one. */
export function sliceHiding(hidden: Axis, through: Vector): Slice {
  const shown = (axis: Axis): Axis => (axis === hidden ? 3 : axis);
  return { right: shown(0), up: shown(1), back: shown(2), hidden, at: Math.floor(through[hidden]) };
}

/** The slice that a visitor sees first: the axis that the world lacks is hidden, and w where it has all four. */
export function firstSlice(shape: ChunkShape, through: Vector): Slice {
  const axes = axesOf(shape);
  const lacking = [...AXES].reverse().find((axis) => !axes.includes(axis));
  return sliceHiding(lacking ?? 3, through);
}

/** Whether there is anything to see beside a slice: only a world of four axes has more than one. */
export function canSweep(shape: ChunkShape): boolean {
  return axesOf(shape).length === 4;
}

/** Up stays up: these take turns at being hidden. */
const TURN: readonly Axis[] = [3, 2, 0];

/** The next slice through the same point: the hidden axis becomes visible, and another one is hidden. */
export function turned(slice: Slice, through: Vector): Slice {
  const next = TURN[(TURN.indexOf(slice.hidden) + 1) % TURN.length] as Axis;
  return sliceHiding(next, through);
}

/** Where a point of the world is drawn. */
export function toScene({ right, up, back }: Slice, point: Vector): ScenePoint {
  return [point[right], point[up], point[back]];
}

/** The point of the world that is drawn at a place: in the middle of the slice's voxels. */
export function toWorld(slice: Slice, [right, up, back]: ScenePoint): Vector {
  return fromScene(slice, [right, up, back], slice.at + 0.5);
}

/** The direction in the world of a direction in what is drawn. */
export function directionToWorld(slice: Slice, direction: ScenePoint): Vector {
  return fromScene(slice, direction, 0);
}

/** The voxel that is drawn at a place. */
export function voxelAt(slice: Slice, point: ScenePoint): Place {
  return placeFrom((axis) => Math.floor(toWorld(slice, point)[axis]));
}

function fromScene(slice: Slice, [right, up, back]: ScenePoint, hidden: number): Vector {
  const point: [number, number, number, number] = [0, 0, 0, 0];
  point[slice.right] = right;
  point[slice.up] = up;
  point[slice.back] = back;
  point[slice.hidden] = hidden;
  return point;
}
