import { AIR, type BlockCatalog, DEFAULT_BLOCKS, type Dimensions, type Position } from "@orthant/core";
import type { VoxelReader } from "@orthant/mesh";
import type { Prng } from "@orthant/testkit";

export const STONE = 1;
export const WATER = 5;

/** The blocks of a random world, and the ids of those that are in it beside air. */
export interface RandomBlocks {
  readonly blocks: BlockCatalog;
  readonly ids: readonly number[];
}

/** A small world of random blocks, from -`reach` to `reach` - 1 on each axis, with air or unloaded space around it. */
export class RandomWorld<D extends Dimensions> implements VoxelReader<D> {
  readonly dimensions: D;
  readonly blocks: BlockCatalog;
  readonly reach: number;
  readonly #voxels: Uint16Array;
  readonly #outside: number | undefined;

  constructor(
    dimensions: D,
    reach: number,
    stonesInHundred: number,
    outside: number | undefined,
    prng: Prng,
    { blocks, ids }: RandomBlocks = { blocks: DEFAULT_BLOCKS, ids: [STONE] },
  ) {
    this.blocks = blocks;
    this.dimensions = dimensions;
    this.reach = reach;
    this.#outside = outside;
    this.#voxels = Uint16Array.from({ length: (2 * reach) ** dimensions }, () => {
      const drawn = prng.below(100);
      if (drawn < stonesInHundred) return ids.length === 1 ? STONE : prng.pick(ids);
      return drawn < stonesInHundred + 5 && ids.length === 1 ? WATER : AIR;
    });
  }

  voxelAt(position: Position<D>): number | undefined {
    let index = 0;
    for (const coordinate of position) {
      if (coordinate < -this.reach || coordinate >= this.reach) return this.#outside;
      index = index * 2 * this.reach + coordinate + this.reach;
    }
    return this.#voxels[index];
  }

  /** Returns the position of every voxel whose block `accepts` accepts. */
  positions(accepts: (block: number) => boolean): readonly Position<D>[] {
    const edge = 2 * this.reach;
    return Array.from(this.#voxels.entries()).flatMap(([index, block]) => {
      if (!accepts(block)) return [];
      const position = Array.from({ length: this.dimensions }, (_, axis) => {
        return (Math.floor(index / edge ** (this.dimensions - 1 - axis)) % edge) - this.reach;
      });
      return [position as unknown as Position<D>];
    });
  }
}

/** Returns a random number from `min` to `max`. */
export function between(prng: Prng, min: number, max: number): number {
  return min + ((max - min) * prng.below(1 << 24)) / (1 << 24);
}
