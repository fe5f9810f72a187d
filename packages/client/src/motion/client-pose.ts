import type { Dimensions, Vector } from "@orthant/core";

/** Where a player is, and where it looks. */
export interface ClientPose<D extends Dimensions> {
  /** In voxels. */
  readonly position: Vector<D>;
  /** Four numbers with a meaning of the game's own, such as a quaternion. */
  readonly orientation: Vector;
}
