/**
 * The pure halves of the protocol between server and client.
 *
 * @module @orthant/protocol
 */

export type { CachedRegion, CachedReplica, CachedWorld } from "./client/cached-region.ts";
export type { ClientPhase } from "./client/client-session.ts";
export type { OpenEdit } from "./client/joint-edits.ts";
export type { OwnEditResult } from "./client/open-edits.ts";
export { SyncClient } from "./client/sync-client.ts";
export type {
  EntitiesChange,
  InterestArea,
  SendResult,
  SyncClientCounts,
  SyncClientEvents,
  SyncClientOptions,
} from "./client/sync-client-options.ts";
export type { CachedEpoch, Hello } from "./message/client-message.ts";
export { NO_DETAILS, type Pose, type SeenEntity, type VisibleEntity } from "./message/entity.ts";
export { visibleEntityCodec } from "./message/entity-codec.ts";
export { encodeGameMessage, gameMessageIn } from "./message/game-message.ts";
export {
  CATALOG_BYTES_MAX,
  CLOCK_WRAP_MS,
  EDIT_RUN_IDS,
  EDIT_VOXELS_MAX,
  EDITS_OPEN_MAX,
  ENTITIES_MAX,
  INTEREST_BOXES_MAX,
  INTEREST_REGIONS_MAX,
  NAME_BYTES_MAX,
  SERVER_FRAME_BYTES_MAX,
  TOKEN_BYTES_MAX,
  WORLD_NAME_BYTES_MAX,
} from "./message/limits.ts";
export { poseCodec, posesEqual, roundPose } from "./message/pose-codec.ts";
export {
  DEFAULT_PRECISION,
  ORIENTATION_STEPS_MAX,
  POSITION_STEPS_MAX,
  type Precision,
} from "./message/precision.ts";
export { changedBox, placementsOf, type RequestedEdit } from "./message/requested-edit.ts";
export { clipText, type EntityFields, sendablePose, visibleEntity } from "./message/sendable.ts";
export type {
  Goodbye,
  GoodbyeReason,
  NumberedEditResult,
  Placed,
  Role,
  Welcome,
} from "./message/server-message.ts";
export { chunkCount } from "./message/touched-chunks.ts";
export type { CloseReason, Wire } from "./message/wire.ts";
export type { Account, AccountFault, Player } from "./server/account.ts";
export type { EntityRates } from "./server/entities/entity-rates.ts";
export type { MovementLimits } from "./server/entities/move-check.ts";
export type { ServerPhase, ServerSession } from "./server/server-session.ts";
export { DEFAULT_SYNC_LIMITS, type SyncLimits } from "./server/sync-limits.ts";
export type { PlayerEdit, RuleAnswer, SyncRules } from "./server/sync-rules.ts";
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
export { Wire1Client, type Wire1ClientOptions, type Wire1Status } from "./wire1/client/wire1-client.ts";
export { WIRE1_DROPS, type Wire1Drop } from "./wire1/drop-counts.ts";
export { describeWire1Datagram } from "./wire1/message/describe-datagram.ts";
export type { Wire1Command } from "./wire1/message/wire1-command.ts";
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
export {
  ExpectedPlayers,
  type Wire1Address,
  type Wire1Events,
  type Wire1GameCommand,
  type Wire1PlayerActions,
  type Wire1ServerOptions,
} from "./wire1/server/wire1-server-options.ts";
export { DEFAULT_WIRE1_LIMITS, type Wire1Limits } from "./wire1/wire1-limits.ts";
