import type { RejectionReason, TimeSource } from "@orthant/core";
import type { Hello } from "../message/client-message.ts";
import type { Pose } from "../message/entity.ts";
import type { GoodbyeReason, Role } from "../message/server-message.ts";
import type { SyncLimits } from "./sync-limits.ts";
import type { SyncRules } from "./sync-rules.ts";
import type { SyncWorld } from "./sync-world.ts";

/** An authenticated player. */
export interface Account {
  readonly playerId: bigint;
  readonly role: Role;
  readonly name: string;
  /** Whether the player is unauthenticated. The world stores such a player only after an edit. */
  readonly isAnonymous?: boolean;
  /** When the account and its connections end, in milliseconds since 1970; never by default. */
  readonly expiresMs?: number;
  /** The id (`jti`) of the token that authenticated the player, by which it can be revoked. */
  readonly tokenId?: string;
}

/** Why an account must leave: it may return with other credentials, or must not return. */
export interface AccountFault {
  readonly reason: "credentials" | "kicked";
  /** Shown to the player. */
  readonly detail: string;
}

/** A connected player. */
export interface Player extends Account, Pose {}

/** Events for monitoring a server. */
export interface SyncServerEvents {
  /** A client was disconnected. `limit` names the exceeded limit, if any. */
  readonly onGoodbye?: (reason: GoodbyeReason, limit: string | undefined) => void;
  readonly onEditResult?: (status: "applied" | "unchanged" | "duplicate" | RejectionReason) => void;
  /** A tick ended. The report says what it sent and how much work time was used. */
  readonly onTick?: (report: TickReport) => void;
  readonly onResync?: (regions: number) => void;
  /** An unexpected failure: a bug in the game's rules or here, or a broken world. */
  readonly onFailure?: (error: unknown) => void;
}

/** Statistics of one tick. */
export interface TickReport {
  readonly frames: number;
  readonly bytes: number;
  readonly patches: number;
  /** Sessions that were held back by the in-flight limit. */
  readonly heldBack: number;
  /** Time spent on interests, loads, welcomes and region preparation since the start of the previous tick. */
  readonly workMs: number;
  /** True when `tickWorkMs` made some of that work wait. */
  readonly isWorkCut: boolean;
}

/** Options of a server. */
export interface SyncServerOptions {
  readonly world: SyncWorld;
  /** Only `nowMs` is used; the caller drives ticks. */
  readonly time: TimeSource;
  /**
   * Identifies a client, or says why it may not join. An `OrthantError` that it throws also refuses the client,
   * which reads its detail.
   */
  readonly authorize: (hello: Hello) => Promise<Account | AccountFault>;
  /** Returns why an account may not be here, if so. Called before each join and, for players, each tick. */
  readonly checkAccount?: (account: Account) => AccountFault | undefined;
  /** When an edit is acknowledged: once it is applied, or once it would survive a crash. */
  readonly acknowledge: "applied" | "durable";
  readonly tickMs: number;
  /**
   * Calls `resume` soon, after the process has handled other events. Deferrable work of a tick then runs in
   * slices with pauses between them; without this, it runs at once.
   */
  readonly pause?: (resume: () => void) => void;
  readonly limits?: Partial<SyncLimits>;
  readonly rules?: SyncRules;
  readonly events?: SyncServerEvents;
}
