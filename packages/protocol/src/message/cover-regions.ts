import { AXES, type Axis, type Box, boxVolume, type Place } from "@orthant/core";
import { boxAround, fitsOneMask, inOrder, type RegionMask } from "./region-mask.ts";

/** What a mask costs in a message of its own, besides its bitmap: about so many bytes. */
const MASK_BYTES = 14;

/** The given regions as masks, each region in one of them: few bytes in all. */
export function coverRegions(regions: readonly Place[]): readonly RegionMask[] {
  return cover(inOrder(regions));
}

function cover(regions: readonly Place[]): readonly RegionMask[] {
  const box = boxAround(regions);
  if (box === undefined) return [];
  const fits = fitsOneMask(box, regions.length);
  const bytes = maskBytes(box, regions);
  if (fits && bytes <= 2 * MASK_BYTES) return [{ box, regions }];
  // Halves, not gaps: cutting off one region at a time would take the square of their number.
  const axis = longestAxis(box);
  const middle = Math.floor((box.min[axis] + box.max[axis]) / 2);
  const apart = [
    ...cover(regions.filter((region) => region[axis] < middle)),
    ...cover(regions.filter((region) => region[axis] >= middle)),
  ];
  const apartBytes = apart.reduce((sum, mask) => sum + maskBytes(mask.box, mask.regions), 0);
  return fits && bytes <= apartBytes ? [{ box, regions }] : apart;
}

function maskBytes(box: Box, regions: readonly Place[]): number {
  const volume = boxVolume(box);
  return MASK_BYTES + (volume > regions.length ? Math.ceil(volume / 8) : 0);
}

function longestAxis({ min, max }: Box): Axis {
  return AXES.reduce((longest, axis) =>
    max[axis] - min[axis] > max[longest] - min[longest] ? axis : longest,
  );
}
