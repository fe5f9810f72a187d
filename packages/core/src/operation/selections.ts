import { wrongArgument } from "../error/orthant-error.ts";
import type { Axes } from "../lattice/axes.ts";
import { type Box, boxBetween, boxContains, intersectBoxes, unionBox } from "../lattice/box.ts";
import {
  AXES,
  AXIS_NAMES,
  type Axis,
  type Dimensions,
  type Position,
  positionFrom,
} from "../lattice/position.ts";
import type { PositionSet } from "../lattice/position-map.ts";
import type { ConnectedSelection, CylinderSelection, PrismSelection, Selection } from "./operation.ts";
import type { AxisName } from "./turn.ts";

/** A selection as a test of single voxels. */
export interface VoxelSet {
  /** Contains all of its voxels. */
  readonly box: Box;
  /** Whether it has all voxels of its box. */
  readonly isBox: boolean;
  /** How many comparisons it may take to test a voxel: a measure of work. */
  readonly work: number;
  has(x: number, y: number, z: number, w: number): boolean;
}

/** What selections need to know of a world. */
export interface SelectionContext {
  readonly axes: Axes<Dimensions>;
  /** The voxels of each selection of connected ones. */
  readonly connected: ReadonlyMap<ConnectedSelection, VoxelSet>;
}

type Part = (selection: Selection) => VoxelSet;

/** Returns the voxels of a checked selection. Throws `ORT_ARGUMENT` for one that lies outside of the world or has no voxel. */
export function voxelSetOf(selection: Selection, context: SelectionContext): VoxelSet {
  const { axes } = context;
  const part: Part = (inner) => voxelSetOf(inner, context);
  if ("unit" in selection) return boxSet(axes.voxels("a box of the operation", selection));
  if ("sphere" in selection) return sphereSet(selection.sphere, selection.radius, axes);
  if ("cylinder" in selection) return cylinderSet(selection, axes);
  if ("prism" in selection) return prismSet(selection, axes);
  if ("union" in selection) return unionSet(selection.union.map(part));
  if ("intersection" in selection) return intersectionSet(selection.intersection.map(part), selection);
  if ("difference" in selection) return differenceSet(selection.difference.map(part));
  return context.connected.get(selection) as VoxelSet;
}

/** Returns all voxels of a box. */
export function boxSet(box: Box): VoxelSet {
  const { min, max } = box;
  const [minX, minY, minZ, minW] = min;
  const [maxX, maxY, maxZ, maxW] = max;
  return {
    box,
    isBox: true,
    work: 1,
    has: (x, y, z, w) =>
      x >= minX && x < maxX && y >= minY && y < maxY && z >= minZ && z < maxZ && w >= minW && w < maxW,
  };
}

/** Returns the voxels of a set of positions, which all lie in a box. */
export function positionsSet(positions: PositionSet, box: Box): VoxelSet {
  return { box, isBox: false, work: 2, has: (x, y, z, w) => positions.has(x, y, z, w) };
}

function sphereSet(
  center: Position<Dimensions>,
  radius: number | readonly number[],
  axes: Axes<Dimensions>,
): VoxelSet {
  const radii = positionFrom((axis) => {
    if (axis >= axes.dimensions) return 0;
    return typeof radius === "number" ? radius : (radius[axis] as number);
  });
  return ellipsoid(axes.position("the centre of a sphere", center), radii, axes);
}

function ellipsoid(center: Position, radii: Position, axes: Axes<Dimensions>): VoxelSet {
  const [centerX, centerY, centerZ, centerW] = center;
  // An axis that the world lacks has the radius 0 and so only the coordinate 0.
  const [reachX, reachY, reachZ, reachW] = radii.map((radius) => (radius + 0.5) ** -2) as unknown as Position;
  const box = boxWithin(
    axes,
    positionFrom((axis) => center[axis] - Math.floor(radii[axis] + 0.5)),
    positionFrom((axis) => center[axis] + Math.floor(radii[axis] + 0.5) + 1),
  );
  return {
    box,
    isBox: false,
    work: 2,
    has: (x, y, z, w) =>
      (x - centerX) ** 2 * reachX +
        (y - centerY) ** 2 * reachY +
        (z - centerZ) ** 2 * reachZ +
        (w - centerW) ** 2 * reachW <=
      1,
  };
}

function cylinderSet(
  { cylinder, radius, height, along = "y" }: CylinderSelection,
  axes: Axes<Dimensions>,
): VoxelSet {
  const base = axes.position("the base of a cylinder", cylinder);
  const axis = axisOf(along, axes);
  const radii = positionFrom((each) => (each < axes.dimensions && each !== axis ? radius : 0));
  const disc = ellipsoid(base, radii, axes);
  const box = boxWithin(
    axes,
    disc.box.min,
    positionFrom((each) => disc.box.max[each] + (each === axis ? height - 1 : 0)),
  );
  const [first, end] = [base[axis], base[axis] + height];
  return {
    box,
    isBox: false,
    work: disc.work + 1,
    has: (x, y, z, w) => {
      const voxel: [number, number, number, number] = [x, y, z, w];
      const along = voxel[axis];
      if (along < first || along >= end) return false;
      voxel[axis] = first;
      return disc.has(...voxel);
    },
  };
}

