import { type Disk, openOrCreateWorld, terrain, type World } from "orthant/worker";

/** The game's own types of blocks. New ones may be added at any time. */
const BLOCKS = {
  planks: { colour: 0xb08551 },
  torch: { colour: 0xffc766, solid: false, transparent: true, light: 14 },
} as const;

/** Opens the world on a disk, or creates it there. */
export async function openGame(disk: Disk): Promise<World<3>> {
  return openOrCreateWorld(
    disk,
    {
      dimensions: 3,
      generator: terrain({ seed: 7n }),
      spawn: [-19.5, 12, 12.5],
      blocks: BLOCKS,
    },
    { durability: "journal" }, // what was built is on the disk, whenever the browser is closed
  );
}
