/**
 * The server's end of the protocol, without sockets or timers.
 *
 * @module @orthant/protocol/server
 */

export type { Account, AccountFault, Player } from "./server/account.ts";
export type { EntityRates } from "./server/entities/entity-rates.ts";
export type { MovementLimits } from "./server/entities/move-check.ts";
export type {
  GuardedRun,
  MadeOperation,
  OperationGuard,
  OwnedRun,
  PlannedChanges,
  SyncOperations,
} from "./server/operations/sync-operations.ts";
export type { ServerPhase, ServerSession } from "./server/server-session.ts";
export { DEFAULT_SYNC_LIMITS, type SyncLimits } from "./server/sync-limits.ts";
export type {
  Companion,
  EditAnswer,
  PlayerEdit,
  PlayerOperation,
  RuleAnswer,
  SyncRules,
} from "./server/sync-rules.ts";
export { SyncServer } from "./server/sync-server.ts";
export type { SyncServerEvents, SyncServerOptions, TickReport } from "./server/sync-server-options.ts";
export type {
  PeerServers,
  RemotePlayer,
  RemotePlayerEvent,
  SyncWorld,
  VisibleEntityEvent,
  WorldEditResult,
} from "./server/sync-world.ts";
