import { FIRST_SHARD } from "@orthant/cluster";
import type { Box } from "@orthant/core";

/** A split of a staged cluster. */
export interface PlannedSplit {
  readonly from: string;
  readonly to: string;
  readonly sectors: Box;
}

const FAR = 1_000_000;
/** The shards that the first three splits make: a quarter of the world each, which meet where players build. */
const QUARTERS: readonly string[] = [FIRST_SHARD, "east", "south", "corner"];
/** Where later splits cut each quarter again, along `w`, until each sector in which players build is a shard. */
const CUTS: readonly { readonly name: string; readonly from: string; readonly sector: number }[] = [
  { name: "far", from: "", sector: 2 },
  { name: "end", from: "far-", sector: 3 },
  { name: "near", from: "", sector: 1 },
];
const FIRST_SPLITS: readonly PlannedSplit[] = [
  { from: FIRST_SHARD, to: "east", sectors: halfSpace(0) },
  { from: FIRST_SHARD, to: "south", sectors: halfSpace(2) },
  { from: "east", to: "corner", sectors: halfSpace(2) },
];
const HIGHEST_SECTOR = 1_000;

/** Returns the split number `number`, from 0. Splits after the fifteenth take sectors in which nothing is built. */
export function plannedSplit(number: number): PlannedSplit {
  const first = FIRST_SPLITS[number];
  if (first !== undefined) return first;
  const later = number - FIRST_SPLITS.length;
  const quarter = QUARTERS[later % QUARTERS.length] ?? FIRST_SHARD;
  const cut = CUTS[Math.floor(later / QUARTERS.length)];
  if (cut === undefined)
    return { from: quarter, to: `high-${number}`, sectors: halfSpace(1, HIGHEST_SECTOR - number) };
  return { from: `${cut.from}${quarter}`, to: `${cut.name}-${quarter}`, sectors: halfSpace(3, cut.sector) };
}

/** Returns all sectors at or above `from` along an axis. */
function halfSpace(axis: number, from = 0): Box {
  const min: [number, number, number, number] = [-FAR, -FAR, -FAR, -FAR];
  min[axis] = from;
  return { min, max: [FAR, FAR, FAR, FAR] };
}
