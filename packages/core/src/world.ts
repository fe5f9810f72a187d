/**
 * What worlds on a disk and worlds of clients share: data of voxels, placements, events of edits.
 *
 * @module @orthant/core/world
 */

export { ListenerSet } from "./event/listener-set.ts";
export { ChunksEdit, LazyChanges, publicDataChange } from "./world/chunks-edit.ts";
export { decodeData, encodeData, encodeSetData, PLAIN_DATA, requireDataCodec } from "./world/data-codec.ts";
export { dataText } from "./world/data-text.ts";
export { checkedSetOptions, voxelPlacement, voxelPlacements } from "./world/placements.ts";
export { decodePlainValue, encodePlainValue, PLAIN_VALUE_HEAD_BYTES } from "./world/plain-value.ts";
export {
  type GameMessages,
  requireMessage,
  requireMessages,
  requireValidator,
  type StandardSchema,
  type Validated,
  type Validator,
  validated,
} from "./world/validator.ts";
export type { RejectionReason, SetOptions } from "./world/voxel-world.ts";
