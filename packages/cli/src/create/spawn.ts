import {
  AIR,
  type ChunkShape,
  cellOfVoxel,
  chunkOfVoxel,
  DEFAULT_GENERATORS,
  DEFAULT_MATERIALS,
  type GeneratorRef,
  type Position,
  WorldField,
} from "@orthant/core";

/** Distance above and below the origin to search for the ground, in voxels. */
const REACH_VOXELS = 256;

/** Returns a spawn position: on top of the highest ground near the origin, or else the origin itself. */
export function findSpawn(generator: GeneratorRef, shape: ChunkShape): Position {
  const field = WorldField.open({ generators: DEFAULT_GENERATORS, generator, shape });
  const isFree = (y: number): boolean => {
    const voxel: Position = [0, y, 0, 0];
    const chunk = field.realizeChunk(...chunkOfVoxel(shape, voxel));
    const material = chunk.get(cellOfVoxel(shape, ...voxel));
    return material === AIR || DEFAULT_MATERIALS.byId(material)?.solid === false;
  };
  for (let y = REACH_VOXELS; y > -REACH_VOXELS; y--) {
    if (isFree(y) && !isFree(y - 1)) return [0, y, 0, 0];
  }
  return [0, 0, 0, 0];
}
