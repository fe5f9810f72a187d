import { Prng } from "@orthant/testkit";
import { type BlockPlacement, box, defineGenerator, type VoxelBox } from "orthant";

/** Names of blocks in the game for Luanti. The index is the id of the block in Orthant. */
export const BLOCKS = ["air", "stone", "coal", "iron", "gold", "marble", "granite"] as const;
/** See {@link BLOCKS}. */
export type BlockName = (typeof BLOCKS)[number];

/** Returns the id of a block. */
export function blockId(name: BlockName): number {
  return BLOCKS.indexOf(name);
}

/** Returns the name of a block. */
export function blockName(id: number): BlockName {
  return BLOCKS[id] ?? "air";
}

/** Far above all voxels of the suite. */
const SURFACE = 1_000;

/** Generates stone, as the game for Luanti does with the mapgen `singlenode`. */
export const rock = defineGenerator({
  id: "orthant-bench:rock",
  version: 1,
  dimensions: 3,
  open: () => ({
    blockAt: (_x, y) => blockId(y < SURFACE ? "stone" : "air"),
    skyAbove: SURFACE,
    foundation: { height: SURFACE, block: blockId("stone") },
  }),
});

/** Luanti generates cubes of 5 x 5 x 5 mapblocks, of which one begins here. Our chunks are as large as its mapblocks. */
const FIRST_VOXEL = -32;
const CUBE_VOXELS = 80;

/** A box to fill, of a million voxels. Its borders are not those of chunks. */
export const FILLED: VoxelBox<3> = box([3, 3, 3], [103, 103, 103]);

/** Different voxels at random places. */
export interface Scatter {
  /** Edge of the space with all of them, in cubes of Luanti's generator. */
  readonly cubes: number;
  readonly count: number;
  readonly seed: number;
}

/** Returns the box in which voxels are scattered. */
export function boxOf({ cubes }: Pick<Scatter, "cubes">): VoxelBox<3> {
  const end = FIRST_VOXEL + cubes * CUBE_VOXELS;
  return box([FIRST_VOXEL, FIRST_VOXEL, FIRST_VOXEL], [end, end, end]);
}

/** Returns scattered voxels, each with coal or iron. */
export function scatteredOre({ cubes, count, seed }: Scatter): readonly BlockPlacement<3>[] {
  const prng = new Prng(seed);
  const coordinate = (): number => FIRST_VOXEL + prng.below(cubes * CUBE_VOXELS);
  const placements = new Map<string, BlockPlacement<3>>();
  while (placements.size < count) {
    const position = [coordinate(), coordinate(), coordinate()] as const;
    placements.set(position.join(), { position, block: blockId(prng.pick(["coal", "iron"])) });
  }
  return [...placements.values()];
}
