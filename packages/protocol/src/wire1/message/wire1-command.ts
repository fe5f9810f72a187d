/** What a player of Wire v1 asks for. Coordinates are 32-bit integers, in tiles or chunks; y grows downwards. */
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

/** Where a player steers. */
export interface MotionInput {
  readonly kind: "motionInput";
  /** From -1,000, left, to 1,000, right. */
  readonly axisMilli: number;
  readonly jumps: boolean;
}

/** Another material for one tile. */
export interface SetTile {
  readonly kind: "setTile";
  readonly x: number;
  readonly y: number;
  readonly material: number;
}

/** A chunk that a player wants to see. */
export interface LoadChunk {
  readonly kind: "loadChunk";
  readonly chunkX: number;
  readonly chunkY: number;
}

/** A chunk that a player does not want to see any more. */
export interface UnloadChunk {
  readonly kind: "unloadChunk";
  readonly chunkX: number;
  readonly chunkY: number;
}

/** Something that a player says to have gathered. */
export interface CollectResource {
  readonly kind: "collectResource";
  readonly resource: number;
  readonly amount: number;
}

/** Something that a player lets fall. */
export interface SpawnDrop {
  readonly kind: "spawnDrop";
  readonly x: number;
  readonly y: number;
  readonly material: number;
  readonly amount: number;
}

/** Where a player would pick up what lies there. */
export interface PickupProbe {
  readonly kind: "pickupProbe";
  readonly x: number;
  readonly y: number;
}

/** What a player did with a thing, and what the player says came of it. */
export interface Interaction {
  readonly kind: "interaction";
  readonly interaction: number;
  readonly x: number;
  readonly y: number;
  readonly material: number;
  readonly result: number;
}

/** A player uses what is in hand on a tile. */
export interface ActionPrimary {
  readonly kind: "actionPrimary";
  readonly x: number;
  readonly y: number;
  readonly hotbarRow: number;
  readonly hotbarSlot: number;
}

/** A player shoots. */
export interface FireProjectile {
  readonly kind: "fireProjectile";
  readonly x: number;
  readonly y: number;
  /** Thousandths of a tile a second. */
  readonly velocityMilliX: number;
  readonly velocityMilliY: number;
  readonly damage: number;
  readonly lifetimeTicks: number;
  readonly faction: number;
}
