import {
  AXES,
  type Box,
  boxBetween,
  boxContainsBox,
  boxVolume,
  OrthantError,
  type Position,
  PositionSet,
  positionFrom,
  positionsLexicographic,
  REGION_EDGE_CHUNKS,
  regionsTouching,
  WHOLE_LATTICE,
} from "@orthant/core";
import type { Vector } from "../message/entity.ts";
import { INTEREST_BOXES_MAX, INTEREST_REGIONS_MAX } from "../message/limits.ts";
import type { InterestArea } from "./sync-client-options.ts";

/** An interest in whole voxels, with its regions. */
export interface InterestRegions {
  readonly boxes: readonly Box[];
  readonly center: Vector;
  readonly motion: Vector;
  readonly regions: PositionSet;
}

const STILL: Vector = [0, 0, 0, 0];

/** Returns an interest's regions. Throws `ORT_ARGUMENT` if invalid, `ORT_LIMIT` if no server grants it. */
export function interestRegions({ boxes, center, motion = STILL }: InterestArea): InterestRegions {
  if (boxes.length > INTEREST_BOXES_MAX) {
    throw new OrthantError("ORT_LIMIT", `${boxes.length} boxes where at most ${INTEREST_BOXES_MAX} may be`);
  }
  const regions = new PositionSet();
  const checked = boxes.map(({ min, max }) => boxBetween(min, max));
  for (const box of checked) {
    if (!boxContainsBox(WHOLE_LATTICE, box)) {
      throw new OrthantError("ORT_ARGUMENT", `[${box.min}] to [${box.max}] are not chunks of the lattice`);
    }
    const touched = regionsTouching(box);
    if (boxVolume(touched) > INTEREST_REGIONS_MAX) throw tooMany();
    for (const region of positionsLexicographic(touched)) regions.add(...region);
    if (regions.size > INTEREST_REGIONS_MAX) throw tooMany();
  }
  return { boxes: checked, center: wholeVoxels(center), motion: wholeVoxels(motion), regions };
}

/** Returns a comparator that orders regions by distance from a voxel; `extents` are those of a chunk. */
export function nearestFirst(center: Vector, extents: Position): (a: Position, b: Position) => number {
  const middle = positionFrom((axis) => center[axis] / extents[axis] / REGION_EDGE_CHUNKS - 0.5);
  const distance = (region: Position): number =>
    AXES.reduce<number>((sum, axis) => sum + (region[axis] - middle[axis]) ** 2, 0);
  return (a, b) => distance(a) - distance(b);
}

function wholeVoxels(vector: Vector): Vector {
  const whole = positionFrom((axis) => Math.round(vector[axis]) + 0);
  if (whole.every(Number.isSafeInteger)) return whole;
  throw new OrthantError("ORT_ARGUMENT", `[${vector}] is not a point`);
}

function tooMany(): OrthantError {
  return new OrthantError("ORT_LIMIT", `an interest in more than ${INTEREST_REGIONS_MAX} regions`);
}
