export { ClusterDirectory, type DirectoryEvents, type StandingLease } from "./directory/cluster-directory.ts";
export * from "./engine/engine.ts";
export { DiskFolders } from "./folder/disk-folders.ts";
export type { FolderStore } from "./folder/folder-store.ts";
export { ShardFolders } from "./folder/shard-folders.ts";
export { ClusterGateway, type ClusterGatewayOptions, type ServedGateway } from "./gateway/cluster-gateway.ts";
export { MemoryEngine, type Partition } from "./memory/memory-engine.ts";
export { CALM_ENGINE, type EngineWeather, MemoryHub, type MemoryHubOptions } from "./memory/memory-hub.ts";
export { BEAT_MS, ClusterNode, type ClusterNodeOptions, type NodeEvents } from "./node/cluster-node.ts";
export { clusterNodes, type NodeStatus } from "./node/cluster-nodes.ts";
export { type ClusterStatus, clusterStatus, type ShardStatus } from "./node/cluster-status.ts";
export { command, type NodeCommand, nodeCommandCodec, obeyCommands } from "./node/control.ts";
export { createClusterWorld, FIRST_SHARD, type NewClusterWorld } from "./node/create-cluster.ts";
export { OWNER_LIMITS, type OwnerLimits, type OwnerReport, ShardOwner } from "./owner/shard-owner.ts";
export { cellsTouching, voxelsOfCells } from "./shard/cells.ts";
export { crc32c } from "./shard/crc32c.ts";
export { type Beat, beatCodec, type Lease, leaseCodec } from "./shard/lease.ts";
export {
  beatKey,
  cellOfRegion,
  leaseKey,
  mapKey,
  nameOfPlace,
  ownerAddress,
  placeOfName,
  requireName,
} from "./shard/names.ts";
export {
  type EditIntent,
  type IntentOutcome,
  type OwnerAnswer,
  type OwnerQuestion,
  ownerAnswerCodec,
  ownerQuestionCodec,
  type RegionAnswer,
  type RegionWish,
} from "./shard/owner-message.ts";
export { type PresenceMessage, presenceCodec, type ToldPlayer } from "./shard/presence-message.ts";
export {
  type ShardMap,
  type ShardSplit,
  shardMapCodec,
  shardOf,
  shardsOf,
  type WorldFacts,
  withSplit,
} from "./shard/shard-map.ts";
export {
  decodeRecord,
  type EpochRecord,
  encodeRecord,
  type RegionRecord,
  type ShardRecord,
} from "./shard/shard-record.ts";
