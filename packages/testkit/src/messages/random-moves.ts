import type { EntityMoves, PoseSteps } from "@orthant/protocol/internal";
import type { Prng } from "../base/prng.ts";

/** Returns moves, of which some columns are absent and some absolute. */
export function randomMoves(prng: Prng): EntityMoves {
  const absolute = prng.below(256);
  const isStill = Array.from({ length: 8 }, () => prng.chance(0.4));
  const reach = prng.pick([1, 20, 4_000]);
  let number = prng.below(prng.pick([3, 2 ** 40]));
  const moves = Array.from({ length: prng.between(1, 40) }, () => {
    number += prng.between(1, prng.pick([1, 9, 3_000]));
    const steps = isStill.map((still, field) => {
      if (field >= 4) return still ? 0 : prng.between(-63, 63);
      return still ? 0 : prng.between(-reach, reach);
    });
    return { number, steps: steps as unknown as PoseSteps };
  });
  return { kind: "moves", absolute, moves };
}
