import type { Box, Position } from "@orthant/core";
import { boxBetween, positionFrom } from "@orthant/core/lattice";
import type { Prng } from "@orthant/testkit";

/** Returns a random box with edges of 1 to 4 near the origin, so that two of them often touch. */
export function smallBox(prng: Prng): Box {
  const min: Position = positionFrom(() => prng.between(-3, 2));
  return boxBetween(
    min,
    positionFrom((axis) => min[axis] + prng.between(1, 4)),
  );
}

/** Returns the positions of a box as a set of strings, found by testing every position near the origin. */
export function modelOf({ min, max }: Box): Set<string> {
  const positions = new Set<string>();
  for (let x = -5; x <= 7; x++)
    for (let y = -5; y <= 7; y++)
      for (let z = -5; z <= 7; z++)
        for (let w = -5; w <= 7; w++) {
          const position: Position = [x, y, z, w];
          if (position.every((value, axis) => value >= (min[axis] ?? 0) && value < (max[axis] ?? 0))) {
            positions.add(String(position));
          }
        }
  return positions;
}
