import type { Box } from "@orthant/core";
import { boxContains, chunksOfVoxels } from "@orthant/core/lattice";
import type { Save } from "@orthant/save";

/** Returns the number of entities of a save in a box of voxels. */
export async function countEntities(save: Save, box: Box): Promise<number> {
  let count = 0;
  for (const leaf of await save.leavesIn(chunksOfVoxels(save.global.description.chunkShape, box))) {
    for (const { position } of await save.readEntities(leaf)) {
      if (boxContains(box, position)) count++;
    }
  }
  return count;
}
