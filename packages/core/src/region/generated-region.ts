import type { Position } from "../lattice/position.ts";
import type { RegionTree } from "../tree/region-tree.ts";
import { CLOCK_NEVER } from "./region-clock.ts";
import { changeOverAir } from "./region-patch-build.ts";
import { changeBodies } from "./region-patch-split.ts";

/**
 * Encodes the generated content of a region that was never edited, for a receiver that has nothing of it. Returns
 * the bodies of its patches, none for a region of air.
 */
export function encodeGeneratedRegion(
  generated: RegionTree,
  region: Position,
  volume: number,
  pieceBytesMax: number,
): readonly Uint8Array[] {
  const change = changeOverAir(generated, { region, clock: CLOCK_NEVER });
  if (change.leaves.length === 0) return [];
  return changeBodies(change, volume, pieceBytesMax);
}
