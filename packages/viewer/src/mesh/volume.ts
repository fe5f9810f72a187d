import type { ScenePoint } from "../slice/slice.ts";

/** Voxels that are drawn together, with a border of one voxel on each side; right varies fastest. */
export interface Volume {
  /** Voxels on each axis, without the border. */
  readonly size: ScenePoint;
  /** The material of each voxel, including the border. */
  readonly materials: Uint16Array;
}

/** Number of voxels in a volume of this size, including the border. */
function paddedLength([right, up, back]: ScenePoint): number {
  return (right + 2) * (up + 2) * (back + 2);
}

/** Returns a volume of air. */
export function emptyVolume(size: ScenePoint): Volume {
  return { size, materials: new Uint16Array(paddedLength(size)) };
}

/**
 * Writes into `into` the voxels of `beside` where `here` has air: what a visitor would meet in the
 * neighbouring slice. Returns whether there are any.
 */
export function differenceOf(beside: Volume, here: Volume, into: Volume): boolean {
  let isAny = 0;
  const { materials } = into;
  for (let index = 0; index < materials.length; index++) {
    const material = here.materials[index] === 0 ? (beside.materials[index] as number) : 0;
    materials[index] = material;
    isAny |= material;
  }
  return isAny !== 0;
}
