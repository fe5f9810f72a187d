import type { Box, Vector } from "@orthant/core";
import type { Epoch, RegionClock } from "@orthant/core/tree";
import type { Pose } from "./entity.ts";
import type { CancelOperation, OperationMessage } from "./operation-message.ts";
import type { RegionMask } from "./regions.ts";
import type { RequestedEdit } from "./requested-edit.ts";

/** The world and epoch of the regions that a client kept from an earlier connection. */
export interface CachedEpoch {
  readonly worldId: bigint;
  readonly epoch: Epoch;
}

/** The first message of a connection. */
export interface Hello {
  readonly kind: "hello";
  readonly version: number;
  /** The version hashes of the client's generators, ascending. Their regions are sent as changes to what they make. */
  readonly generators: readonly bigint[];
  readonly featureBits: bigint;
  /** A random secret of the client. It identifies the client's edits across connections. */
  readonly clientId: bigint;
  readonly token: Uint8Array;
  readonly name: string;
  readonly kept: CachedEpoch | undefined;
  /** The lowest edit id without a result, or the next id if all edits have one. */
  readonly openEditId: number;
  /** Hash of the catalog of blocks that the client has; 0 without one. */
  readonly blocksHash: bigint;
}

/** The part of the world that a client wants to hold. */
export interface InterestMessage {
  readonly kind: "interest";
  /** Counts the interests of a connection, from 1. The latest one replaces all others. */
  readonly interestId: number;
  /** In voxels. The server sends regions near it first. */
  readonly center: Vector;
  /** In voxels per second. The server sends regions ahead before those behind. */
  readonly motion: Vector;
  /** Boxes of chunks; the server rounds them out to regions. */
  readonly boxes: readonly Box[];
  /** Kept regions with their clocks; only with interest 1 of a resumed connection. */
  readonly held: readonly RegionClock[];
  /** Kept regions that were never edited; only with interest 1 of a resumed connection. */
  readonly heldBlank: readonly RegionMask[];
}

/** Requests an edit. */
export type EditMessage = RequestedEdit & {
  /** Counts the edits of a client, from 1, across its connections. */
  readonly editId: number;
};

/** Reports the player's pose. */
export interface Move extends Pose {
  readonly kind: "move";
  /** When the player took it: milliseconds on the client's clock, which starts anywhere. */
  readonly timeMs: number;
}

/** Requests regions again after a patch that did not fit or never arrived. */
export interface Resync {
  readonly kind: "resync";
  /** The next stream number that the client expects. */
  readonly expected: number;
  readonly regions: readonly RegionClock[];
}

/** Requests all entities again after a missed frame. */
export interface EntitiesLost {
  readonly kind: "entitiesLost";
}

/** A message that the game defines. */
export interface GameMessage {
  readonly kind: "game";
  readonly payload: Uint8Array;
}

/** Confirms that the client has taken the pose that the server set. */
export interface PlacedSeen {
  readonly kind: "placedSeen";
  readonly number: number;
}

/** Says which catalog of blocks the client has, after each message about it. */
export interface BlocksSeen {
  readonly kind: "blocksSeen";
  readonly blocksHash: bigint;
}

/** Any message from a client. */
export type ClientMessage =
  | Hello
  | InterestMessage
  | EditMessage
  | Move
  | Resync
  | EntitiesLost
  | GameMessage
  | PlacedSeen
  | BlocksSeen
  | OperationMessage
  | CancelOperation;

/** Messages that a client sends together. */
export interface ClientFrame {
  /** The highest frame number received from the server; 0 before the first frame. */
  readonly acknowledged: number;
  /** The stream number up to which the client has taken every item. */
  readonly applied: number;
  readonly messages: readonly ClientMessage[];
}
