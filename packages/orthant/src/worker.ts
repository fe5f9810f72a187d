/**
 * What a game for one player needs in a worker of its page: a world in the browser's own files, and its generators.
 *
 * @module orthant/worker
 */

export {
  AIR,
  type BlockDefinitions,
  type BlockPlacement,
  box,
  type ChunkBox,
  chunkBox,
  type Dimensions,
  defineGenerator,
  flat,
  hashPosition,
  isOrthantError,
  maze,
  OrthantError,
  type Position,
  platforms,
  terrain,
  uniformChunk,
  type Vector,
  type VoxelBox,
  valueNoise,
  type WorldGenerator,
} from "@orthant/core";
export { type Disk, MemoryDisk } from "@orthant/disk";
export { OpfsDisk, packTar, unpackTar } from "@orthant/disk/browser";
export { copyGeneration } from "@orthant/save";
export { serveWorker, type WorkerOptions } from "@orthant/server/worker";
export {
  type BlockArrays,
  createWorld,
  type NewWorld,
  openOrCreateWorld,
  openWorld,
  type World,
  type WorldOptions,
} from "@orthant/world";
