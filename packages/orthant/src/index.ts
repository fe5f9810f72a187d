/**
 * What most games need, in Node: worlds on disk, a server, a client, generators.
 *
 * @module orthant
 */

export {
  boxBrush,
  type ClientOperations,
  ClientWorld,
  type ConnectOptions,
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
  type Status,
  type StatusDetail,
  sphereBrush,
} from "@orthant/client";
export { connect, connectTiles } from "@orthant/client/node";
export {
  AIR,
  BlockCatalog,
  type BlockChange,
  type BlockChanges,
  type BlockDefinition,
  type BlockDefinitions,
  type BlockDescription,
  type BlockHandle,
  type BlockHandles,
  type BlockPlacement,
  type BlockProperties,
  type BlockProperty,
  type BlockType,
  type BlockTypeChanges,
  box,
  type Chunk,
  type ChunkBox,
  chunkBox,
  chunkShape,
  DEFAULT_BLOCKS,
  type DefineBlocksOptions,
  type Dimensions,
  defineGenerator,
  type EditEvent,
  type EditResult,
  type Entity,
  type EntityEvent,
  flat,
  GeneratorRegistry,
  hashPosition,
  isOrthantError,
  type Light,
  maze,
  OrthantError,
  type Position,
  platforms,
  terrain,
  uniformChunk,
  type Vector,
  type VoxelBox,
  type VoxelWorld,
  valueNoise,
  type WorldGenerator,
} from "@orthant/core";
export type { BlockBox, BlockShape, BlockShapePart } from "@orthant/core/chunk";
export { type GeneratorSource, hashKey, type SeededGenerator } from "@orthant/core/generate";
export {
  type Mask,
  type Operation,
  type Pattern,
  parseOperation,
  printOperation,
  type Selection,
} from "@orthant/core/operations";
export type { GameMessages, StandardSchema, Validator } from "@orthant/core/world";
export { type Disk, type DiskFile, MemoryDisk, type OpenMode } from "@orthant/disk";
export { NodeDisk } from "@orthant/disk/node";
export {
  createServer,
  type GameRules,
  issueToken,
  type MovementOptions,
  OrthantServer,
  type ServerOptions,
} from "@orthant/server";
export type {
  BlockArrays,
  ChangeGeneratorOptions,
  KeptSpace,
  NewEntity,
  NewWorld,
  Simulation,
  SimulationOptions,
  SimulationStatistics,
  Step,
  StepEdits,
  StepEntities,
  StepPlayer,
  StepReader,
  StepSchedule,
  System,
  Transaction,
  World,
  WorldEntity,
  WorldOptions,
  WorldPlayer,
} from "@orthant/world";
export { createWorld, openOrCreateWorld, openWorld } from "./worlds.ts";
