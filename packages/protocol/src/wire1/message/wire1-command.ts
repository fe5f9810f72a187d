/** A request of a Wire v1 player. Coordinates are 32-bit integers, in tiles or chunks; y grows downwards. */
export type Wire1Command =
  | { readonly kind: "jump" }
  | { readonly kind: "attack" }
  | MotionInput
  | SetTile
  | LoadChunk
  | UnloadChunk
  | CollectResource
  | SpawnDrop
  | PickupProbe
  | Interaction
  | ActionPrimary
  | { readonly kind: "craftRecipe"; readonly recipe: number }
  | { readonly kind: "attackEnemy" }
  | { readonly kind: "attackBoss" }
  | FireProjectile;

/** The direction in which a player steers. */
export interface MotionInput {
  readonly kind: "motionInput";
  /** From -1,000, left, to 1,000, right. */
  readonly axisMilli: number;
  readonly jumps: boolean;
}

/** Sets the material of one tile. */
export interface SetTile {
  readonly kind: "setTile";
  readonly x: number;
  readonly y: number;
  readonly material: number;
}

/** Requests a chunk. */
export interface LoadChunk {
  readonly kind: "loadChunk";
  readonly chunkX: number;
  readonly chunkY: number;
}

/** Reports that a player no longer wants a chunk. */
export interface UnloadChunk {
  readonly kind: "unloadChunk";
  readonly chunkX: number;
  readonly chunkY: number;
}

/** A resource that a player claims to have gathered. */
export interface CollectResource {
  readonly kind: "collectResource";
  readonly resource: number;
  readonly amount: number;
}

/** An item that a player drops. */
export interface SpawnDrop {
  readonly kind: "spawnDrop";
  readonly x: number;
  readonly y: number;
  readonly material: number;
  readonly amount: number;
}

/** The position at which a player picks up items. */
export interface PickupProbe {
  readonly kind: "pickupProbe";
  readonly x: number;
  readonly y: number;
}

/** A player's interaction with an object, and its result according to the player. */
export interface Interaction {
  readonly kind: "interaction";
  readonly interaction: number;
  readonly x: number;
  readonly y: number;
  readonly material: number;
  readonly result: number;
}

/** Uses the item in hand on a tile. */
export interface ActionPrimary {
  readonly kind: "actionPrimary";
  readonly x: number;
  readonly y: number;
  readonly hotbarRow: number;
  readonly hotbarSlot: number;
}

/** Fires a projectile. */
export interface FireProjectile {
  readonly kind: "fireProjectile";
  readonly x: number;
  readonly y: number;
  /** Thousandths of a tile per second. */
  readonly velocityMilliX: number;
  readonly velocityMilliY: number;
  readonly damage: number;
  readonly lifetimeTicks: number;
  readonly faction: number;
}
