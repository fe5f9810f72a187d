export type { EditResult } from "@orthant/protocol";
export { type CacheChange, type CacheEntry, memoryCache, type ReplicaCache } from "./cache/replica-cache.ts";
export type { TokenOption } from "./connection/retry.ts";
export type { OpenSocket, Status, StatusDetail, WebSocketLike } from "./connection/server-connection.ts";
export { type ConnectOptions, connect } from "./world/connect.ts";
export type { Interest, InterestAround, InterestInBoxes } from "./world/interest.ts";
export { SharedWorld } from "./world/shared-world.ts";
