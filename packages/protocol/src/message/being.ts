/** A point or direction in four dimensions. */
export type Vector = readonly [x: number, y: number, z: number, w: number];

/** Where somebody is, in voxels, and which way they look. Both are rounded: see `roundPose`. */
export interface Pose {
  readonly position: Vector;
  readonly orientation: Vector;
}

/** Somebody or something that moves: a player who is here, or an entity of the world. */
export interface Being extends Pose {
  /** Names the being on this connection, in fewer bytes than its id. */
  readonly number: number;
  readonly isPlayer: boolean;
  /** The player's id, or the entity's. */
  readonly id: bigint;
  readonly entityClass: number;
  readonly kind: number;
  readonly scale: number;
  readonly material: number;
  readonly name: string;
}

/** A being that is known already, and where it is now. */
export interface BeingMove extends Pose {
  readonly number: number;
}
