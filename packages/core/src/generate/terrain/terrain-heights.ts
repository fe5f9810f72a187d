import type { ChunkShape } from "../../lattice/chunk-shape.ts";
import { addNoise, type ColumnArea } from "../hash/gradient-noise.ts";
import { hashKey, PositionMemo } from "../hash/position-hash.ts";

/** The ground in one column of chunks: the height of the first voxel above it, x running fastest. */
export interface ColumnHeights {
  readonly heights: Float64Array;
  readonly lowest: number;
  readonly highest: number;
}

/** Octaves of the hills: the width of the waves in voxels and their share of the relief, in total 1. */
const OCTAVES: readonly { readonly period: number; readonly share: number }[] = [
  { period: 256, share: 0.5 },
  { period: 128, share: 0.25 },
  { period: 64, share: 0.125 },
  { period: 32, share: 0.0625 },
  { period: 16, share: 0.0625 },
];
const CALM_PERIOD = 512;
/** Fraction of the relief that remains where the land is calmest. */
const CALM_SHARE = 0.3;
/** Noise rarely comes near its bounds; this uses the whole relief, at the price of a rare plateau. */
const GAIN = 3;
const COLUMNS_KEPT = 1024;

/** Computes the ground height. Gentle and rugged land blend slowly into each other. */
export class TerrainHeights {
  /** Bounds of all heights. */
  readonly lowest: number;
  readonly highest: number;
  readonly #base: number;
  readonly #relief: number;
  readonly #calmKey: number;
  readonly #octaveKeys: readonly number[];
  readonly #columns: PositionMemo<ColumnHeights>;
  readonly #points: PositionMemo<number>;

  constructor(base: number, relief: number, seed: bigint, { extents }: ChunkShape) {
    this.#base = base;
    this.#relief = relief;
    this.lowest = base - relief - 1;
    this.highest = base + relief + 1;
    this.#calmKey = hashKey(seed, 0x7e00);
    this.#octaveKeys = OCTAVES.map((_, index) => hashKey(seed, 0x7e01 + index));
    this.#columns = new PositionMemo(COLUMNS_KEPT, (x, _y, z) => {
      const heights = this.#heightsIn({
        minX: x * extents[0],
        minZ: z * extents[2],
        countX: extents[0],
        countZ: extents[2],
      });
      return withBounds(heights);
    });
    this.#points = new PositionMemo(
      COLUMNS_KEPT,
      (x, _y, z) => this.#heightsIn({ minX: x, minZ: z, countX: 1, countZ: 1 })[0] as number,
    );
  }

  /** Returns the ground in a column of chunks. */
  under(chunkX: number, chunkZ: number): ColumnHeights {
    return this.#columns.at(chunkX, 0, chunkZ, 0);
  }

  /** Returns the ground height in a column of voxels. */
  at(x: number, z: number): number {
    return this.#points.at(x, 0, z, 0);
  }

  #heightsIn(area: ColumnArea): Float64Array {
    const calm = new Float64Array(area.countX * area.countZ);
    const hills = new Float64Array(calm.length);
    addNoise(calm, area, CALM_PERIOD, 2, this.#calmKey);
    OCTAVES.forEach(({ period, share }, index) => {
      addNoise(hills, area, period, share, this.#octaveKeys[index] as number);
    });
    for (let column = 0; column < hills.length; column++) {
      const rugged = Math.min(1, Math.max(CALM_SHARE, 0.5 + (calm[column] as number)));
      const height = Math.min(1, Math.max(-1, (hills[column] as number) * GAIN)) * rugged;
      hills[column] = this.#base + Math.floor(height * this.#relief);
    }
    return hills;
  }
}

function withBounds(heights: Float64Array): ColumnHeights {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const height of heights) {
    if (height < lowest) lowest = height;
    if (height > highest) highest = height;
  }
  return { heights, lowest, highest };
}
