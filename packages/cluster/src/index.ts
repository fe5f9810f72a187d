/**
 * One world shared by several servers.
 *
 * @module @orthant/cluster
 */

export type {
  AppendOutcome,
  Backbone,
  BackboneStatus,
  BackboneTable,
  Journal,
  JournalRecord,
  JournalState,
  JournalSubject,
  StoredRecord,
  Subscription,
  TableEntry,
} from "./backbone/backbone.ts";
export {
  type CheckpointedShards,
  type CheckpointOptions,
  checkpointShards,
  type StoppedWorldOptions,
} from "./backup/checkpoint-shards.ts";
export {
  backupClusterWorld,
  type ClusterBackup,
  type ClusterBackupOptions,
  savedShards,
} from "./backup/cluster-backup.ts";
export { type MergeOptions, mergeShards, type ShardSaves } from "./backup/merge-shards.ts";
export {
  type RestoreClusterOptions,
  type RestoredCluster,
  restoreClusterWorld,
} from "./backup/restore-cluster.ts";
export { OWNER_LIMITS, type OwnerLimits } from "./changes/owner-context.ts";
export type { ShardEntities } from "./changes/shard-entities.ts";
export { type ClusterFolders, DiskFolders } from "./folder/cluster-folders.ts";
export { ShardFolders } from "./folder/shard-folders.ts";
export { ClusterGateway, type ClusterGatewayOptions, type ServedGateway } from "./gateway/cluster-gateway.ts";
export { ClusterNode } from "./membership/cluster-node.ts";
export { handleCommands, type NodeCommand, sendCommand } from "./membership/commands.ts";
export { createClusterWorld, FIRST_SHARD, type NewClusterWorld } from "./membership/create-cluster.ts";
export { type ClusterNodeOptions, defaultNodeName } from "./membership/node-options.ts";
export {
  ClusterSimulation,
  type ClusterSimulationOptions,
  type ShardSimulationReport,
} from "./membership/node-simulation.ts";
export { OwnerWatch } from "./membership/owner-watch.ts";
export {
  type ClusterStatus,
  clusterNodes,
  clusterStatus,
  type NodeStatus,
  type ShardStatus,
  waitForOwner,
} from "./membership/status.ts";
export type { OwnerReport } from "./owner/shard-owner.ts";
export type { Lease } from "./shard/cluster-directory.ts";
export { requireName } from "./shard/names.ts";
export type { NodeEvents } from "./shard/node-events.ts";
export { sectorsTouching, voxelsOfSectors } from "./shard/sectors.ts";
export type { ShardMap } from "./shard/shard-map.ts";
