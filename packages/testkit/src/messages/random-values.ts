import {
  CLOCK_NEVER,
  CLOCK_STEPS_PER_EPOCH,
  clockOf,
  comparePlaces,
  EPOCH_MAX,
  type Place,
  placeFrom,
  placesLexicographic,
  type RegionClock,
} from "@orthant/core";
import { type Pose, type RegionMask, regionMask, type Vector } from "@orthant/protocol";
import type { Prng } from "../prng.ts";

const REGION_MIN = -(2 ** 29);
const REGION_MAX = 2 ** 29 - 1;
const LETTERS = ["a", "Z", " ", "é", "漢", "🙂"] as const;

/** A count from `min` on: mostly small, now and then as large as can be. */
export function randomCount(prng: Prng, min: number): number {
  if (prng.chance(0.1)) return Number.MAX_SAFE_INTEGER;
  return min + prng.below(prng.pick([3, 300, 2 ** 31]));
}

/** Any 64 bits. */
export function randomU64(prng: Prng): bigint {
  return (BigInt(prng.u32()) << 32n) | BigInt(prng.u32());
}

/** Items, at most so many. */
export function randomList<Item>(prng: Prng, lengthMax: number, item: () => Item): readonly Item[] {
  return Array.from({ length: prng.between(0, lengthMax) }, item);
}

/** Text of letters that take one to four bytes each. */
export function randomText(prng: Prng): string {
  return randomList(prng, 12, () => prng.pick(LETTERS)).join("");
}

/** A vector that a message can say exactly, with so many steps to 1. */
export function randomVector(prng: Prng, steps: number): Vector {
  const reach = prng.pick([1, 64, 2 ** 30]);
  return placeFrom(() => prng.between(-reach, reach) / steps);
}

/** A pose that a message can say exactly. */
export function randomPose(prng: Prng): Pose {
  return {
    position: randomVector(prng, 64),
    orientation: placeFrom(() => prng.between(-127, 127) / 127),
  };
}

/** A region: near to the origin, far out or at the very edge. */
export function randomRegion(prng: Prng): Place {
  if (prng.chance(0.05)) return placeFrom(() => (prng.chance(0.5) ? REGION_MIN : REGION_MAX));
  const reach = prng.pick([2, 25_000]);
  return placeFrom(() => prng.between(-reach, reach));
}

/** Some regions in their order, each once. */
export function randomRegions(prng: Prng, lengthMax: number): readonly Place[] {
  const regions = [...randomList(prng, lengthMax, () => randomRegion(prng))].sort(comparePlaces);
  return regions.filter((region, index) => {
    const previous = regions[index - 1];
    return previous === undefined || comparePlaces(previous, region) < 0;
  });
}

/** A clock that may be one of nobody's, an old one or the last there can be. */
function randomClock(prng: Prng): number {
  if (prng.chance(0.2)) return CLOCK_NEVER;
  if (prng.chance(0.05)) return clockOf(EPOCH_MAX, CLOCK_STEPS_PER_EPOCH - 1);
  return clockOf(prng.between(1, 5), prng.between(1, 300));
}

/** Regions in their order, with clocks. */
export function randomClocks(prng: Prng): readonly RegionClock[] {
  return randomRegions(prng, 6).map((region) => ({ region, clock: randomClock(prng) }));
}

/** Regions near to each other, sometimes all those of a box. */
export function randomMask(prng: Prng): RegionMask {
  const corner = placeFrom(() => prng.between(-9, 9));
  const box = { min: corner, max: placeFrom((axis) => corner[axis] + prng.between(1, 3)) };
  const missing = prng.pick([0, 0.3, 0.9]);
  return regionMask([corner, ...[...placesLexicographic(box)].filter(() => !prng.chance(missing))]);
}
