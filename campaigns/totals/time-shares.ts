/** What a campaign asks for: how much of its goal is left, and how many lanes it keeps busy. */
export interface TimeWish {
  readonly weight: number;
  readonly lanes: number;
}

/** A campaign that has reached its goal still runs, on other seeds. */
const WEIGHT_MIN = 0.05;

/**
 * The milliseconds for one campaign: its part, by weight, of the time that the lanes are still free for all campaigns that
 * have not run yet, of which it is one.
 */
export function shareOf(wish: TimeWish, all: readonly TimeWish[], freeMs: readonly number[]): number {
  const weightOf = ({ weight, lanes }: TimeWish): number => Math.max(WEIGHT_MIN, weight) * lanes;
  const total = all.reduce((sum, other) => sum + weightOf(other), 0);
  const free = freeMs.reduce((sum, ms) => sum + ms, 0);
  return (free * weightOf(wish)) / total / wish.lanes;
}
