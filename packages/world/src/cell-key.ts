import type { Box } from "@orthant/core";

/** Returns a map key that is unique to the cell. */
export function cellKey({ min, max }: Box): string {
  return `${min}/${max}`;
}
