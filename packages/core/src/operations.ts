/**
 * Operations on many voxels as values and as texts: selections, masks and patterns.
 *
 * @module @orthant/core/operations
 */

export type { AppliedOperation, ApplyOptions, OperationProgress } from "./operation/applied-operation.ts";
export { CachedVoxels } from "./operation/cached-voxels.ts";
export {
  checkedMask,
  checkedOperation,
  checkedPattern,
  checkedSelection,
} from "./operation/check-operation.ts";
export {
  CLIPBOARD_VOXELS_MAX,
  Clipboard,
  type ClipboardContent,
  NOT_COPIED,
  paletteIn,
  placeInBox,
  type TurnStep,
  turnClipboard,
  turnOfStep,
  typesOfBlocks,
} from "./operation/clipboard.ts";
export { CLIPBOARD_BYTES_MAX, decodeClipboard, encodeClipboard } from "./operation/clipboard-file.ts";
export { completeOperation, type OperationCompletion } from "./operation/complete-operation.ts";
export type {
  BlockChoice,
  BlockMask,
  BlockPattern,
  CancelSignal,
  ConnectedSelection,
  CylinderSelection,
  Mask,
  NextToMask,
  Operation,
  OperationKind,
  Pattern,
  PrismSelection,
  Selection,
  SphereSelection,
  WeightedPattern,
} from "./operation/operation.ts";
export {
  OPERATION_CLIPBOARDS_MAX,
  OPERATION_DEPTH_MAX,
  OPERATION_ITEMS_MAX,
  OPERATION_PARTS_MAX,
  OPERATION_POINTS_MAX,
  OPERATION_TEXT_LENGTH_MAX,
} from "./operation/operation-limits.ts";
export { type OperationPlan, UNCHANGED } from "./operation/operation-plan.ts";
export { type OperationText, operationOfText, textOfOperation } from "./operation/operation-text.ts";
export type { OperationWorld } from "./operation/operation-world.ts";
export {
  type OperationTextOptions,
  parseMask,
  parseOperation,
  parsePattern,
  parseSelection,
} from "./operation/parse-operation.ts";
export { type PlannedChunk, planChunk } from "./operation/planned-chunk.ts";
export {
  prepareOperation,
  prepareSelection,
  type SelectedVoxels,
} from "./operation/prepare-operation.ts";
export { printMask, printOperation, printPattern, printSelection } from "./operation/print-operation.ts";
export { clipboardBytes, copyVoxels, countVoxels } from "./operation/selected-voxels.ts";
export {
  type AxisName,
  type Plane,
  positionBefore,
  type Turn,
  turnedExtents,
  turnedProperties,
  turnIn,
} from "./operation/turn.ts";
