/**
 * The client's end of the protocol, without a socket or timers.
 *
 * @module @orthant/protocol/client
 */

export type { CachedRegion, CachedReplica, CachedWorld } from "./client/cached-region.ts";
export type { ClientPhase } from "./client/client-session.ts";
export type { OpenEdit } from "./client/joint-edits.ts";
export type { OwnEditResult } from "./client/open-edits.ts";
export type { OwnOperationAnswer } from "./client/open-operations.ts";
export type { HeldRegions } from "./client/shared-replica.ts";
export { SyncClient } from "./client/sync-client.ts";
export type {
  EntitiesChange,
  InterestArea,
  SendResult,
  SyncClientCounts,
  SyncClientEvents,
  SyncClientOptions,
} from "./client/sync-client-options.ts";
