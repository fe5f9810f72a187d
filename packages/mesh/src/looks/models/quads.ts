import type { FaceTexture, ModelQuad } from "../block-looks.ts";

/** A point in sixteenths of a voxel. */
export type ModelPoint = readonly [x: number, y: number, z: number];

/** The textures of a block that faces north, by side; `undefined` for a face that is not drawn. */
export type Faces = readonly (FaceTexture | undefined)[];

/** Sides by their names: +x is east, and a block that faces north shows its front there. */
export const SIDES = { east: 0, west: 1, up: 2, down: 3, south: 4, north: 5 } as const;
/** The name of a side. */
export type SideName = keyof typeof SIDES;
/** All sides. */
export const ALL_SIDE_NAMES = Object.keys(SIDES) as readonly SideName[];
/** The four sides around the vertical axis, each a quarter turn after the one before, seen from above clockwise. */
export const AROUND = ["north", "east", "south", "west"] as const;

/** The length of an edge of a voxel and of a texture in the numbers of models. */
export const FULL = 16;
const AXES = 3;
const CORNERS = 4;

interface TextureAxis {
  readonly axis: 0 | 1 | 2;
  /** Whether the texture's coordinate falls while the voxel's rises. */
  readonly isReversed: boolean;
}

/** The directions in which a texture goes right and down on each side, as seen from outside. */
const TEXTURE_AXES: readonly { readonly right: TextureAxis; readonly down: TextureAxis }[] = [
  { right: { axis: 2, isReversed: true }, down: { axis: 1, isReversed: true } },
  { right: { axis: 2, isReversed: false }, down: { axis: 1, isReversed: true } },
  { right: { axis: 0, isReversed: false }, down: { axis: 2, isReversed: false } },
  { right: { axis: 0, isReversed: false }, down: { axis: 2, isReversed: true } },
  { right: { axis: 0, isReversed: false }, down: { axis: 1, isReversed: true } },
  { right: { axis: 0, isReversed: true }, down: { axis: 1, isReversed: true } },
];

/** Left, upper, right and lower edge of a part of a texture, in sixteenths. */
export type TexturePart = readonly [left: number, top: number, right: number, bottom: number];

/** Returns the part of a texture that lies on a side of a box when the texture covers the side of the voxel. */
export function texturePartOf(side: number, from: ModelPoint, to: ModelPoint): TexturePart {
  const { right, down } = TEXTURE_AXES[side] as (typeof TEXTURE_AXES)[number];
  const [left, rightEnd] = rangeOf(right, from, to);
  const [top, bottom] = rangeOf(down, from, to);
  return [left, top, rightEnd, bottom];
}

function rangeOf(
  { axis, isReversed }: TextureAxis,
  from: ModelPoint,
  to: ModelPoint,
): readonly [number, number] {
  return isReversed ? [FULL - to[axis], FULL - from[axis]] : [from[axis], to[axis]];
}

/** Returns a side of a box as a quad that shows a part of its texture, turned by quarters. */
export function boxSide(
  side: number,
  from: ModelPoint,
  to: ModelPoint,
  texture: FaceTexture,
  part: TexturePart = texturePartOf(side, from, to),
  turns: number = texture.turns,
): ModelQuad {
  const { right, down } = TEXTURE_AXES[side] as (typeof TEXTURE_AXES)[number];
  const [left, rightEnd] = rangeOf(right, from, to);
  const [top, bottom] = rangeOf(down, from, to);
  const depthAxis = side >> 1;
  const depth = (side & 1) === 0 ? to[depthAxis as 0] : from[depthAxis as 0];
  const corners: number[] = [];
  for (const [u, v] of [
    [left, bottom],
    [rightEnd, bottom],
    [rightEnd, top],
    [left, top],
  ] as const) {
    const point = [depth, depth, depth];
    point[right.axis] = right.isReversed ? FULL - u : u;
    point[down.axis] = down.isReversed ? FULL - v : v;
    corners.push(...point);
  }
  const upright = [part[0], part[3], part[2], part[3], part[2], part[1], part[0], part[1]];
  const uvs = upright.map((_, index) => upright[(index + 8 - 2 * turns) % 8] as number);
  return {
    corners,
    uvs,
    texture: turns === 0 ? texture : { ...texture, turns: 0 },
    side: sideOfPlane(corners, side),
  };
}

/** Returns sides of a box, all of them by default. A texture lies as on a whole cube, of which the box shows a part. */
export function boxQuads(
  faces: Faces,
  from: ModelPoint,
  to: ModelPoint,
  sides: readonly SideName[] = ALL_SIDE_NAMES,
): ModelQuad[] {
  return sides.flatMap((name) => {
    const texture = faces[SIDES[name]];
    return texture === undefined ? [] : [boxSide(SIDES[name], from, to, texture)];
  });
}

/** How a model is turned: first around x, then around y, by quarters; isLocked keeps textures where they were. */
export interface ModelTurn {
  /** Quarter turns around x, by which up becomes north. */
  readonly x: number;
  /** Quarter turns around y, by which north becomes east. */
  readonly y: number;
  /** Whether textures lie on the turned model as if it had been built that way. */
  readonly isLocked: boolean;
}

