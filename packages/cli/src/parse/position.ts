import { type Box, boxBetween, type Position } from "@orthant/core";
import { UsageError } from "../usage-error.ts";

const AXES_MAX = 4;

/** Parses `3,-4` or `1,2,3,4`: coordinates left out at the end are 0. */
export function parsePosition(text: string): Position {
  return coordinatesOf(text, 0);
}

/** Parses `0,0,0,0..8,8,8,8`: from the first position to the second, exclusive; an omitted axis is 0 to 1. */
export function parseBox(text: string): Box {
  const [from, to, ...rest] = text.split("..");
  if (from === undefined || to === undefined || rest.length > 0) {
    throw new UsageError(`"${text}" is no box; one looks like 0,0,0,0..8,8,8,8`);
  }
  const [min, max] = [coordinatesOf(from, 0), coordinatesOf(to, 1)];
  if (min.some((coordinate, axis) => coordinate >= (max[axis] ?? 0))) {
    throw new UsageError(
      `"${text}" holds nothing; the lower corner comes first, and the upper one is not in it`,
    );
  }
  return boxBetween(min, max);
}

function coordinatesOf(text: string, missing: number): Position {
  const words = text.split(",").map((word) => word.trim());
  if (words.length > AXES_MAX || !words.every((word) => /^[-+]?\d{1,15}$/.test(word))) {
    throw new UsageError(`"${text}" is no position; one looks like 1,-2,3,4`);
  }
  const [x = missing, y = missing, z = missing, w = missing] = words.map(Number);
  return [x, y, z, w];
}
