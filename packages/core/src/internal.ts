export { portableCrc32 } from "./bytes/crc32.ts";
export { streamDeflateRaw, streamInflateRaw, streamInflateUpTo } from "./bytes/deflate.ts";
export { encodeChunkChange } from "./chunk/chunk-change.ts";
export { MAZE_STRIDE_VOXELS } from "./generate/maze/maze.ts";
export { generatorManifestHash, generatorVersionHash } from "./generate/world-generator.ts";
export { splitBox, subtractBox } from "./lattice/box.ts";
export { positionInChunk } from "./lattice/chunk-shape.ts";
export { type PositionHashSecret, positionHashSecret } from "./lattice/position-map.ts";
export { MASK_WORDS, PATTERN_WORDS, SELECTION_WORDS } from "./operation/text/operand-reader.ts";
export { OPERATION_WORDS } from "./operation/text/operation-reader.ts";
export { ChunkArray, treeOfArray } from "./region/chunk-array.ts";
export { readChunkArrayBody, writeChunkArrayBody } from "./region/chunk-array-codec.ts";
export {
  cellCount,
  type PagedIndexShape,
  pageCells,
  pageCount,
  pagedIndexBytesMax,
  pagedSparseRleCodec,
  readIndexHeader,
  readIndexRuns,
} from "./region/paged-sparse-rle.ts";
export { CLOCKS_PER_EPOCH } from "./region/region-clock.ts";
export { type ChangeForm, changeOfDifferences, type RealizeChunk } from "./region/region-patch-build.ts";
export { canonicalNodes, type EncodedNode, TREE_NODES_MAX } from "./region/region-tree-nodes.ts";
export { COLD_AFTER_USES, SIMULATION_CACHE_LIMITS } from "./state/generated-chunk-cache.ts";
export { ChunkTree } from "./tree/chunk-tree.ts";
