/** A campaign's claim to time: the share of its goal that is left, and the lanes it keeps busy. */
export interface TimeWish {
  readonly weight: number;
  readonly lanes: number;
}

/** Least weight, so that a campaign that has reached its goal still runs, on other seeds. */
const WEIGHT_MIN = 0.05;

/**
 * Returns the milliseconds for one campaign: its share, by weight, of the remaining free time of all lanes.
 * `all` holds the campaigns that have not run yet, including this one.
 */
export function shareOf(wish: TimeWish, all: readonly TimeWish[], freeMs: readonly number[]): number {
  const weightOf = ({ weight, lanes }: TimeWish): number => Math.max(WEIGHT_MIN, weight) * lanes;
  const total = all.reduce((sum, other) => sum + weightOf(other), 0);
  const free = freeMs.reduce((sum, ms) => sum + ms, 0);
  return (free * weightOf(wish)) / total / wish.lanes;
}
