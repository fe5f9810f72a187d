import type { ChunkShape, GeneratorRef, MaterialCatalog, Place, RegionPatch } from "@orthant/core";
import type { Being, BeingMove, Pose, Vector } from "./being.ts";
import type { Era, GameMessage } from "./client-message.ts";
import type { RegionMask } from "./region-mask.ts";

/** What a player may do. */
export type Role = "viewer" | "builder" | "admin";

/** The answer to a hello that is welcome. */
export interface Welcome extends Pose {
  readonly kind: "welcome";
  readonly version: number;
  readonly manifestHash: bigint;
  readonly featureBits: bigint;
  readonly worldId: bigint;
  readonly era: Era;
  readonly worldName: string;
  readonly shape: ChunkShape;
  /** What fills the space that nobody touched. */
  readonly generator: GeneratorRef;
  readonly catalog: MaterialCatalog;
  readonly spawn: Vector;
  readonly playerId: bigint;
  readonly role: Role;
  /** Whether the client may offer what it kept. */
  readonly resumed: boolean;
  readonly tickMs: number;
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
  /** For people. */
  readonly detail: string;
  /** When to try again; `undefined` when that is of no use. */
  readonly retryAfterMs: number | undefined;
}

/** How far the server is. Each one replaces the one before. */
export interface Heartbeat {
  readonly kind: "heartbeat";
  /** The newest interest that came; 0 before the first. */
  readonly interestId: number;
  /** Whether all of that interest has been sent. */
  readonly complete: boolean;
  /** The newest stream number that was sent; 0 before the first. */
  readonly sent: number;
}

/** Changes regions. Its `patchSeq` is its stream number. */
export interface PatchMessage {
  readonly kind: "patch";
  readonly patch: RegionPatch;
}

/** Regions that nobody ever changed, so that there is nothing to send: they are as generated, or air. */
export interface Blank {
  readonly kind: "blank";
  readonly streamNumber: number;
  readonly content: "air" | "generated";
  readonly mask: RegionMask;
}

/** Regions that the client no longer holds. */
export interface Forget {
  readonly kind: "forget";
  readonly streamNumber: number;
  readonly mask: RegionMask;
}

/** The stream goes on with this number: what came before and was not taken will come anew. */
export interface Reset {
  readonly kind: "reset";
  readonly streamNumber: number;
}

/** Why an edit was refused. */
export type RefusalReason =
  | "role"
  | "rate"
  | "tooMany"
  | "tooLarge"
  | "reach"
  | "vetoed"
  | "world"
  | "material";

/** What became of an edit. `settled`: decided before a restart of the server, which no longer knows how. */
export type Verdict =
  | { readonly editId: number; readonly outcome: "applied" | "unchanged" | "settled" }
  | {
      readonly editId: number;
      readonly outcome: "refused";
      readonly reason: RefusalReason;
      readonly detail: string;
    };

/** What became of edits, in the order of their ids. */
export interface Verdicts {
  readonly kind: "verdicts";
  readonly verdicts: readonly Verdict[];
}

/** What happened to the beings of one region since the frame before. */
export interface Beings {
  readonly kind: "beings";
  readonly region: Place;
  /** Numbers of those that are no longer in the region. */
  readonly left: readonly number[];
  /** Those that are new in it, or changed in more than their pose. */
  readonly entered: readonly Being[];
  readonly moved: readonly BeingMove[];
}

/** All beings that the client sees; it forgets all others. */
export interface AllBeings {
  readonly kind: "allBeings";
  readonly beings: readonly Being[];
}

/** All that a server may say. */
export type ServerMessage =
  | Welcome
  | Goodbye
  | Heartbeat
  | PatchMessage
  | Blank
  | Forget
  | Reset
  | Verdicts
  | Beings
  | AllBeings
  | GameMessage;

/** What a server sends at once. */
export interface ServerFrame {
  /** Counts the frames of a connection, from 1. */
  readonly number: number;
  readonly messages: readonly ServerMessage[];
}
