/**
 * A client's copy of a shared world, in Node and in browsers.
 *
 * @module @orthant/client
 */

export { type CacheChange, type CacheEntry, memoryCache, type ReplicaCache } from "./cache/replica-cache.ts";
export type { TokenOption } from "./connection/retry.ts";
export type { OpenSocket, Status, StatusDetail, WebSocketLike } from "./connection/server-connection.ts";
export type { ServingWorker } from "./connection/worker-socket.ts";
export { type BrushPlacements, boxBrush, lineBrush, sphereBrush } from "./edit/brushes.ts";
export { type EditableWorld, EditHistory, type EditHistoryOptions } from "./edit/edit-history.ts";
export type { ClientPose } from "./motion/client-pose.ts";
export { type PlayerState, PredictedPlayer, type PredictionOptions } from "./motion/predicted-player.ts";
export {
  ClientOperations,
  type PastOperation,
  type PastOperations,
  type RemoteApplyOptions,
  type RemoteOperation,
} from "./operation/client-operations.ts";
export { RemoteClipboard } from "./operation/remote-clipboard.ts";
export type { Interest, InterestAround, InterestInChunks } from "./world/client-interest.ts";
export { ClientWorld } from "./world/client-world.ts";
export { type ConnectOptions, connect } from "./world/connect.ts";
