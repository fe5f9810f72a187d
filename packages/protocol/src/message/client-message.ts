import type { Box, RegionClock, VoxelPlacement } from "@orthant/core";
import type { Pose, Vector } from "./being.ts";
import type { RegionMask } from "./region-mask.ts";

/** One opening of a world for writing: clocks of this epoch were issued under this mark, and under no other. */
export interface Era {
  readonly epoch: number;
  readonly mark: bigint;
}

/** What a client kept from an earlier connection. */
export interface Kept {
  readonly worldId: bigint;
  readonly era: Era;
}

/** The first message of a connection. */
export interface Hello {
  readonly kind: "hello";
  readonly version: number;
  readonly manifestHash: bigint;
  readonly featureBits: bigint;
  /** Made at random by the client, and its secret: edits are told apart by it, also across connections. */
  readonly clientId: bigint;
  readonly token: Uint8Array;
  readonly name: string;
  readonly kept: Kept | undefined;
  /** The lowest edit id that the client has no verdict for; the next one it would use when it has all. */
  readonly openEditId: number;
}

/** What a client wants to hold. */
export interface Interest {
  readonly kind: "interest";
  /** Counts the interests of a connection, from 1. The latest one counts. */
  readonly interestId: number;
  /** In voxels: what is near to it comes first. */
  readonly center: Vector;
  /** Voxels a second: what lies ahead comes before what lies behind. */
  readonly motion: Vector;
  /** Boxes of chunks; the server rounds them out to regions. */
  readonly boxes: readonly Box[];
  /** Regions that the client kept, with their clocks; only with interest 1 of a resumed connection. */
  readonly held: readonly RegionClock[];
  /** Regions that the client kept and that nobody had ever changed; the same. */
  readonly heldBlank: readonly RegionMask[];
}

/** New materials for some voxels, all at once. */
export interface SetVoxels {
  readonly kind: "setVoxels";
  /** Counts the edits of a client, from 1, across its connections. */
  readonly editId: number;
  readonly placements: readonly VoxelPlacement[];
}

/** Where the player is now. */
export interface Move extends Pose {
  readonly kind: "move";
}

/** Asks for regions anew, after a patch that did not fit or never came. */
export interface Resync {
  readonly kind: "resync";
  /** The stream number that the client expects next. */
  readonly expected: number;
  readonly regions: readonly RegionClock[];
}

/** Asks for all beings anew, after a frame that never came. */
export interface BeingsLost {
  readonly kind: "beingsLost";
}

/** A game's own message. */
export interface GameMessage {
  readonly kind: "game";
  readonly payload: Uint8Array;
}

/** All that a client may say. */
export type ClientMessage = Hello | Interest | SetVoxels | Move | Resync | BeingsLost | GameMessage;

/** What a client sends at once. */
export interface ClientFrame {
  /** The highest frame number that came from the server; 0 before the first. */
  readonly acknowledged: number;
  /** The stream number up to which, without a gap, everything was taken. */
  readonly applied: number;
  readonly messages: readonly ClientMessage[];
}
