export type { MarsMinerLoss, MarsMinerRepairPlan } from "./care/repair-plan.ts";
export {
  CUBE_SIZE_MAX,
  DEFAULT_CUBE_SIZE,
  headerStruct as marsMinerHeader,
  MARSMINER_DIALECTS,
  type MarsMinerDialect,
  type MarsMinerHeader,
  type PointerRecord as MarsMinerPointerRecord,
  type PointersHead as MarsMinerPointersHead,
  pointerRecord as marsMinerPointerRecord,
  pointersHead as marsMinerPointersHead,
  type StringsHead as MarsMinerStringsHead,
  stringsHead as marsMinerStringsHead,
} from "./layout.ts";
export { type Octree, octreeCodec, uniformOctree } from "./octree/octree.ts";
export { type OctreeBox, type OctreeCube, octreeBoxes, octreeVoxel } from "./octree/octree-boxes.ts";
export { buildOctree, type CubeContent, octreeOfBoxes } from "./octree/octree-build.ts";
export { type OpenMarsMinerOptions, openMarsMiner } from "./reader.ts";
export {
  type BlockKind as MarsMinerBlockKind,
  type BlockKinds as MarsMinerBlockKinds,
  blockKinds as marsMinerBlockKinds,
} from "./records/blocks.ts";
export type { MarsMinerBlockType, MarsMinerChunk, MarsMinerChunkEntry } from "./records/chunk-reader.ts";
export { type BlockAddress, describeAddress as describeMarsMinerAddress } from "./records/pointer.ts";
export { type MarsMinerState, msOfTicks, ticksOfMs } from "./records/state-reader.ts";
export { applyMarsMinerRepair, describeMarsMinerRepair, planMarsMinerRepair } from "./repair.ts";
export { MarsMinerSave, type MarsMinerSizes } from "./save.ts";
export { verifyMarsMiner } from "./verify.ts";
export {
  createMarsMiner,
  type MarsMinerChunkContent,
  type MarsMinerCommit,
  type MarsMinerWriter,
  type MarsMinerWriterOptions,
  resumeMarsMiner,
} from "./writer.ts";
