import type { Capsule } from "../draw/capsule.ts";
import { LAVA, WATER } from "../draw/palette.ts";
import { FeatureCells } from "../hash/feature-cells.ts";
import { HashSequence, hashKey, hashPosition } from "../hash/position-hash.ts";

/** A hollow in the ground, filled with `poolBlock` below `poolTop`. */
export interface Cave extends Capsule {
  readonly poolTop: number;
  readonly poolBlock: number;
}

const CELL_VOXELS = 48;
/** Minimum distance of a knot from the sides of its cell. */
const KNOT_MARGIN_VOXELS = 10;
const BEND_VOXELS = 9;
const TUNNEL_RADIUS_MAX = 4;
const HALL_LENGTH_MAX = 10;
const HALL_RADIUS_MAX = 12;
/** Bends leave the cell by at most `BEND_VOXELS - KNOT_MARGIN_VOXELS`, halls only by their radius. */
const REACH_BELOW = HALL_RADIUS_MAX;
/** A tunnel ends at the knot of the next cell. */
const REACH_ABOVE = CELL_VOXELS - KNOT_MARGIN_VOXELS + HALL_RADIUS_MAX;
/** Depth below the base level from which halls hold lava. */
const LAVA_DEPTH_VOXELS = 96;

type Point = readonly [x: number, y: number, z: number];

/** Scatters tunnels that join knots, one in each cell of a lattice, and halls around some of the knots. */
export function scatterCaves(seed: bigint, baseLevel: number, hasDepth: boolean): FeatureCells<Cave> {
  const knotKey = hashKey(seed, 0xca01);
  const tunnelKey = hashKey(seed, 0xca02);
  const hallKey = hashKey(seed, 0xca03);

  function knotOf(x: number, y: number, z: number): Point {
    const draw = new HashSequence(hashPosition(knotKey, x, y, z, 0));
    const inside = () => draw.between(KNOT_MARGIN_VOXELS, CELL_VOXELS - 1 - KNOT_MARGIN_VOXELS);
    const along = inside();
    const up = inside();
    return [x * CELL_VOXELS + along, y * CELL_VOXELS + up, hasDepth ? z * CELL_VOXELS + inside() : 0];
  }

  function tunnel(from: Point, to: Point, draw: HashSequence): readonly Cave[] {
    const bend = (a: number, b: number, share: number) =>
      Math.floor(a + (b - a) * share) + draw.between(-BEND_VOXELS, BEND_VOXELS);
    const bendAt = (share: number): Point => {
      const x = bend(from[0], to[0], share);
      const y = bend(from[1], to[1], share);
      return [x, y, hasDepth ? bend(from[2], to[2], share) : 0];
    };
    const points = [from, bendAt(0.25), bendAt(0.5), bendAt(0.75)];
    return points.map((point, index) => {
      const radius = 2 + draw.fraction() * (TUNNEL_RADIUS_MAX - 2);
      return dry(point, points[index + 1] ?? to, radius);
    });
  }

  function hall([x, y, z]: Point, draw: HashSequence): Cave {
    const length = draw.between(0, HALL_LENGTH_MAX);
    const isAlongX = !hasDepth || draw.percent(50);
    const to: Point = isAlongX ? [x + length, y, z] : [x, y, z + length];
    const hollow = dry([x, y, z], to, draw.between(6, HALL_RADIUS_MAX));
    const isFlooded = draw.percent(60);
    const poolBlock = y < baseLevel - LAVA_DEPTH_VOXELS ? LAVA : WATER;
    return {
      ...hollow,
      flatness: 1.6,
      poolBlock,
      poolTop: isFlooded ? y - draw.between(1, 3) : Number.NEGATIVE_INFINITY,
    };
  }

  function featuresOf(x: number, y: number, z: number): readonly Cave[] {
    const draw = new HashSequence(hashPosition(tunnelKey, x, y, z, 0));
    const knot = knotOf(x, y, z);
    const caves: Cave[] = [];
    if (draw.percent(50)) caves.push(...tunnel(knot, knotOf(x + 1, y, z), draw));
    if (draw.percent(30)) caves.push(...tunnel(knot, knotOf(x, y + 1, z), draw));
    if (hasDepth && draw.percent(50)) caves.push(...tunnel(knot, knotOf(x, y, z + 1), draw));
    const hallDraw = new HashSequence(hashPosition(hallKey, x, y, z, 0));
    if (hallDraw.percent(30)) caves.push(hall(knot, hallDraw));
    return caves;
  }

  return new FeatureCells({
    edge: CELL_VOXELS,
    reachBelow: REACH_BELOW,
    reachAbove: REACH_ABOVE,
    hasDepth,
    featuresOf,
  });
}

function dry([fromX, fromY, fromZ]: Point, [toX, toY, toZ]: Point, radius: number): Cave {
  const poolTop = Number.NEGATIVE_INFINITY;
  return { fromX, fromY, fromZ, toX, toY, toZ, radius, flatness: 1, poolTop, poolBlock: WATER };
}
