import { type Box, comparePositions, type Position, PositionSet, REGION_EDGE_CHUNKS } from "@orthant/core";
import type { IndexVersion, LeafEntry } from "../codec/leaf-entry.ts";
import { describeCell } from "./cell.ts";

/**
 * Returns the first fault in the content of leaves, whose cells must be in order; `undefined` if there is
 * none.
 */
export function findLeafFault(leaves: readonly LeafEntry[], version: IndexVersion): string | undefined {
  const regions = new PositionSet();
  for (const { cell, chunkRefs, entityRefs, clocks } of leaves) {
    // Formatted lazily: every commit checks every leaf here.
    const where = (): string => `the leaf at ${describeCell(cell)}`;
    if (chunkRefs.length + entityRefs.length === 0 && (version === 1 || clocks.length === 0)) {
      return `${where()} holds nothing`;
    }
    if (version === 1) continue;
    for (const [index, { region }] of clocks.entries()) {
      const previous = clocks[index - 1];
      if (previous !== undefined && comparePositions(previous.region, region) >= 0) {
        return `${where()} lists the clock of region [${region}] out of order`;
      }
      if (!touches(cell, region)) return `${where()} has a clock of region [${region}]`;
      if (cell.max[0] - cell.min[0] >= REGION_EDGE_CHUNKS) continue;
      // Only leaves smaller than a region can share one.
      if (regions.has(...region)) return `two leaves have a clock of region [${region}]`;
      regions.add(...region);
    }
  }
  return undefined;
}

/**
 * Returns whether a region's chunks intersect an aligned cube. Either one contains the other, or they are
 * disjoint.
 */
function touches({ min, max }: Box, [x, y, z, w]: Position): boolean {
  const edge = REGION_EDGE_CHUNKS;
  return (
    x * edge < max[0] &&
    min[0] < (x + 1) * edge &&
    y * edge < max[1] &&
    min[1] < (y + 1) * edge &&
    z * edge < max[2] &&
    min[2] < (z + 1) * edge &&
    w * edge < max[3] &&
    min[3] < (w + 1) * edge
  );
}
