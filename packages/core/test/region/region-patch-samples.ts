import { clockOf, type RegionChange } from "@orthant/core";

/** Returns a change of the region at the origin from step 5 of epoch 3 to step 6. */
export function change(parts: Partial<RegionChange>): RegionChange {
  return {
    region: [0, 0, 0, 0],
    base: clockOf(3, 5),
    next: clockOf(3, 6),
    piece: 0,
    leaves: [],
    edits: [],
    ...parts,
  };
}
