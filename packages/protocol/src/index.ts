export { BEINGS_HELD_MAX, BEINGS_LOST_WAIT_MS } from "./guest/being-register.ts";
export { Guest } from "./guest/guest.ts";
export type {
  BeingsChange,
  GuestCounts,
  GuestEvents,
  GuestOptions,
  InterestWish,
} from "./guest/guest-options.ts";
export type { KeptRegion, KeptReplica, KeptWorld } from "./guest/kept-replica.ts";
export type { OpenEdit } from "./guest/open-edits.ts";
export { GENERATED_CACHE_BYTES, HELD_REGIONS_MAX } from "./guest/shared-replica.ts";
export { inhabitantOf, type KeptEntity } from "./host/beings/inhabitant-of.ts";
export { clipText } from "./host/connection/clip-text.ts";
export { Host } from "./host/host.ts";
export { DEFAULT_HOST_LIMITS, type HostLimits } from "./host/host-limits.ts";
export type {
  Account,
  AccountFault,
  HostEvents,
  HostOptions,
  HostRules,
  Player,
  TickReport,
} from "./host/host-options.ts";
export type { HostSession } from "./host/host-session.ts";
export type {
  DistantPlayer,
  DistantPlayerEvent,
  EditOrigin,
  EditResult,
  HostWorld,
  Inhabitant,
  InhabitantEvent,
  OtherHosts,
} from "./host/host-world.ts";
export type { Being, BeingMove, Pose, Vector } from "./message/being.ts";
export { inhabitantCodec } from "./message/being-codec.ts";
export { clientFrameCodec, readHelloVersion } from "./message/client-frame-codec.ts";
export type {
  BeingsLost,
  ClientFrame,
  ClientMessage,
  GameMessage,
  Hello,
  Interest,
  Kept,
  Move,
  Resync,
  SetVoxels,
} from "./message/client-message.ts";
export { coverRegions } from "./message/cover-regions.ts";
export {
  BEINGS_MAX,
  CATALOG_BYTES_MAX,
  CLIENT_FRAME_BYTES_MAX,
  DETAIL_BYTES_MAX,
  EDIT_RUN_IDS,
  EDIT_VOXELS_MAX,
  EDITS_OPEN_MAX,
  FRAME_MESSAGES_MAX,
  GAME_BYTES_MAX,
  INTEREST_BOXES_MAX,
  INTEREST_REGIONS_MAX,
  MASK_BOX_REGIONS_MAX,
  NAME_BYTES_MAX,
  SERVER_FRAME_BYTES_MAX,
  TOKEN_BYTES_MAX,
  VERDICTS_MAX,
  VOXEL_COORDINATE_MAX,
  WORLD_NAME_BYTES_MAX,
} from "./message/limits.ts";
export { poseCodec, posesEqual, roundPose } from "./message/pose-codec.ts";
export { type RegionMask, regionMask } from "./message/region-mask.ts";
export { sendablePose } from "./message/sendable-pose.ts";
export {
  serverFrameCodec,
  startServerFrame,
  writePatchMessage,
  writeServerMessage,
} from "./message/server-frame-codec.ts";
export type {
  AllBeings,
  Beings,
  Blank,
  Forget,
  Goodbye,
  GoodbyeReason,
  Heartbeat,
  PatchMessage,
  RefusalReason,
  Reset,
  Role,
  ServerFrame,
  ServerMessage,
  Verdict,
  Verdicts,
  Welcome,
} from "./message/server-message.ts";
export {
  FEATURES,
  KNOWN_FEATURES,
  PROTOCOL_MAGIC,
  PROTOCOL_VERSION,
  REQUIRED_FEATURES_MASK,
} from "./message/version.ts";
export type { Wire } from "./message/wire.ts";
export type { DoorOptions, Wire1Events, Wire1GameCommand, Wire1Hand } from "./wire1/door/door-options.ts";
export { WIRE1_DROPS, type Wire1Drop } from "./wire1/door/drop-counts.ts";
export { ExpectedPlayers } from "./wire1/door/expected-players.ts";
export type { Wire1Address } from "./wire1/door/wire1-address.ts";
export { type Wire1Counts, Wire1Door } from "./wire1/door/wire1-door.ts";
export {
  WIRE1_BATCH_CHUNKS_MAX,
  WIRE1_DATAGRAM_BYTES_MAX,
  WIRE1_VERSION,
  wire1Codec,
} from "./wire1/message/datagram-codec.ts";
export { readDatagram, type Unreadable } from "./wire1/message/read-datagram.ts";
export type { Wire1Command } from "./wire1/message/wire1-command.ts";
export type { Wire1Control, Wire1Message } from "./wire1/message/wire1-message.ts";
export { WIRE1_RECORDING_BYTES_MAX, Wire1Recorder } from "./wire1/recording/recorder.ts";
export { readWire1Recording, type Wire1Event } from "./wire1/recording/recording-codec.ts";
export { replayWire1, type Wire1Replay, type Wire1Stage } from "./wire1/recording/replay.ts";
export {
  type VisitorOptions,
  type Wire1Status,
  Wire1Visitor,
} from "./wire1/visitor/wire1-visitor.ts";
export { DEFAULT_WIRE1_LIMITS, type Wire1Limits } from "./wire1/wire1-limits.ts";