/** Returns quads that are turned by quarters. */
export function turnedQuads(quads: readonly ModelQuad[], { x, y, isLocked }: ModelTurn): ModelQuad[] {
  if (((x | y) & 3) === 0) return [...quads];
  return quads.map((quad) => {
    const { texture, side } = quad;
    const corners = mapCorners(quad.corners, (point) => turnedPoint(point, x & 3, y & 3));
    const facing = facingOf(corners);
    const uvs = isLocked && facing !== undefined ? lockedUvs(corners, facing) : quad.uvs;
    return { corners, uvs, texture, side: side === undefined ? undefined : facing };
  });
}

function turnedPoint([x, y, z]: ModelPoint, aroundX: number, aroundY: number): ModelPoint {
  let [right, up, back] = [x, y, z];
  for (let turn = 0; turn < aroundX; turn++) [up, back] = [back, FULL - up];
  for (let turn = 0; turn < aroundY; turn++) [right, back] = [FULL - back, right];
  return [right, up, back];
}

/** Returns quads that are turned around an axis by any angle, as leaning torches are. `scale` stretches the other axes. */
export function tiltedQuads(
  quads: readonly ModelQuad[],
  origin: ModelPoint,
  axis: 0 | 1 | 2,
  degrees: number,
  scale = 1,
): ModelQuad[] {
  const [first, second] = [(axis + 1) % AXES, (axis + 2) % AXES];
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return quads.map((quad) => {
    const corners = mapCorners(quad.corners, (point) => {
      const turned = [...point];
      const one = (point[first as 0] - origin[first as 0]) * scale;
      const two = (point[second as 0] - origin[second as 0]) * scale;
      turned[first] = origin[first as 0] + one * cos - two * sin;
      turned[second] = origin[second as 0] + one * sin + two * cos;
      return turned;
    });
    const isKept = quad.side !== undefined && quad.side >> 1 === axis;
    return { ...quad, corners, side: isKept ? quad.side : undefined };
  });
}

/** Returns the faces of a whole cube with whole textures, by side, or `undefined` if the quads are not one. */
export function cubeOf(quads: readonly ModelQuad[]): readonly FaceTexture[] | undefined {
  if (quads.length !== ALL_SIDE_NAMES.length) return undefined;
  const faces: (FaceTexture | undefined)[] = quads.map(() => undefined);
  for (const { corners, uvs, texture, side } of quads) {
    if (side === undefined || faces[side] !== undefined) return undefined;
    const whole = boxSide(side, [0, 0, 0], [FULL, FULL, FULL], texture, undefined, 0);
    const start = startOf(corners, whole.corners);
    if (start === undefined) return undefined;
    // The quad's first corner may be any of the four.
    const uvAt = (corner: number): readonly (number | undefined)[] => {
      const at = ((corner - start + CORNERS) % CORNERS) * 2;
      return [uvs[at], uvs[at + 1]];
    };
    const turns = ([0, 1, 2, 3] as const).find((turn) =>
      [0, 1, 2, 3].every((corner) => {
        const at = ((corner - turn + CORNERS) % CORNERS) * 2;
        const [u, v] = uvAt(corner);
        return u === whole.uvs[at] && v === whole.uvs[at + 1];
      }),
    );
    if (turns === undefined) return undefined;
    faces[side] = { ...texture, turns };
  }
  return faces as FaceTexture[];
}

/** Returns which corner of `whole` the first one of `corners` is, if they are the same in order. */
function startOf(corners: readonly number[], whole: readonly number[]): number | undefined {
  return [0, 1, 2, 3].find((start) =>
    corners.every((part, index) => part === whole[(index + start * AXES) % whole.length]),
  );
}

/** Returns the side that a flat quad along the axes looks to. */
function facingOf(corners: readonly number[]): number | undefined {
  const at = (corner: number, axis: number): number => corners[corner * AXES + axis] as number;
  for (let axis = 0; axis < AXES; axis++) {
    if ([1, 2, 3].some((corner) => at(corner, axis) !== at(0, axis))) continue;
    const [first, second] = [(axis + 1) % AXES, (axis + 2) % AXES];
    const turn =
      (at(1, first) - at(0, first)) * (at(2, second) - at(0, second)) -
      (at(1, second) - at(0, second)) * (at(2, first) - at(0, first));
    return axis * 2 + (turn > 0 ? 0 : 1);
  }
  return undefined;
}

/** Returns `side` if the corners lie in the plane of that side of the voxel. */
function sideOfPlane(corners: readonly number[], side: number): number | undefined {
  return corners[side >> 1] === ((side & 1) === 0 ? FULL : 0) ? side : undefined;
}

function lockedUvs(corners: readonly number[], side: number): number[] {
  const { right, down } = TEXTURE_AXES[side] as (typeof TEXTURE_AXES)[number];
  const uvs: number[] = [];
  for (let corner = 0; corner < corners.length; corner += AXES) {
    for (const { axis, isReversed } of [right, down]) {
      const at = corners[corner + axis] as number;
      uvs.push(isReversed ? FULL - at : at);
    }
  }
  return uvs;
}

function mapCorners(
  corners: readonly number[],
  change: (point: ModelPoint) => readonly number[],
): readonly number[] {
  const changed: number[] = [];
  for (let at = 0; at < corners.length; at += AXES) {
    changed.push(...change([corners[at] as number, corners[at + 1] as number, corners[at + 2] as number]));
  }
  return changed;
}
