import {
  AIR,
  type ChunkShape,
  type Position,
  positionFrom,
  positionsLexicographic,
  voxelIndex,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type ChunkEntry, type LeafEntry, openSave } from "@orthant/save";

/** Leaves read in search of something to see. */
const LEAVES_READ_MAX = 256;

/**
 * Finds something to see in a world without a spawn: the highest voxel near the middle. Returns `undefined`
 * when there is nothing near it.
 */
export async function findStartPosition(disk: Disk): Promise<Position | undefined> {
  const save = await openSave(disk);
  try {
    const { chunkShape } = save.global.description;
    const leaves: LeafEntry[] = [];
    for await (const leaf of save.index.all()) leaves.push(leaf);
    leaves.sort((a, b) => fromMiddle(a.cube.min) - fromMiddle(b.cube.min) || b.cube.min[1] - a.cube.min[1]);
    for (const leaf of leaves.slice(0, LEAVES_READ_MAX)) {
      const chunks = [...(await save.readChunks(leaf))].sort((a, b) => b.position[1] - a.position[1]);
      for (const entry of chunks) {
        const summit = summitOf(entry, chunkShape);
        if (summit !== undefined) return summit;
      }
    }
    return undefined;
  } finally {
    await save.close();
  }
}

/** Returns the distance of a column of chunks from the middle of the world. */
function fromMiddle([x, , z, w]: Position): number {
  return Math.hypot(x, z, w);
}

/** Returns the highest voxel of a chunk; of several, the one nearest to the chunk's middle. */
function summitOf({ position, chunk }: ChunkEntry, shape: ChunkShape): Position | undefined {
  if (![...chunk.blocks()].some((block) => block !== AIR)) return undefined;
  const { extents } = shape;
  const [width, height, depth, beyond] = extents;
  const fromCentre = ([x, , z, w]: Position): number =>
    Math.hypot(x - width / 2, z - depth / 2, w - beyond / 2);
  for (let y = height - 1; y >= 0; y--) {
    const layer = { min: [0, y, 0, 0], max: [width, y + 1, depth, beyond] } as const;
    const [summit] = [...positionsLexicographic(layer)]
      .filter((voxel) => chunk.get(voxelIndex(shape, ...voxel)) !== AIR)
      .sort((a, b) => fromCentre(a) - fromCentre(b));
    if (summit !== undefined) return positionFrom((axis) => position[axis] * extents[axis] + summit[axis]);
  }
  return undefined;
}
