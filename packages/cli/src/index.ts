export {
  type ConnectOptions,
  type EditResult,
  type Interest,
  memoryCache,
  SharedWorld,
} from "@orthant/client";
export { connect, connectTiles } from "@orthant/client/node";
export {
  AIR,
  BlockCatalog,
  type Box,
  boxBetween,
  CUBE_CHUNKS,
  chunkShape,
  DEFAULT_BLOCKS,
  DEFAULT_GENERATORS,
  FLAT_DEFAULTS,
  flatGenerator,
  GeneratorRegistry,
  generatorRef,
  HYPERCUBE_CHUNKS,
  isOrthantError,
  MAZE_DEFAULTS,
  mazeGenerator,
  OrthantError,
  PLATFORMS_DEFAULTS,
  type Position,
  platformsGenerator,
  TERRAIN_DEFAULTS,
  TILE_CHUNKS,
  terrainGenerator,
  uniformChunk,
  type WorldGenerator,
} from "@orthant/core";
export { type Disk, MemoryDisk } from "@orthant/disk";
export { NodeDisk } from "@orthant/disk/node";
export { createServer, issueToken, OrthantServer, type ServerOptions } from "@orthant/server";
export {
  createWorld,
  type NewWorld,
  openWorld,
  World,
  type WorldEdit,
  type WorldOptions,
} from "@orthant/world";
