export { ClusterDirectory, type DirectoryEvents, type StandingLease } from "./directory/cluster-directory.ts";
export * from "./engine/engine.ts";
export { DiskFolders } from "./folder/disk-folders.ts";
export type { FolderStore } from "./folder/folder-store.ts";
export { ShardFolders } from "./folder/shard-folders.ts";
export { ClusterGateway, type ClusterGatewayOptions, type ServedGateway } from "./gateway/cluster-gateway.ts";
export { MemoryEngine, type Partition } from "./memory/memory-engine.ts";
export {
  type EngineFaultPlan,
  MemoryHub,
  type MemoryHubOptions,
  NO_ENGINE_FAULTS,
} from "./memory/memory-hub.ts";
export { ClusterNode, type ClusterNodeOptions, HEARTBEAT_MS, type NodeEvents } from "./node/cluster-node.ts";
export { clusterNodes, type NodeStatus } from "./node/cluster-nodes.ts";
export { type ClusterStatus, clusterStatus, type ShardStatus } from "./node/cluster-status.ts";
export { handleCommands, type NodeCommand, nodeCommandCodec, sendCommand } from "./node/control.ts";
export { createClusterWorld, FIRST_SHARD, type NewClusterWorld } from "./node/create-cluster.ts";
export { OWNER_LIMITS, type OwnerLimits, type OwnerReport, ShardOwner } from "./owner/shard-owner.ts";
export { crc32c } from "./shard/crc32c.ts";
export { type Heartbeat, heartbeatCodec, type Lease, leaseCodec } from "./shard/lease.ts";
export {
  heartbeatKey,
  leaseKey,
  mapKey,
  nameOfPosition,
  ownerAddress,
  positionOfName,
  requireName,
  sectorOfRegion,
} from "./shard/names.ts";
export {
  type EditRequest,
  type OwnerAnswer,
  type OwnerRequest,
  ownerAnswerCodec,
  ownerRequestCodec,
  type RegionAnswer,
  type RegionRequest,
  type ShardEditResult,
} from "./shard/owner-message.ts";
export { type PresenceMessage, type PresentPlayer, presenceCodec } from "./shard/presence-message.ts";
export { sectorsTouching, voxelsOfSectors } from "./shard/sectors.ts";
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
  encodeRecord,
  type RegionRecord,
  type ShardRecord,
  type TermRecord,
} from "./shard/shard-record.ts";
