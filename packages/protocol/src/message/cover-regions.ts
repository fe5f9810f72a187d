import { AXES, type Axis, type Box, boxVolume, type Position } from "@orthant/core";
import { boxAround, fitsOneMask, inOrder, type RegionMask } from "./region-mask.ts";

/** Approximate bytes of a mask in its own message, without its bitmap. */
const MASK_BYTES = 14;

/** Splits regions into disjoint masks that take few bytes in total. */
export function coverRegions(regions: readonly Position[]): readonly RegionMask[] {
  return cover(inOrder(regions));
}

function cover(regions: readonly Position[]): readonly RegionMask[] {
  const box = boxAround(regions);
  if (box === undefined) return [];
  const fits = fitsOneMask(box, regions.length);
  const bytes = maskBytes(box, regions);
  if (fits && bytes <= 2 * MASK_BYTES) return [{ box, regions }];
  // Cuts at the middle, not at gaps: cutting off one region at a time would take quadratic time.
  const axis = longestAxis(box);
  const middle = Math.floor((box.min[axis] + box.max[axis]) / 2);
  const apart = [
    ...cover(regions.filter((region) => region[axis] < middle)),
    ...cover(regions.filter((region) => region[axis] >= middle)),
  ];
  const apartBytes = apart.reduce((sum, mask) => sum + maskBytes(mask.box, mask.regions), 0);
  return fits && bytes <= apartBytes ? [{ box, regions }] : apart;
}

function maskBytes(box: Box, regions: readonly Position[]): number {
  const volume = boxVolume(box);
  return MASK_BYTES + (volume > regions.length ? Math.ceil(volume / 8) : 0);
}

function longestAxis({ min, max }: Box): Axis {
  return AXES.reduce((longest, axis) =>
    max[axis] - min[axis] > max[longest] - min[longest] ? axis : longest,
  );
}
