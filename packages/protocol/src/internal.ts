// For tests, campaigns and benchmarks; not published.
export { ENTITIES_HELD_MAX } from "./client/entity-set.ts";
export { HELD_REGIONS_MAX } from "./client/shared-replica.ts";
export { clientFrameCodec, readHelloVersion } from "./message/client-frame-codec.ts";
export type {
  ClientFrame,
  ClientMessage,
  InterestMessage,
} from "./message/client-message.ts";
export type { EntityMove, NumberedEntity } from "./message/entity.ts";
export {
  CLIENT_FRAME_BYTES_MAX,
  DETAIL_BYTES_MAX,
  EDIT_RESULTS_MAX,
  FEATURES,
  FRAME_MESSAGES_MAX,
  GAME_BYTES_MAX,
  KNOWN_FEATURES,
  LIMIT_MAX,
  MASK_BOX_REGIONS_MAX,
  OPERATION_LABEL_BYTES_MAX,
  OPERATIONS_LISTED_MAX,
  PROTOCOL_VERSION,
  VOXEL_COORDINATE_MAX,
} from "./message/limits.ts";
export { roundPoseTo } from "./message/pose-codec.ts";
export type { PoseSteps } from "./message/pose-steps.ts";
export { coverRegions, type RegionMask, regionMask } from "./message/regions.ts";
export {
  serverFrameCodec,
  writePatchMessage,
  writeServerMessage,
} from "./message/server-frame-codec.ts";
export type {
  EntityChanges,
  EntityMoves,
  PatchMessage,
  ServerFrame,
  ServerMessage,
} from "./message/server-message.ts";
export { PlayerBudgets } from "./server/budget/player-budget.ts";
export { type PlaceQueues, PlaceSection } from "./server/edits/place-section.ts";
export { MoveCheck } from "./server/entities/move-check.ts";
export {
  readDatagram,
  type Unreadable,
  WIRE1_BATCH_CHUNKS_MAX,
  WIRE1_DATAGRAM_BYTES_MAX,
  type Wire1Control,
  type Wire1Message,
  wire1Codec,
} from "./wire1/message/wire1-message.ts";