function prismSet({ prism, within }: PrismSelection, axes: Axes<Dimensions>): VoxelSet {
  const box = axes.voxels("the box of a prism", within);
  // Across the height; a plane has none.
  const second: Axis = axes.dimensions === 2 ? 1 : 2;
  return {
    box,
    isBox: false,
    work: prism.length + 1,
    has: (x, y, z, w) => {
      const voxel: Position = [x, y, z, w];
      return boxContains(box, voxel) && isInPolygon(prism, voxel[0], voxel[second]);
    },
  };
}

/** Whether a point lies inside of a polygon or on its edge. */
function isInPolygon(corners: PrismSelection["prism"], x: number, y: number): boolean {
  let isInside = false;
  let [fromX, fromY] = corners.at(-1) as readonly [number, number];
  for (const [toX, toY] of corners) {
    const turn = (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX);
    const isBeside = Math.min(fromX, toX) <= x && x <= Math.max(fromX, toX);
    if (turn === 0 && isBeside && Math.min(fromY, toY) <= y && y <= Math.max(fromY, toY)) return true;
    // The edge crosses the ray from the point to the right.
    if (fromY > y !== toY > y && turn > 0 === toY > fromY) isInside = !isInside;
    [fromX, fromY] = [toX, toY];
  }
  return isInside;
}

function unionSet(parts: readonly VoxelSet[]): VoxelSet {
  const box = parts.reduce<Box | undefined>((all, part) => unionBox(all, part.box), undefined) as Box;
  const has: VoxelSet["has"] = (x, y, z, w) => parts.some((part) => part.has(x, y, z, w));
  return { box, isBox: false, work: workOf(parts), has };
}

function intersectionSet(parts: readonly VoxelSet[], selection: Selection): VoxelSet {
  let box: Box | undefined = parts[0]?.box;
  for (const part of parts) box = box && intersectBoxes(box, part.box);
  if (box === undefined)
    throw wrongArgument("an intersection", selection, "its parts have no voxel in common");
  const isBox = parts.every((part) => part.isBox);
  return {
    box,
    isBox,
    work: workOf(parts),
    has: (x, y, z, w) => parts.every((part) => part.has(x, y, z, w)),
  };
}

function differenceSet(parts: readonly VoxelSet[]): VoxelSet {
  const [first, ...others] = parts;
  const { box, has } = first as VoxelSet;
  return {
    box,
    isBox: false,
    work: workOf(parts),
    has: (x, y, z, w) => has(x, y, z, w) && !others.some((other) => other.has(x, y, z, w)),
  };
}

/** Returns the work of testing all of some parts. */
export function workOf(parts: readonly { readonly work: number }[]): number {
  return parts.reduce((sum, { work }) => sum + work, 1);
}

/** Returns the axis with a name. Throws `ORT_ARGUMENT` for one that the world lacks. */
export function axisOf(name: AxisName, { dimensions }: Axes<Dimensions>): Axis {
  const axis = AXIS_NAMES.indexOf(name) as Axis;
  if (axis < dimensions) return axis;
  throw wrongArgument(
    "an axis of the operation",
    name,
    `this world has ${AXIS_NAMES.slice(0, dimensions).join(", ")}`,
  );
}

/** Returns a box. Throws `ORT_ARGUMENT` if it does not lie in the world. */
export function boxWithin(axes: Axes<Dimensions>, min: Position, max: Position): Box {
  return axes.voxels("what the operation changes", axes.publicVoxels(boxBetween(min, max)));
}

/** Returns a box that is larger on each side. */
export function grown({ min, max }: Box, low: Position, high: Position): Box {
  return {
    min: positionFrom((axis) => min[axis] - low[axis]),
    max: positionFrom((axis) => max[axis] + high[axis]),
  };
}

/** Returns a box elsewhere. */
export function movedBox({ min, max }: Box, by: Position, times = 1): Box {
  return {
    min: positionFrom((axis) => min[axis] + by[axis] * times),
    max: positionFrom((axis) => max[axis] + by[axis] * times),
  };
}

/** The directions of the six neighbours in space, and of as many as there are in other worlds. */
export function stepsToFaces({ dimensions }: Axes<Dimensions>): readonly Position[] {
  return AXES.slice(0, dimensions).flatMap((axis) =>
    ([-1, 1] as const).map((sign) => positionFrom((each) => (each === axis ? sign : 0))),
  );
}
