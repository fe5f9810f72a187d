import {
  CLOCK_NEVER,
  CLOCK_STEPS_PER_EPOCH,
  clockOf,
  comparePositions,
  EPOCH_MAX,
  type Position,
  positionFrom,
  positionsLexicographic,
  type RegionClock,
} from "@orthant/core";
import type { Pose, Vector } from "@orthant/protocol";
import { type RegionMask, regionMask } from "@orthant/protocol/internal";
import type { Prng } from "../prng.ts";

const REGION_MIN = -(2 ** 29);
const REGION_MAX = 2 ** 29 - 1;
const LETTERS = ["a", "Z", " ", "é", "漢", "🙂"] as const;

/** Returns a count of at least `min`: mostly small, sometimes as large as possible. */
export function randomCount(prng: Prng, min: number): number {
  if (prng.chance(0.1)) return Number.MAX_SAFE_INTEGER;
  return min + prng.below(prng.pick([3, 300, 2 ** 31]));
}

/** Returns any 64-bit value. */
export function randomU64(prng: Prng): bigint {
  return (BigInt(prng.u32()) << 32n) | BigInt(prng.u32());
}

/** Returns at most `lengthMax` items. */
export function randomList<Item>(prng: Prng, lengthMax: number, item: () => Item): readonly Item[] {
  return Array.from({ length: prng.between(0, lengthMax) }, item);
}

/** Returns text of letters that take one to four bytes each. */
export function randomText(prng: Prng): string {
  return randomList(prng, 12, () => prng.pick(LETTERS)).join("");
}

/** Returns a vector that a message can represent exactly, in steps of 1 / `steps`. */
export function randomVector(prng: Prng, steps: number): Vector {
  const reach = prng.pick([1, 64, 2 ** 30]);
  return positionFrom(() => prng.between(-reach, reach) / steps);
}

/** Returns a pose that a message can represent exactly. */
export function randomPose(prng: Prng): Pose {
  return {
    position: randomVector(prng, 64),
    orientation: positionFrom(() => prng.between(-127, 127) / 127),
  };
}

/** Returns a region near the origin, far away or at the very edge. */
export function randomRegion(prng: Prng): Position {
  if (prng.chance(0.05)) return positionFrom(() => (prng.chance(0.5) ? REGION_MIN : REGION_MAX));
  const reach = prng.pick([2, 25_000]);
  return positionFrom(() => prng.between(-reach, reach));
}

/** Returns some regions in order, each once. */
export function randomRegions(prng: Prng, lengthMax: number): readonly Position[] {
  const regions = [...randomList(prng, lengthMax, () => randomRegion(prng))].sort(comparePositions);
  return regions.filter((region, index) => {
    const previous = regions[index - 1];
    return previous === undefined || comparePositions(previous, region) < 0;
  });
}

/** Returns a clock: `CLOCK_NEVER`, an early one or the last possible one. */
function randomClock(prng: Prng): number {
  if (prng.chance(0.2)) return CLOCK_NEVER;
  if (prng.chance(0.05)) return clockOf(EPOCH_MAX, CLOCK_STEPS_PER_EPOCH - 1);
  return clockOf(prng.between(1, 5), prng.between(1, 300));
}

/** Returns regions in order, with clocks. */
export function randomClocks(prng: Prng): readonly RegionClock[] {
  return randomRegions(prng, 6).map((region) => ({ region, clock: randomClock(prng) }));
}

/** Returns regions near each other, sometimes all those of a box. */
export function randomMask(prng: Prng): RegionMask {
  const corner = positionFrom(() => prng.between(-9, 9));
  const box = { min: corner, max: positionFrom((axis) => corner[axis] + prng.between(1, 3)) };
  const missing = prng.pick([0, 0.3, 0.9]);
  return regionMask([corner, ...[...positionsLexicographic(box)].filter(() => !prng.chance(missing))]);
}
