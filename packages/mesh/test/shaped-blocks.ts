import {
  AIR,
  BlockCatalog,
  type BlockDefinition,
  type BlockDefinitions,
  DEFAULT_BLOCKS,
  type Dimensions,
  type Position,
} from "@orthant/core";
import { defineBlocks } from "@orthant/core/chunk";
import type { VoxelReader } from "@orthant/mesh";
import type { Prng } from "@orthant/testkit";

/** Blocks as a game would define them. */
const SHAPES = {
  slab: {
    properties: { half: ["bottom", "top"] },
    shape: [
      {
        when: { half: "bottom" },
        boxes: [
          [
            [0, 0],
            [1, 0.5],
          ],
        ],
      },
      {
        when: { half: "top" },
        boxes: [
          [
            [0, 0.5],
            [1, 1],
          ],
        ],
      },
    ],
  },
  /** Its upper step is where x is greater. */
  stair: {
    shape: [
      [
        [0, 0, 0],
        [1, 0.5, 1],
      ],
      [
        [0.5, 0.5, 0],
        [1, 1, 1],
      ],
    ],
  },
  /** Closed it stands where x is least, open where z is least. */
  door: {
    properties: { open: ["no", "yes"] },
    shape: [
      {
        when: { open: "yes" },
        boxes: [
          [
            [0, 0, 0],
            [1, 1, 0.1875],
          ],
        ],
      },
      {
        boxes: [
          [
            [0, 0, 0],
            [0.1875, 1, 1],
          ],
        ],
      },
    ],
  },
  gate: { properties: { open: ["no", "yes"] }, shape: [{ when: { open: "yes" }, boxes: [] }] },
} as const satisfies BlockDefinitions;

/** The default blocks and {@link SHAPES}. */
export const SHAPED_BLOCKS: BlockCatalog = defineBlocks(DEFAULT_BLOCKS, SHAPES);

/** Returns a catalog with air, stone and types of random boxes, and the ids of all that are solid. */
export function randomShapes(prng: Prng): { readonly blocks: BlockCatalog; readonly ids: readonly number[] } {
  const types = Array.from({ length: 12 }, (_, index): [string, BlockDefinition] => {
    const shape = Array.from({ length: prng.between(1, 3) }, () => {
      const sides = Array.from({ length: 4 }, () => {
        const low = prng.below(prng.chance(0.4) ? 1 : 15);
        return [low, prng.chance(0.4) ? 16 : prng.between(low + 1, 16)] as const;
      });
      return [sides.map(([low]) => low / 16), sides.map(([, high]) => high / 16)] as const;
    });
    return [`shape ${index}`, { shape }];
  });
  const blocks = defineBlocks(new BlockCatalog(DEFAULT_BLOCKS.types.slice(0, 2)), Object.fromEntries(types));
  return { blocks, ids: blocks.types.flatMap(({ id }) => (id === AIR ? [] : [id])) };
}

/** A box in a world, and the voxel that it belongs to. */
export interface WorldBox {
  readonly voxel: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** Returns the boxes of blocks at some positions. */
export function boxesAt<D extends Dimensions>(
  world: VoxelReader<D>,
  positions: readonly Position<D>[],
): readonly WorldBox[] {
  return positions.flatMap((position) => {
    const voxel: readonly number[] = position;
    const whole = [
      [0, 0, 0, 0],
      [1, 1, 1, 1],
    ] as const;
    const boxes = world.blocks.boxesOf(world.voxelAt(position) as number) ?? [whole];
    return boxes.map(([min, max]) => ({
      voxel,
      min: voxel.map((at, axis) => at + (min[axis] as number)),
      max: voxel.map((at, axis) => at + (max[axis] as number)),
    }));
  });
}
