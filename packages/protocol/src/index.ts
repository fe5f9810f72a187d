export type { ClientPhase } from "./client/client-session.ts";
export { ENTITIES_HELD_MAX, ENTITIES_LOST_WAIT_MS } from "./client/entity-set.ts";
export type { KeptRegion, KeptReplica, KeptWorld } from "./client/kept-region.ts";
export type { OpenEdit } from "./client/open-edits.ts";
export { GENERATED_CACHE_BYTES, HELD_REGIONS_MAX } from "./client/shared-replica.ts";
export { SyncClient } from "./client/sync-client.ts";
export type {
  EntitiesChange,
  InterestArea,
  SyncClientCounts,
  SyncClientEvents,
  SyncClientOptions,
} from "./client/sync-client-options.ts";
export { clientFrameCodec, readHelloVersion } from "./message/client-frame-codec.ts";
export type {
  ClientFrame,
  ClientMessage,
  EntitiesLost,
  GameMessage,
  Hello,
  InterestMessage,
  Kept,
  Move,
  Resync,
  SetVoxels,
} from "./message/client-message.ts";
export type { Entity, EntityMove, Pose, Vector, VisibleEntity } from "./message/entity.ts";
export { visibleEntityCodec } from "./message/entity-codec.ts";
export {
  CATALOG_BYTES_MAX,
  CLIENT_FRAME_BYTES_MAX,
  DETAIL_BYTES_MAX,
  EDIT_RESULTS_MAX,
  EDIT_RUN_IDS,
  EDIT_VOXELS_MAX,
  EDITS_OPEN_MAX,
  ENTITIES_MAX,
  FEATURES,
  FRAME_MESSAGES_MAX,
  GAME_BYTES_MAX,
  INTEREST_BOXES_MAX,
  INTEREST_REGIONS_MAX,
  KNOWN_FEATURES,
  MASK_BOX_REGIONS_MAX,
  NAME_BYTES_MAX,
  PROTOCOL_MAGIC,
  PROTOCOL_VERSION,
  REQUIRED_FEATURES_MASK,
  SERVER_FRAME_BYTES_MAX,
  TOKEN_BYTES_MAX,
  VOXEL_COORDINATE_MAX,
  WORLD_NAME_BYTES_MAX,
} from "./message/limits.ts";
export { poseCodec, posesEqual, roundPose } from "./message/pose-codec.ts";
export { coverRegions, type RegionMask, regionMask } from "./message/regions.ts";
export { clipText, type EntityFields, sendablePose, visibleEntity } from "./message/sendable.ts";
export {
  serverFrameCodec,
  startServerFrame,
  writePatchMessage,
  writeServerMessage,
} from "./message/server-frame-codec.ts";
export type {
  AllEntities,
  Blank,
  EditResult,
  EditResults,
  EntityChanges,
  Forget,
  Goodbye,
  GoodbyeReason,
  Heartbeat,
  NumberedEditResult,
  PatchMessage,
  RejectionReason,
  Reset,
  Role,
  ServerFrame,
  ServerMessage,
  Welcome,
} from "./message/server-message.ts";
export type { CloseReason, Wire } from "./message/wire.ts";
export type { ServerPhase, ServerSession } from "./server/server-session.ts";
export { DEFAULT_SYNC_LIMITS, type SyncLimits } from "./server/sync-limits.ts";
export { SyncServer } from "./server/sync-server.ts";
export type {
  Account,
  AccountFault,
  GameRules,
  Player,
  SyncServerEvents,
  SyncServerOptions,
  TickReport,
} from "./server/sync-server-options.ts";
export type {
  EditOrigin,
  PeerServers,
  RemotePlayer,
  RemotePlayerEvent,
  SyncWorld,
  VisibleEntityEvent,
  WorldEditResult,
} from "./server/sync-world.ts";
export {
  Wire1Client,
  type Wire1ClientOptions,
  type Wire1Status,
} from "./wire1/client/wire1-client.ts";
export { WIRE1_DROPS, type Wire1Drop } from "./wire1/drop-counts.ts";
export type { Wire1Command } from "./wire1/message/wire1-command.ts";
export type { Wire1Control, Wire1Message } from "./wire1/message/wire1-message.ts";
export {
  readDatagram,
  type Unreadable,
  WIRE1_BATCH_CHUNKS_MAX,
  WIRE1_DATAGRAM_BYTES_MAX,
  WIRE1_VERSION,
  wire1Codec,
} from "./wire1/message/wire1-message.ts";
export {
  readWire1Recording,
  replayWire1,
  WIRE1_RECORDING_BYTES_MAX,
  type Wire1Event,
  Wire1Recorder,
  type Wire1Replay,
  type Wire1ReplayTarget,
} from "./wire1/recording.ts";
export { type Wire1Counts, Wire1Server } from "./wire1/server/wire1-server.ts";
export type {
  Wire1Address,
  Wire1Events,
  Wire1GameCommand,
  Wire1PlayerActions,
  Wire1ServerOptions,
} from "./wire1/server/wire1-server-options.ts";
export { ExpectedPlayers } from "./wire1/server/wire1-server-options.ts";
export { DEFAULT_WIRE1_LIMITS, type Wire1Limits } from "./wire1/wire1-limits.ts";
