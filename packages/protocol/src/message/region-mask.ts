import {
  AXES,
  type Box,
  boxVolume,
  comparePositions,
  OrthantError,
  type Position,
  positionFrom,
} from "@orthant/core";
import { INTEREST_REGIONS_MAX, MASK_BOX_REGIONS_MAX } from "./limits.ts";

/** A set of regions, encoded compactly because they are close to each other. */
export interface RegionMask {
  /** The smallest box of regions that contains all members. */
  readonly box: Box;
  /** The members in lexicographic order, at least one. */
  readonly regions: readonly Position[];
}

/** Returns the mask of regions in any order. Throws `ORT_LIMIT` if they are too many or too far apart. */
export function regionMask(regions: readonly Position[]): RegionMask {
  const members = inOrder(regions);
  const box = boxAround(members);
  if (box === undefined) throw new OrthantError("ORT_ARGUMENT", "a mask of no regions");
  if (!fitsOneMask(box, members.length)) {
    const detail = `${members.length} regions in a box of ${boxVolume(box)} are too much for one mask`;
    throw new OrthantError("ORT_LIMIT", detail);
  }
  return { box, regions: members };
}

/** Returns the smallest box around regions, or `undefined` if there are none. */
export function boxAround(regions: readonly Position[]): Box | undefined {
  const [first] = regions;
  if (first === undefined) return undefined;
  const min: [number, number, number, number] = [...first];
  const last: [number, number, number, number] = [...first];
  for (const region of regions) {
    for (const axis of AXES) {
      if (region[axis] < min[axis]) min[axis] = region[axis];
      if (region[axis] > last[axis]) last[axis] = region[axis];
    }
  }
  return { min, max: positionFrom((axis) => last[axis] + 1) };
}

/** Returns true when `regions` regions in `box` may form one mask. */
export function fitsOneMask(box: Box, regions: number): boolean {
  return regions <= INTEREST_REGIONS_MAX && boxVolume(box) <= MASK_BOX_REGIONS_MAX;
}

/** Returns regions in lexicographic order without duplicates. */
export function inOrder(regions: readonly Position[]): readonly Position[] {
  return [...regions].sort(comparePositions).filter((region, index, sorted) => {
    const previous = sorted[index - 1];
    return previous === undefined || comparePositions(previous, region) !== 0;
  });
}
