import type { ChunkShape, Dimensions } from "@orthant/core";
import { requireKnownFields, requireObject, wrongArgument } from "@orthant/core/arguments";
import { AXIS_NAMES, type Axes, floorDivide, voxelIndex, voxelOfIndex } from "@orthant/core/lattice";
import type { ChunkBlocks } from "@orthant/core/tree";
import { BlocksByChunk } from "./blocks-by-chunk.ts";

/**
 * Voxels and their new blocks as numbers, for edits of many thousands, which need no object for each.
 *
 * @example
 * await world.edit({ positions: Int32Array.of(0, 64, 0, 1, 64, 0), blocks: Uint16Array.of(stone, brick) });
 */
export interface BlockArrays {
  /** The coordinates of all voxels, as many for each as the world has dimensions: x, y, z, x, y, z in three. */
  readonly positions: Int32Array;
  /** The new block of each voxel. */
  readonly blocks: Uint16Array;
}

/** Returns the voxels by chunk, as a copy. Throws `ORT_ARGUMENT` unless `value` is arrays for such a world. */
export function gatherArrays<D extends Dimensions>(
  axes: Axes<D>,
  shape: ChunkShape,
  value: unknown,
): readonly ChunkBlocks[] {
  const { dimensions } = axes;
  const { positions, blocks } = ownArrays(value, dimensions);
  const [extentX, extentY, extentZ, extentW] = shape.extents;
  const gathered = new BlocksByChunk();
  for (let voxel = 0; voxel < blocks.length; voxel++) {
    const at = voxel * dimensions;
    const x = positions[at] as number;
    const y = positions[at + 1] as number;
    const z = dimensions > 2 ? (positions[at + 2] as number) : 0;
    const w = dimensions > 3 ? (positions[at + 3] as number) : 0;
    const chunk = gathered.of(
      floorDivide(x, extentX),
      floorDivide(y, extentY),
      floorDivide(z, extentZ),
      floorDivide(w, extentW),
    );
    chunk.indices.push(voxelIndex(shape, x, y, z, w));
    chunk.blocks.push(blocks[voxel] as number);
  }
  // Where chunks have one voxel on an axis, a chunk lies in the world if one of its voxels does.
  for (const { chunk, indices } of gathered.chunks)
    axes.position(
      "a voxel of placements.positions",
      axes.publicPosition(voxelOfIndex(shape, chunk, indices[0] as number)),
    );
  return gathered.chunks;
}

function ownArrays(value: unknown, dimensions: Dimensions): BlockArrays {
  const names = AXIS_NAMES.slice(0, dimensions).join(", ");
  requireObject("placements", value, "it is a list of { position, block }, or { positions, blocks }");
  requireKnownFields("placements", value, ["positions", "blocks"]);
  const given = value as Partial<BlockArrays>;
  const { positions: givenPositions, blocks: givenBlocks } = given;
  if (!(ArrayBuffer.isView(givenPositions) && givenPositions instanceof Int32Array))
    throw wrongArgument(
      "placements.positions",
      givenPositions,
      `it is an Int32Array with ${names} of each voxel`,
    );
  if (!(ArrayBuffer.isView(givenBlocks) && givenBlocks instanceof Uint16Array))
    throw wrongArgument("placements.blocks", givenBlocks, "it is a Uint16Array with the block of each voxel");
  // Copies, because another thread may change them meanwhile, and a class of the caller may tell other lengths.
  const positions = new Int32Array(givenPositions);
  const blocks = new Uint16Array(givenBlocks);
  const count = blocks.length * dimensions;
  if (positions.length !== count) {
    const advice = `it has ${names} of each voxel, ${count} numbers for ${blocks.length} blocks`;
    throw wrongArgument("placements.positions.length", positions.length, advice);
  }
  return { positions, blocks };
}
