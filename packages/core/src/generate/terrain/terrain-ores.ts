import type { Capsule } from "../draw/capsule.ts";
import { COAL_ORE, GOLD_ORE, IRON_ORE } from "../draw/palette.ts";
import { FeatureCells } from "../hash/feature-cells.ts";
import { HashSequence, hashKey, hashPosition } from "../hash/position-hash.ts";

/** A vein of one ore. */
export interface Vein extends Capsule {
  readonly block: number;
}

const CELL_VOXELS = 24;
const VEIN_PERCENT = 40;
const LENGTH_MAX = 4;
const REACH = LENGTH_MAX + 3;
/** Depth below the base level at which each ore starts. */
const COAL_DEPTH_VOXELS = 0;
const IRON_DEPTH_VOXELS = 24;
const GOLD_DEPTH_VOXELS = 64;

/** Scatters at most one vein in each cell of a lattice, richer with depth. */
export function scatterOres(seed: bigint, baseLevel: number, hasDepth: boolean): FeatureCells<Vein> {
  const key = hashKey(seed, 0x04e5);

  function featuresOf(x: number, y: number, z: number): readonly Vein[] {
    const draw = new HashSequence(hashPosition(key, x, y, z, 0));
    if (!draw.percent(VEIN_PERCENT)) return [];
    const fromX = x * CELL_VOXELS + draw.below(CELL_VOXELS);
    const fromY = y * CELL_VOXELS + draw.below(CELL_VOXELS);
    const fromZ = hasDepth ? z * CELL_VOXELS + draw.below(CELL_VOXELS) : 0;
    const kinds = oresAt(baseLevel - fromY);
    if (kinds.length === 0) return [];
    const toX = fromX + draw.between(-LENGTH_MAX, LENGTH_MAX);
    const toY = fromY + draw.between(-LENGTH_MAX, LENGTH_MAX);
    const toZ = hasDepth ? fromZ + draw.between(-LENGTH_MAX, LENGTH_MAX) : 0;
    const radius = 1 + draw.fraction() * 1.2;
    return [{ fromX, fromY, fromZ, toX, toY, toZ, radius, flatness: 1, block: draw.pick(kinds) }];
  }

  return new FeatureCells({ edge: CELL_VOXELS, reachBelow: REACH, reachAbove: REACH, hasDepth, featuresOf });
}

function oresAt(depth: number): readonly number[] {
  if (depth < COAL_DEPTH_VOXELS) return [];
  if (depth < IRON_DEPTH_VOXELS) return [COAL_ORE];
  if (depth < GOLD_DEPTH_VOXELS) return [COAL_ORE, COAL_ORE, IRON_ORE];
  return [COAL_ORE, IRON_ORE, IRON_ORE, GOLD_ORE];
}
