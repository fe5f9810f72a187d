import { type Box, type Place, placeFrom } from "@orthant/core";

/** A text that only equal cells have in common. */
export function cellKey({ min, max }: Box): string {
  return `${min}/${max}`;
}

/** The chunk of a cell that is nearest to a chunk: an entity may have stepped out of its cell. */
export function clampPlace(chunk: Place, { min, max }: Box): Place {
  return placeFrom((axis) => Math.min(Math.max(chunk[axis], min[axis]), max[axis] - 1));
}
