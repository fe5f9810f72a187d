/** Speed of a sweep: share of the remaining distance per second, and the minimum in voxels per second. */
const SHARE_PER_SECOND = 9;
const VOXELS_PER_SECOND_MIN = 3;
/** A longer sweep starts at this distance from its target: the slices in between would be too fast to see. */
const SWEEP_VOXELS_MAX = 6;

/** Returns the position of a sweep after `seconds`: it slows down near the target, and does reach it. */
export function sweepTowards(shown: number, target: number, seconds: number): number {
  const distance = target - shown;
  if (distance === 0) return target;
  const near =
    Math.abs(distance) > SWEEP_VOXELS_MAX ? target - Math.sign(distance) * SWEEP_VOXELS_MAX : shown;
  const left = Math.abs(target - near);
  const step = Math.max(left * (1 - Math.exp(-SHARE_PER_SECOND * seconds)), VOXELS_PER_SECOND_MIN * seconds);
  return step >= left ? target : near + Math.sign(distance) * step;
}

/** Returns the visibility of a slice at this distance from the sweep: 1 is fully visible, 0 invisible. */
export function presenceAt(distance: number): number {
  return Math.max(0, Math.min(1, 1.25 - Math.abs(distance) * 1.5));
}
