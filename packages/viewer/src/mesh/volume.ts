import type { ScenePoint } from "../slice/slice.ts";

/** Voxels that are drawn together, and one more voxel around them on each side, right running fastest. */
export interface Volume {
  /** Voxels on each axis, without those around them. */
  readonly size: ScenePoint;
  /** The material of each voxel; those around come with it. */
  readonly materials: Uint16Array;
}

/** How many voxels a volume of this size has in all. */
function paddedLength([right, up, back]: ScenePoint): number {
  return (right + 2) * (up + 2) * (back + 2);
}

/** A volume of air. */
export function emptyVolume(size: ScenePoint): Volume {
  return { size, materials: new Uint16Array(paddedLength(size)) };
}

/**
 * What is in one volume where the other has air, written into a third: what a visitor would meet in the slice beside
 * this one. Gives whether there is anything.
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
