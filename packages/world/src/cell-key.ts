import type { Box } from "@orthant/core";

/** A text that only equal cells have in common. */
export function cellKey({ min, max }: Box): string {
  return `${min}/${max}`;
}
