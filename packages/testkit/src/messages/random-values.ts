import type { Vector } from "@orthant/core";
import { positionFrom } from "@orthant/core/lattice";
import type { Pose } from "@orthant/protocol";
import type { Prng } from "../base/prng.ts";

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

/** Returns a pose that a message can represent exactly, with `steps` steps from 0 to 1 in an orientation. */
export function randomPose(prng: Prng, steps = 127): Pose {
  return {
    position: randomVector(prng, 64),
    orientation: positionFrom(() => prng.between(-steps, steps) / steps),
  };
}
