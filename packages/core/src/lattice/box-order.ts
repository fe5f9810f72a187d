import type { Box } from "./box.ts";
import type { Position } from "./position.ts";

/** Yields the positions of a box, as voxels are numbered: x runs fastest, then y, z and w. */
export function* positionsMinorToMajor({ min, max }: Box): Generator<Position, void, undefined> {
  for (let w = min[3]; w < max[3]; w++)
    for (let z = min[2]; z < max[2]; z++)
      for (let y = min[1]; y < max[1]; y++) for (let x = min[0]; x < max[0]; x++) yield [x, y, z, w];
}

/** Yields the positions of a box in the order of `comparePositions`: w runs fastest, then z, y and x. */
export function* positionsLexicographic({ min, max }: Box): Generator<Position, void, undefined> {
  for (let x = min[0]; x < max[0]; x++)
    for (let y = min[1]; y < max[1]; y++)
      for (let z = min[2]; z < max[2]; z++) for (let w = min[3]; w < max[3]; w++) yield [x, y, z, w];
}
