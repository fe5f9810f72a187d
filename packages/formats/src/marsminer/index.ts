export {
  type BlockKind as MarsMinerBlockKind,
  type BlockKinds as MarsMinerBlockKinds,
  blockKinds as marsMinerBlockKinds,
} from "./blocks.ts";
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
export {
  buildOctree,
  type CubeContent,
  type Octree,
  type OctreeBox,
  type OctreeCube,
  octreeBoxes,
  octreeCodec,
  octreeOfBoxes,
  octreeVoxel,
  uniformOctree,
} from "./octree.ts";
export { type BlockAddress, describeAddress as describeMarsMinerAddress } from "./pointer.ts";
export type { MarsMinerLoss, MarsMinerRepairPlan } from "./repair.ts";
export { applyMarsMinerRepair, describeMarsMinerRepair, planMarsMinerRepair } from "./repair.ts";
export { MarsMinerSave, type MarsMinerSizes, type OpenMarsMinerOptions, openMarsMiner } from "./save.ts";
export type { MarsMinerBlockType, MarsMinerChunk, MarsMinerChunkEntry } from "./state.ts";
export { type MarsMinerState, msOfTicks, ticksOfMs } from "./state.ts";
export { verifyMarsMiner } from "./verify.ts";
export {
  createMarsMiner,
  type MarsMinerChunkContent,
  type MarsMinerCommit,
  type MarsMinerWriter,
  type MarsMinerWriterOptions,
  resumeMarsMiner,
} from "./writer.ts";
