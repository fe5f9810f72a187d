/**
 * The client's copy with four axes, for the other packages of Orthant.
 *
 * @module @orthant/client/replica
 */

export { type CacheChange, type CacheEntry, memoryCache, type ReplicaCache } from "./cache/replica-cache.ts";
export type { TokenOption } from "./connection/retry.ts";
export type { OpenSocket, Status, StatusDetail, WebSocketLike } from "./connection/server-connection.ts";
export { connectReplica } from "./world/connect-replica.ts";
export type { HeldChunks } from "./world/held-chunks.ts";
export type { ReplicaInterest, ReplicaInterestAround, ReplicaInterestInBoxes } from "./world/interest.ts";
export type { ReplicaOptions } from "./world/replica-options.ts";
export { WorldReplica } from "./world/world-replica.ts";
