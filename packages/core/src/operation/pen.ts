import { requireAtMost } from "../arguments/checks.ts";
import { type Box, boxAt, boxVolume, unionBox } from "../lattice/box.ts";
import { AXES, type Dimensions, type Position, positionFrom } from "../lattice/position.ts";
import { PositionSet } from "../lattice/position-map.ts";
import type { OperationWorld } from "./operation-world.ts";
import { boxWithin, positionsSet, type VoxelSet, voxelSetOf } from "./selections.ts";

/** Maximum number of voxels that a pen visits, each as often as it comes there. */
const DRAWN_VOXELS_MAX = 16_777_216;

/** The world in which a pen draws. */
type PenWorld = Pick<OperationWorld, "axes" | "pause" | "spend" | "remember">;

/** Voxels of a pen's tip in a row along x. */
interface TipRow {
  readonly from: number;
  readonly to: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** A line from point to point, or a curve through all. */
type Drawing = { readonly radius?: number } & (
  | { readonly line: readonly Position<Dimensions>[] }
  | { readonly curve: readonly Position<Dimensions>[] }
);

/** Voxels that are listed one by one. */
export interface ListedVoxels extends VoxelSet {
  readonly voxels: PositionSet;
}

/** Returns the voxels that a pen draws. Throws `ORT_LIMIT` for too many. */
export async function drawnVoxels(drawing: Drawing, world: PenWorld): Promise<ListedVoxels> {
  const { axes } = world;
  const isCurve = "curve" in drawing;
  const points = (isCurve ? drawing.curve : drawing.line).map((point, index) =>
    axes.position(`point ${index}`, point),
  );
  const { radius = 0 } = drawing;
  const origin = axes.publicPosition([0, 0, 0, 0]);
  const pen = voxelSetOf({ sphere: origin, radius }, { axes, connected: new Map() });
  // Before its voxels are listed, by the box around them.
  const visited = lengthOf(points) * (isCurve ? 2 : 1) * boxVolume(pen.box);
  requireAtMost(visited, DRAWN_VOXELS_MAX, "voxels under a pen", "draw in parts or with a thinner pen");
  world.spend(1, visited);
  const tip = [...rowsOf(pen)];
  const drawn = new PositionSet();
  let box: Box | undefined;
  for (const [x, y, z, w] of isCurve ? curveThrough(points) : linesThrough(points)) {
    if (drawn.has(x, y, z, w) && radius === 0) continue;
    for (const { from, to, y: byY, z: byZ, w: byW } of tip) {
      for (let byX = from; byX < to; byX++) drawn.add(x + byX, y + byY, z + byZ, w + byW);
      const paused = world.pause();
      if (paused !== undefined) await paused;
    }
    world.remember(drawn.size);
    box = unionBox(box, boxAt([x, y, z, w]));
  }
  const { min, max } = box as Box;
  const reach = positionFrom((axis) => -pen.box.min[axis]);
  const around = boxWithin(
    axes,
    positionFrom((axis) => min[axis] - reach[axis]),
    positionFrom((axis) => max[axis] + reach[axis]),
  );
  return { ...positionsSet(drawn, around), voxels: drawn };
}

/** Yields the rows of a sphere, which have no gaps. */
function* rowsOf({ box: { min, max }, has }: VoxelSet): Generator<TipRow> {
  for (let w = min[3]; w < max[3]; w++)
    for (let z = min[2]; z < max[2]; z++)
      for (let y = min[1]; y < max[1]; y++) {
        let [from, to] = [min[0], max[0]];
        while (from < to && !has(from, y, z, w)) from++;
        while (to > from && !has(to - 1, y, z, w)) to--;
        if (from < to) yield { from, to, y, z, w };
      }
}

function lengthOf(points: readonly Position[]): number {
  let length = 1;
  for (let at = 1; at < points.length; at++)
    length += stepsBetween(points[at - 1] as Position, points[at] as Position);
  return length;
}

function stepsBetween(from: Position, to: Position): number {
  return Math.max(1, ...AXES.map((axis) => Math.abs(to[axis] - from[axis])));
}

function* linesThrough(points: readonly Position[]): Generator<Position> {
  const [first] = points;
  if (points.length === 1) yield first as Position;
  for (let at = 1; at < points.length; at++)
    yield* lineBetween(points[at - 1] as Position, points[at] as Position);
}

function* lineBetween(from: Position, to: Position): Generator<Position> {
  const steps = stepsBetween(from, to);
  for (let step = 0; step <= steps; step++)
    yield positionFrom((axis) => Math.round(from[axis] + ((to[axis] - from[axis]) * step) / steps));
}

/** Catmull-Rom splines, in steps short enough to leave no gap. */
function* curveThrough(points: readonly Position[]): Generator<Position> {
  let last: Position | undefined;
  for (let at = 1; at < points.length; at++) {
    const [from, to] = [points[at - 1] as Position, points[at] as Position];
    const [before, after] = [points[at - 2] ?? from, points[at + 1] ?? to];
    const steps = stepsBetween(from, to);
    for (let step = last === undefined ? 0 : 1; step <= steps; step++) {
      const share = step / steps;
      const next = positionFrom((axis) =>
        Math.round(onCurve(before[axis], from[axis], to[axis], after[axis], share)),
      );
      // A curve is longer than the line between its points.
      if (last === undefined) yield next;
      else yield* lineBetween(last, next);
      last = next;
    }
  }
  if (last === undefined) yield points[0] as Position;
}

function onCurve(before: number, from: number, to: number, after: number, share: number): number {
  const slopeFrom = (to - before) / 2;
  const slopeTo = (after - from) / 2;
  const [square, cube] = [share ** 2, share ** 3];
  return (
    (2 * cube - 3 * square + 1) * from +
    (cube - 2 * square + share) * slopeFrom +
    (3 * square - 2 * cube) * to +
    (cube - square) * slopeTo
  );
}
