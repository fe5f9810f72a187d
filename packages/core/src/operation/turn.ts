import type { BlockProperties } from "../chunk/block-ids.ts";
import { AXES, AXIS_NAMES, type Axis, type Position, positionFrom } from "../lattice/position.ts";

/** An axis, by its name. */
export type AxisName = "x" | "y" | "z" | "w";
/** Two axes in which something turns. The first one turns towards the second. */
export type Plane = "xy" | "xz" | "xw" | "yz" | "yw" | "zw";

/** Where an axis points after a turn: to `axis`, or away from it. */
interface Direction {
  readonly axis: Axis;
  readonly sign: 1 | -1;
}

/** A turn by right angles or a mirroring: the direction of each axis after it. */
export type Turn = readonly [x: Direction, y: Direction, z: Direction, w: Direction];

/** Names of directions as blocks have them in their properties, by axis: away from it, and along it. */
const DIRECTIONS: readonly (readonly [back: string, ahead: string])[] = [
  ["west", "east"],
  ["down", "up"],
  ["north", "south"],
  ["kata", "ana"],
];
const DIRECTION_OF: ReadonlyMap<string, Direction> = new Map(
  DIRECTIONS.flatMap(([back, ahead], axis): [string, Direction][] => [
    [back, { axis: axis as Axis, sign: -1 }],
    [ahead, { axis: axis as Axis, sign: 1 }],
  ]),
);
/** Values that swap when up and down do. */
const UPSIDE_DOWN: ReadonlyMap<string, string> = swapped(
  ["top", "bottom"],
  ["upper", "lower"],
  ["floor", "ceiling"],
);
/** Values that swap in a mirror. */
const MIRRORED: ReadonlyMap<string, string> = swapped(
  ["left", "right"],
  ["inner_left", "inner_right"],
  ["outer_left", "outer_right"],
);
/** Values of `rotation`: from 0, the south, clockwise in sixteenths of a circle. */
const ROTATIONS = 16;
const QUARTER = ROTATIONS / 4;

/** Returns a number of quarter turns in a plane, whose first axis turns towards the second. */
export function turnIn(plane: Plane, turns: number): Turn {
  const [a, b] = [...plane].map((name) => AXIS_NAMES.indexOf(name as AxisName) as Axis) as [Axis, Axis];
  const quarters = ((turns % 4) + 4) % 4;
  return turnOf((axis) => {
    if (axis !== a && axis !== b) return { axis, sign: 1 };
    const other = axis === a ? b : a;
    if (quarters === 0) return { axis, sign: 1 };
    if (quarters === 2) return { axis, sign: -1 };
    return { axis: other, sign: (axis === a) === (quarters === 1) ? 1 : -1 };
  });
}

/** Returns the mirroring of an axis. */
export function mirrorOf(name: AxisName): Turn {
  return turnOf((axis) => ({ axis, sign: AXIS_NAMES[axis] === name ? -1 : 1 }));
}

/** Returns the turn that takes another back. */
function inverseOf(turn: Turn): Turn {
  return turnOf((axis) => {
    const from = AXES.find((candidate) => turn[candidate].axis === axis) as Axis;
    return { axis: from, sign: turn[from].sign };
  });
}

/** Returns the extents of a box after a turn. */
export function turnedExtents(turn: Turn, extents: Position): Position {
  const back = inverseOf(turn);
  return positionFrom((axis) => extents[back[axis].axis]);
}

/** Returns where a voxel lay before a turn of its box, which has these extents after it; both relative to the lowest corner. */
export function positionBefore(turn: Turn, extents: Position, position: Position): Position {
  return positionFrom((axis) => {
    const { axis: to, sign } = turn[axis];
    return sign > 0 ? position[to] : extents[to] - 1 - position[to];
  });
}

/** Returns where a voxel lies after a turn of its box, which has these extents after it; both relative to the lowest corner. */
export function positionAfter(turn: Turn, extents: Position, position: Position): Position {
  const back = inverseOf(turn);
  return positionFrom((axis) => {
    const { axis: from, sign } = back[axis];
    return sign > 0 ? position[from] : extents[axis] - 1 - position[from];
  });
}

/** Returns the properties of a block after a turn. They mean what they do in Minecraft; others stay as they are. */
export function turnedProperties(turn: Turn, properties: BlockProperties): BlockProperties {
  const isMirror = isMirroring(turn);
  const isUpsideDown = turn[1].axis === 1 && turn[1].sign < 0;
  // Properties that are named after sides, as of a fence, belong to the sides where these are now.
  const turnsSides = Object.keys(properties).every((name) =>
    Object.hasOwn(properties, directionAfter(turn, name) ?? name),
  );
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      (turnsSides ? directionAfter(turn, name) : undefined) ?? name,
      turnedValue(name, value),
    ]),
  );

  function turnedValue(name: string, value: string): string {
    if (name === "axis") return axisAfter(turn, value);
    if (name === "rotation") return rotationAfter(turn, value);
    const direction = directionAfter(turn, value);
    if (direction !== undefined) return direction;
    const upright = isUpsideDown ? (UPSIDE_DOWN.get(value) ?? value) : value;
    return isMirror ? (MIRRORED.get(upright) ?? upright) : upright;
  }
}

function turnOf(direction: (axis: Axis) => Direction): Turn {
  return [direction(0), direction(1), direction(2), direction(3)];
}

function directionAfter(turn: Turn, name: string): string | undefined {
  const before = DIRECTION_OF.get(name);
  if (before === undefined) return undefined;
  const { axis, sign } = turn[before.axis];
  return DIRECTIONS[axis]?.[sign * before.sign > 0 ? 1 : 0];
}

function axisAfter(turn: Turn, name: string): string {
  const axis = AXIS_NAMES.indexOf(name as AxisName);
  return axis < 0 ? name : AXIS_NAMES[turn[axis as Axis].axis];
}

/** Only turns about `y` and mirrors of `x` and `z` change it. */
function rotationAfter(turn: Turn, value: string): string {
  const rotation = Number(value);
  const [x, y, z] = turn;
  const isLevel = y.axis === 1 && [x.axis, z.axis].every((axis) => axis === 0 || axis === 2);
  if (!isLevel || !Number.isInteger(rotation) || rotation < 0 || rotation >= ROTATIONS) return value;
  // Where the south points now, in quarters clockwise; a mirror reverses what follows.
  const south = z.axis === 2 ? (z.sign > 0 ? 0 : 2) : z.sign > 0 ? 3 : 1;
  const west = x.axis === 0 ? (x.sign > 0 ? 1 : 3) : x.sign > 0 ? 2 : 0;
  const isClockwise = (south + 1) % 4 === west;
  const turned = south * QUARTER + (isClockwise ? rotation : -rotation);
  return String((turned + ROTATIONS) % ROTATIONS);
}

/** Whether a turn makes left hands of right ones. */
function isMirroring(turn: Turn): boolean {
  let sign = 1;
  for (const axis of AXES) {
    sign *= turn[axis].sign;
    for (const other of AXES) if (other > axis && turn[other].axis < turn[axis].axis) sign = -sign;
  }
  return sign < 0;
}

function swapped(...pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map(
    pairs.flatMap(([a, b]): [string, string][] => [
      [a, b],
      [b, a],
    ]),
  );
}
