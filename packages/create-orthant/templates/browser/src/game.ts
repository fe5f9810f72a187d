import { AIR, chunkBox, type Position, terrain } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { openOrCreateWorld, type World } from "@orthant/world";

const CHUNK_VOXELS = 16;
const HEIGHT_MAX = 100;

/** Opens the world on a disk, or creates it there. Edits are on the disk when they return. */
export function openGame(disk: Disk): Promise<World<3>> {
  return openOrCreateWorld(
    disk,
    { dimensions: 3, generator: terrain({ seed: 7n }) },
    { durability: "journal" },
  );
}

/** Loads the land around a column, and returns the voxel on top of it. */
export async function goTo(world: World<3>, x: number, z: number, radius: number): Promise<Position<3>> {
  const chunks = Math.ceil(radius / CHUNK_VOXELS);
  const [chunkX, chunkZ] = [Math.floor(x / CHUNK_VOXELS), Math.floor(z / CHUNK_VOXELS)];
  await world.loadChunks(
    chunkBox([chunkX - chunks, -4, chunkZ - chunks], [chunkX + chunks + 1, 8, chunkZ + chunks + 1]),
  );
  let y = HEIGHT_MAX;
  while (world.voxelAt([x, y, z]) === AIR) y--;
  return [x, y, z];
}
