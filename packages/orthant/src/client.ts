/**
 * What most games need in a browser: a client of a shared world.
 *
 * @module orthant/client
 */

export {
  boxBrush,
  type CacheChange,
  type CacheEntry,
  type ClientOperations,
  ClientWorld,
  type ConnectOptions,
  connect,
  EditHistory,
  type Interest,
  lineBrush,
  memoryCache,
  type PastOperation,
  type PastOperations,
  type PlayerState,
  type PredictedPlayer,
  type PredictionOptions,
  type RemoteApplyOptions,
  type RemoteClipboard,
  type RemoteOperation,
  type ReplicaCache,
  type Status,
  type StatusDetail,
  sphereBrush,
} from "@orthant/client";
export { indexedDbCache } from "@orthant/client/browser";
export {
  AIR,
  BlockCatalog,
  type BlockChange,
  type BlockChanges,
  type BlockDescription,
  type BlockPlacement,
  type BlockProperties,
  type BlockProperty,
  type BlockType,
  box,
  type Chunk,
  type ChunkBox,
  chunkBox,
  type Dimensions,
  defineGenerator,
  type EditEvent,
  type EditResult,
  type Entity,
  type EntityEvent,
  GeneratorRegistry,
  isOrthantError,
  type Light,
  OrthantError,
  type Position,
  type Vector,
  type VoxelBox,
  type VoxelWorld,
  valueNoise,
} from "@orthant/core";
export type { BlockBox, BlockShape, BlockShapePart } from "@orthant/core/chunk";
export {
  type Mask,
  type Operation,
  type Pattern,
  parseOperation,
  printOperation,
  type Selection,
} from "@orthant/core/operations";
export type { GameMessages, StandardSchema, Validator } from "@orthant/core/world";
