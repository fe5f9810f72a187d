// For tests, campaigns and benchmarks; not published.
export { APPEND_RECORDS_MAX } from "./engine/engine.ts";
export { OwnerQueue } from "./gateway/owner-queue.ts";
export { nodeCommandCodec } from "./membership/commands.ts";
export { heartbeatCodec } from "./membership/heartbeats.ts";
export * as natsNames from "./nats/names.ts";
export { type SubjectUse, subjectsOf } from "./nats/roles.ts";
export { JournalRoom } from "./owner/journal-room.ts";
export { clientKey } from "./owner/shard-edits.ts";
export { type PresenceMessage, presenceCodec } from "./players/presence.ts";
export { ClusterDirectory, leaseCodec } from "./shard/cluster-directory.ts";
export type { EntitiesRecord } from "./shard/entity-record.ts";
export { heartbeatKey, leaseKey, mapKey, ownerAddress, transferAddress } from "./shard/names.ts";
export { ownerAnswerCodec, ownerRequestCodec } from "./shard/owner-messages.ts";
export { nameOfPosition, positionOfName, sectorOfRegion } from "./shard/sectors.ts";
export { neighboursOf, shardMapCodec, shardOf, shardsOf, withSplit } from "./shard/shard-map.ts";
export { crc32c, decodeShardRecord, encodeShardRecord, type RegionRecord } from "./shard/shard-record.ts";
export type { StepRecord } from "./shard/step-record.ts";
export { stepAnswerCodec, transferAnswerCodec, transferRequestCodec } from "./shard/transfer-messages.ts";
