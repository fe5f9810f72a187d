/**
 * Trees of chunks: regions with their clocks, patches between states, and the state of an edited world. It trusts its
 * arguments.
 *
 * @module @orthant/core/tree
 */

export { encodeGeneratedRegion } from "./region/generated-region.ts";
export {
  generatorMapCodec,
  generatorMapHash,
  MAP_BOXES_MAX,
  MAP_GENERATORS_MAX,
  mapOfRegions,
  type NumberedRegions,
  numberedRegions,
  numberedRegionsCodec,
} from "./region/generator-map-codec.ts";
export { generatorRefCodec } from "./region/generator-ref-codec.ts";
export { boxesOfRegions } from "./region/region-cells.ts";
export {
  CLOCK_NEVER,
  changeNumberOf,
  clockFrom,
  EPOCH_MAX,
  type Epoch,
  epochOf,
  RESYNC_REGIONS_MAX,
  type RegionClock,
  regionClockListCodec,
} from "./region/region-clock.ts";
export { type ClockChange, RegionClocks } from "./region/region-clocks.ts";
export {
  type ChangeBase,
  type ChunkDataEdits,
  type ChunkEdits,
  PATCH_BYTES_MAX,
  PATCH_REGIONS_MAX,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
  voxelEditsCodec,
} from "./region/region-patch.ts";
export {
  buildRegionSnapshot,
  buildSnapshot,
  type ChangeDetail,
  type ChangeForm,
  type RegionSnapshotSource,
} from "./region/region-patch-build.ts";
export { patchBodyBytes, regionPatchCodec } from "./region/region-patch-codec.ts";
export { changeBodies, splitPatch } from "./region/region-patch-split.ts";
export { RegionReplica, type RegionReplicaOptions } from "./region/region-replica.ts";
export { type CacheLimits, GeneratedChunkCache, RENDER_CACHE_LIMITS } from "./state/generated-chunk-cache.ts";
export { type RegionChangeOptions, regionChange, wholeRegionChange } from "./state/region-change.ts";
export {
  type ChunkBlocks,
  type EditedChunk,
  type EditOrigin,
  type QueryDetail,
  type StateEdit,
  type VoxelPlacement,
  WorldState,
  type WorldStateOptions,
} from "./state/world-state.ts";
export { type Content, contentEquals } from "./tree/content.ts";
export { GeneratorMap, type KeptRegions } from "./tree/generator-map.ts";
export { OverrideTree } from "./tree/override-tree.ts";
export { RegionTree } from "./tree/region-tree.ts";
export type { Difference, Piece } from "./tree/tree-walk.ts";
