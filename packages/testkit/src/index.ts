export { CrashDisk } from "./crash/crash-disk.ts";
export { BTRFS, CRASH_MODELS, type CrashModel, EXT4, OPFS, WEAK, XFS } from "./crash/crash-model.ts";
export {
  explorePowerCuts,
  type PowerCutOptions,
  type PowerCutReport,
  type Survivor,
} from "./crash/explore-power-cuts.ts";
export type { DiskOperation } from "./crash/operation.ts";
export { codeOf, codeOfRejection } from "./error-code.ts";
export { FakeClock } from "./fake-clock.ts";
export { type Fault, FaultDisk, type FaultKind, type FaultyOperation } from "./fault/fault-disk.ts";
export { fromHex, toHex } from "./hex.ts";
export { type Link, type LinkEnd, type LinkListener, LossyNetwork } from "./network/lossy-network.ts";
export { CALM_WEATHER, type Weather } from "./network/weather.ts";
export { Prng } from "./prng.ts";
export {
  proveSampleStore,
  STORE_MUTANTS,
  type StoreMutant,
  type StoreProof,
} from "./proof/prove-sample-store.ts";
export { commitValue, readValues } from "./proof/sample-store.ts";
export { SharedLocks, StoppableProcess } from "./stopping/stoppable-process.ts";
