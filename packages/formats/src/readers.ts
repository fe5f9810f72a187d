/**
 * Readers of worlds and models of other programs. They trust no byte, and read what is whole in a damaged file.
 *
 * @module @orthant/formats/readers
 */

export { ColumnSection } from "./blocks/column-section.ts";
export { type FlattenedState, flattenBlock } from "./blocks/old-blocks.ts";
export {
  LUANTI_BLOCK_BYTES_MAX,
  type LuantiBlock,
  type LuantiInventoryList,
  type LuantiNodeData,
  type LuantiObject,
  type LuantiTimer,
} from "./luanti/luanti-block.ts";
export { type LuantiBlockPlace, type LuantiWorld, openLuanti } from "./luanti/luanti-world.ts";
export type { ChunkColumn } from "./minecraft/chunk-column.ts";
export { type MinecraftLevel, readMinecraftLevel } from "./minecraft/level.ts";
export { COLUMN_BYTES_MAX, openRegion, RegionFile, type RegionSlot } from "./minecraft/region-file.ts";
export { NbtCompound, type NbtRoot, readNbt, readNbtCompound } from "./nbt/nbt-compound.ts";
export { NBT_DEPTH_MAX } from "./nbt/nbt-type.ts";
export { NBT_TAGS_MAX, type NbtTag } from "./nbt/nbt-value.ts";
export {
  type ImportedBlockData,
  type ImportedEntity,
  NOT_STORED,
  type Triple,
  type VoxelPart,
} from "./part/voxel-part.ts";
export { openSchematic } from "./schematic/open-schematic.ts";
export {
  SCHEMATIC_BYTES_MAX,
  SCHEMATIC_VOXELS_MAX,
  type Schematic,
  type SchematicLimits,
  type SchematicPart,
} from "./schematic/schematic.ts";
export {
  TILED_CELLS_MAX,
  type TiledLayer,
  type TiledObject,
  type TiledPiece,
} from "./tiled/tiled-layer.ts";
export { openTiled, TILED_BYTES_MAX, type TiledMap } from "./tiled/tiled-map.ts";
export { type TiledTile, type TiledTileset, tiledTileOf } from "./tiled/tiled-tile.ts";
export { openVox, type VoxFile, type VoxModel, visitVoxels } from "./vox/vox-file.ts";
export type { VoxLayer } from "./vox/vox-node.ts";
export { VOX_VISITS_MAX, type VoxInstance, type VoxRotation } from "./vox/vox-scene.ts";
