import type { BlockCatalog, ChunkShape, EditResult, Vector } from "@orthant/core";
import type { BlockCatalogChange } from "@orthant/core/chunk";
import type { Epoch, GeneratorMap, RegionPatch } from "@orthant/core/tree";
import type { GameMessage } from "./client-message.ts";
import type { EntityMotion, EntityMove, NumberedDetails, NumberedEntity, Pose } from "./entity.ts";
import type { OperationAnswer, OperationProgressMessage, OperationTerms } from "./operation-message.ts";
import type { Precision } from "./precision.ts";
import type { RegionMask } from "./regions.ts";

/** What a player may do. */
export type Role = "viewer" | "builder" | "admin";

/** Limits of a server that a client keeps to by waiting. All are those of `SyncLimits` with the same name. */
export interface ClientLimits {
  readonly bytesPerSecond: number;
  readonly editsPerSecond: number;
  readonly editsBurst: number;
  readonly editVoxelsMax: number;
  readonly editBoxVoxelsMax: number;
  readonly editChunksMax: number;
  readonly editChunksPerSecond: number;
  readonly copyVoxelsMax: number;
  readonly editDataBytesMax: number;
  readonly editDataBytesPerSecond: number;
  readonly gameMessagesPerSecond: number;
}

/** Accepts a hello. */
export interface Welcome extends Pose {
  readonly kind: "welcome";
  readonly version: number;
  readonly featureBits: bigint;
  readonly worldId: bigint;
  readonly epoch: Epoch;
  readonly worldName: string;
  readonly shape: ChunkShape;
  /** What fills untouched space, and where. */
  readonly generators: GeneratorMap;
  /** Hash of the world's catalog of blocks. */
  readonly blocksHash: bigint;
  /** The catalog; `undefined` if the hello has the same hash. */
  readonly catalog: BlockCatalog | undefined;
  readonly spawn: Vector;
  readonly playerId: bigint;
  readonly role: Role;
  /** Whether the client may offer the regions it kept. */
  readonly resumed: boolean;
  readonly tickMs: number;
  readonly limits: ClientLimits;
  /** How finely the poses of entities are sent. */
  readonly precision: Precision;
}

/** Why a connection ends. */
export type GoodbyeReason =
  | "version"
  | "features"
  | "credentials"
  | "malformed"
  | "limit"
  | "replaced"
  | "kicked"
  | "idle"
  | "slow"
  | "shutdown"
  | "failure";

/** The last message of a connection. */
export interface Goodbye {
  readonly kind: "goodbye";
  readonly reason: GoodbyeReason;
  /** Human-readable. */
  readonly detail: string;
  /** When to try again; `undefined` when retrying is pointless. */
  readonly retryAfterMs: number | undefined;
}

/** The server's progress. Each heartbeat replaces the one before. */
export interface Heartbeat {
  readonly kind: "heartbeat";
  /** The newest interest received; 0 before the first. */
  readonly interestId: number;
  /** Whether the whole interest has been sent. */
  readonly complete: boolean;
  /** The newest stream number sent; 0 before the first. */
  readonly sent: number;
}

/** Changes regions. Its `patchSeq` is the stream number. */
export interface PatchMessage {
  readonly kind: "patch";
  readonly patch: RegionPatch;
}

/** Regions that were never edited, so their contents need not be sent: they are as generated, or air. */
export interface Blank {
  readonly kind: "blank";
  readonly streamNumber: number;
  readonly content: "air" | "generated";
  readonly mask: RegionMask;
}

/** Regions that the client must drop. */
export interface Forget {
  readonly kind: "forget";
  readonly streamNumber: number;
  readonly mask: RegionMask;
}

/** Continues the stream at this number. Items before it that were not taken will be sent again. */
export interface Reset {
  readonly kind: "reset";
  readonly streamNumber: number;
}

/** From here on, the client shows nothing of the stream before the next release. */
export interface Hold {
  readonly kind: "hold";
  readonly streamNumber: number;
}

/** The client shows everything since the last hold, at once. */
export interface Release {
  readonly kind: "release";
  readonly streamNumber: number;
}

/** The result of the edit with this id. */
export type NumberedEditResult = EditResult & { readonly editId: number };

/** The results of edits, in the order of their ids. */
export interface EditResults {
  readonly kind: "editResults";
  readonly results: readonly NumberedEditResult[];
}

/** Entities that came into sight or left it since the previous frame. */
export interface EntityChanges {
  readonly kind: "entities";
  /** Numbers of the entities that are out of sight. */
  readonly left: readonly number[];
  /** Entities that are new in sight. */
  readonly entered: readonly NumberedEntity[];
}

/** New poses of entities in sight. */
export interface EntityMoves {
  readonly kind: "moves";
  /**
   * Which numbers of a pose are the new ones: bit 0 to 3 for the position, 4 to 7 for the orientation. The others say by
   * how much the last ones changed.
   */
  readonly absolute: number;
  /** In the order of their numbers. */
  readonly moves: readonly EntityMove[];
}

/** All entities that the client sees; it drops all others. */
export interface AllEntities {
  readonly kind: "allEntities";
  readonly entities: readonly NumberedEntity[];
}

/** New velocities of entities in sight. */
export interface EntityMotions {
  readonly kind: "motions";
  readonly motions: readonly EntityMotion[];
}

/** New details of entities that the client sees. */
export interface EntityDetailsMessage {
  readonly kind: "entityDetails";
  readonly details: readonly NumberedDetails[];
}

/** Sets the player's pose. Moves that arrive before the client confirms it have no effect. */
export interface Placed extends Pose {
  readonly kind: "placed";
  /** Different for each pose that a server sets. */
  readonly number: number;
  /** The time in the client's newest move that the server had taken; 0 without one. Later moves are void. */
  readonly moveMs: number;
  /** Why, for the player; may be empty. */
  readonly reason: string;
}

/** The server's time at the tick of this frame. */
export interface ServerClock {
  readonly kind: "clock";
  /** In milliseconds, modulo `CLOCK_WRAP_MS`. */
  readonly timeMs: number;
}

/** Changes the catalog of blocks. The client confirms which catalog it has. */
export interface BlocksMessage {
  readonly kind: "blocks";
  /** Hash of the catalog after it. */
  readonly blocksHash: bigint;
  /** The whole catalog, or what turns the one with the hash `base` into it. */
  readonly content:
    | { readonly catalog: BlockCatalog }
    | { readonly base: bigint; readonly change: BlockCatalogChange };
}

/** Any message from a server. */
export type ServerMessage =
  | Welcome
  | Goodbye
  | Heartbeat
  | PatchMessage
  | Blank
  | Forget
  | Reset
  | EditResults
  | EntityChanges
  | AllEntities
  | GameMessage
  | Placed
  | BlocksMessage
  | EntityDetailsMessage
  | EntityMoves
  | EntityMotions
  | ServerClock
  | OperationProgressMessage
  | OperationAnswer
  | OperationTerms
  | Hold
  | Release;

/** Messages that a server sends together. */
export interface ServerFrame {
  /** Counts the frames of a connection, from 1. */
  readonly number: number;
  readonly messages: readonly ServerMessage[];
}
