import type { ScenePoint } from "../slice/slice.ts";

/** Voxels that are drawn together, with a border of one voxel on each side; right varies fastest. */
export interface Volume {
  /** Voxels on each axis, without the border. */
  readonly size: ScenePoint;
  /** The block of each voxel, including the border. */
  readonly blocks: Uint16Array;
}

/** Number of voxels in a volume of this size, including the border. */
function paddedLength([right, up, back]: ScenePoint): number {
  return (right + 2) * (up + 2) * (back + 2);
}

/** Returns a volume of air. */
export function emptyVolume(size: ScenePoint): Volume {
  return { size, blocks: new Uint16Array(paddedLength(size)) };
}

/**
 * Writes into `into` the voxels of `beside` where `here` has air: what a visitor would meet in the
 * neighbouring slice. Returns whether there are any.
 */
export function differenceOf(beside: Volume, here: Volume, into: Volume): boolean {
  let isAny = 0;
  const { blocks } = into;
  for (let index = 0; index < blocks.length; index++) {
    const block = here.blocks[index] === 0 ? (beside.blocks[index] as number) : 0;
    blocks[index] = block;
    isAny |= block;
  }
  return isAny !== 0;
}
