import type { TimeSource } from "@orthant/core";
import type { RejectionReason } from "@orthant/core/world";
import type { Hello } from "../message/client-message.ts";
import type { OperationLimits } from "../message/operation-limits.ts";
import type { OperationOutcome, OperationRefusal } from "../message/operation-message.ts";
import type { Precision } from "../message/precision.ts";
import type { GoodbyeReason, Role } from "../message/server-message.ts";
import type { Account, AccountFault } from "./account.ts";
import type { EntityRates } from "./entities/entity-rates.ts";
import type { MovementLimits } from "./entities/move-check.ts";
import type { SyncLimits } from "./sync-limits.ts";
import type { SyncRules } from "./sync-rules.ts";
import type { SyncWorld } from "./sync-world.ts";

/** Events for monitoring a server. */
export interface SyncServerEvents {
  /** A client was disconnected. `limit` names the exceeded limit, if any. */
  readonly onGoodbye?: (reason: GoodbyeReason, limit: string | undefined) => void;
  readonly onEditResult?: (status: "applied" | "unchanged" | "duplicate" | RejectionReason) => void;
  /** A request about operations was answered: `done`, or why it was refused. */
  readonly onOperation?: (outcome: Exclude<OperationOutcome["kind"], "refused"> | OperationRefusal) => void;
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
  /** Returns why an account may not be here, if so. Called before each join and, for players, each second. */
  readonly checkAccount?: (account: Account) => AccountFault | undefined;
  /** When an edit is acknowledged: once it is applied, or once it would survive a crash. */
  readonly acknowledge: "applied" | "durable";
  /** Whether players only look: all of them are viewers, and every edit is rejected. */
  readonly readOnly?: boolean;
  readonly tickMs: number;
  /**
   * Calls `resume` soon, after the process has handled other events. Deferrable work of a tick then runs in
   * slices with pauses between them; without this, it runs at once.
   */
  readonly pause?: (resume: () => void) => void;
  readonly limits?: Partial<SyncLimits>;
  /** How finely clients see poses, `DEFAULT_PRECISION` where omitted. */
  readonly precision?: Partial<Precision>;
  /** How often clients are sent the poses of entities at most, by kind. */
  readonly entityRates?: EntityRates;
  /** The limits of roles that may do operations. Others may not; by default, none may. */
  readonly operations?: Partial<Record<Role, OperationLimits>>;
  readonly rules?: SyncRules;
  /** How players may move; anyhow by default. */
  readonly movement?: MovementLimits | undefined;
  readonly events?: SyncServerEvents;
}
