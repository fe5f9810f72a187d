import type { Vector } from "@orthant/core";
/** A position in voxels and an orientation. Both are rounded: see `roundPose`. */
export interface Pose {
  readonly position: Vector;
  readonly orientation: Vector;
}

/** Something that moves: a connected player or an entity of the world. */
export interface NumberedEntity extends Pose {
  /** A short number for this entity on this connection, to save the bytes of its id. */
  readonly number: number;
  readonly isPlayer: boolean;
  /** The player's id, or the entity's. */
  readonly id: bigint;
  readonly entityClass: number;
  readonly kind: number;
  readonly scale: number;
  readonly block: number;
  readonly name: string;
}

/** An entity of the world as clients see it. */
export type VisibleEntity = Omit<NumberedEntity, "number" | "isPlayer">;

/** A new pose for a known entity. */
export interface EntityMove extends Pose {
  readonly number: number;
}
