/** How far a sweep comes in a second, as a share of what is left, and the least that it does in voxels a second. */
const SHARE_PER_SECOND = 9;
const VOXELS_PER_SECOND_MIN = 3;
/** A sweep over more than this begins closer by: nobody sees the slices in between. */
const SWEEP_VOXELS_MAX = 6;

/** Where a sweep towards a slice is after some time: it slows down as it arrives, and does arrive. */
export function sweepTowards(shown: number, target: number, seconds: number): number {
  const distance = target - shown;
  if (distance === 0) return target;
  const near =
    Math.abs(distance) > SWEEP_VOXELS_MAX ? target - Math.sign(distance) * SWEEP_VOXELS_MAX : shown;
  const left = Math.abs(target - near);
  const step = Math.max(left * (1 - Math.exp(-SHARE_PER_SECOND * seconds)), VOXELS_PER_SECOND_MIN * seconds);
  return step >= left ? target : near + Math.sign(distance) * step;
}

/** How much of a slice is to be seen when the sweep is so many voxels away from it: 1 all, 0 nothing. */
export function presenceAt(distance: number): number {
  return Math.max(0, Math.min(1, 1.25 - Math.abs(distance) * 1.5));
}
