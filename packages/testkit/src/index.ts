export { arrayRowHex } from "./array-row.ts";
export { fromHex, toHex } from "./base/bytes.ts";
export { codeOf, codeOfRejection } from "./base/error-code.ts";
export { FakeTime } from "./base/fake-time.ts";
export { Prng } from "./base/prng.ts";
export { CrashDisk } from "./crash/crash-disk.ts";
export { BTRFS, CRASH_MODELS, type CrashModel, EXT4, OPFS, WEAK, XFS } from "./crash/crash-model.ts";
export {
  explorePowerCuts,
  type PowerCutOptions,
  type PowerCutReport,
  type Survivor,
} from "./crash/explore-power-cuts.ts";
export type { DiskOperation } from "./crash/operation.ts";
export { type DiskFault, type DiskFaultKind, FaultDisk, type FaultyOperation } from "./fault-disk.ts";
export {
  type Link,
  type LinkEnd,
  type LinkListener,
  LossyNetwork,
  type NetworkConditions,
  RELIABLE_NETWORK,
} from "./lossy-network.ts";
export { type NbtSample, nbtFile } from "./nbt-bytes.ts";
export { type PngSample, plainPng, pngBytes, pngFile } from "./png-bytes.ts";
export {
  changeData,
  changeTree,
  randomBox,
  randomChunk,
  randomTree,
  TREE_GENERATORS,
} from "./random-tree.ts";
export {
  commitValue,
  proveSampleStore,
  readValues,
  STORE_MUTANTS,
  type StoreMutant,
  type StoreProof,
} from "./sample-store.ts";
export { type EndedRun, EXIT_MISSING, runFor, type SmallestRun, startSmallest } from "./smallest.ts";
export { SharedLocks, StoppableProcess } from "./stoppable-process.ts";
export { WindowsDisk } from "./windows-disk.ts";
export { zipBytes } from "./zip-bytes.ts";
