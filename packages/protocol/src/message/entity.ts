import type { Vector } from "@orthant/core";
import type { PoseSteps } from "./pose-steps.ts";

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

/** What a game attaches to an entity. It has a message of its own, because it may be large and seldom changes. */
export interface EntityDetails {
  readonly tags: readonly string[];
  /** The game's own data. Shared: copy it before you change it. */
  readonly data: Uint8Array;
}

/** The details of a player, and of an entity without any. */
export const NO_DETAILS: EntityDetails = { tags: [], data: new Uint8Array(0) };

/** The details of an entity that a client knows by its number. */
export interface NumberedDetails extends EntityDetails {
  readonly number: number;
}

/** An entity as a client has it. Its details are empty until they arrive. */
export interface SeenEntity extends NumberedEntity, EntityDetails {
  /** In voxels a second, if the game has stated one. */
  readonly velocity?: Vector;
}

/** The velocity of an entity, in steps of the server's precision a second. */
export interface EntityMotion {
  readonly number: number;
  readonly velocity: Vector;
}

/** An entity of the world as clients see it. */
export type VisibleEntity = Omit<SeenEntity, "number" | "isPlayer">;

/** A new pose of a known entity, or what changed in its pose, in steps of the server's precision. */
export interface EntityMove {
  readonly number: number;
  readonly steps: PoseSteps;
}
