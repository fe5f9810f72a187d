import { defineGenerator, type Position } from "@orthant/core";

/** Returns a version of a generator whose voxels differ from those of every other version. */
function stripesOf(version: number) {
  return defineGenerator({
    id: "test:stripes",
    version,
    dimensions: 3,
    module: import.meta.url,
    open:
      ({ seed }) =>
      (x, y, z) =>
        blockOf(version, seed, [x, y, z]),
  });
}

/** Returns the block of a voxel in a version. */
export function blockOf(version: number, seed: bigint, [x, y, z]: Position<3>): number {
  return y >= 40 ? 0 : 8 * version + ((x + 3 * y + 5 * z + Number(seed)) & 7);
}

export const stripes1 = stripesOf(1);
export const stripes2 = stripesOf(2);
export const stripes3 = stripesOf(3);
/** All versions, oldest first. */
export const STRIPES = [stripes1, stripes2, stripes3] as const;
