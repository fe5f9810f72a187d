/**
 * What both ends of the protocol share: poses, limits, messages of games, requested edits.
 *
 * @module @orthant/protocol
 */

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
  OPERATION_BYTES_MAX,
  OPERATIONS_OPEN_MAX,
  SERVER_FRAME_BYTES_MAX,
  TOKEN_BYTES_MAX,
  TURN_STEPS_MAX,
  WORLD_NAME_BYTES_MAX,
} from "./message/limits.ts";
export { DEFAULT_OPERATION_LIMITS, type OperationLimits } from "./message/operation-limits.ts";
export type {
  ExceededLimit,
  ListedOperation,
  OperationOutcome,
  OperationRefusal,
  OperationRequest,
  SentClipboard,
} from "./message/operation-message.ts";
export { poseCodec, posesEqual, roundPose } from "./message/pose-codec.ts";
export {
  DEFAULT_PRECISION,
  ORIENTATION_STEPS_MAX,
  POSITION_STEPS_MAX,
  type Precision,
} from "./message/precision.ts";
export { changedBox, copyOfEdit, placementsOf, type RequestedEdit } from "./message/requested-edit.ts";
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
