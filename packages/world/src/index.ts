/**
 * A world on disk that a game opens, edits and saves.
 *
 * @module @orthant/world
 */

export type { AppliedOperation, ApplyOptions, OperationProgress } from "@orthant/core/operations";
export type { BlockArrays } from "./edit/block-arrays.ts";
export { type WorldGeneration, WorldHistory } from "./engine/world-history.ts";
export type {
  NewEntity,
  PlayerUpdate,
  WorldEntity,
  WorldEntityEvent,
  WorldPlayer,
} from "./entities/public-records.ts";
export {
  COPY_VOXELS_MAX,
  type DamagedJournal,
  DEFAULT_CADENCE,
  type Durability,
  EDIT_CHUNKS_MAX,
  ENTITY_HYSTERESIS_CHUNKS,
  LOADED_BYTES_MAX,
  type LoadOptions,
  type Moment,
  type WorldCadence,
  type WorldLimits,
} from "./options/world-options.ts";
export {
  Simulation,
  type SimulationOptions,
  type SimulationStatistics,
  type System,
} from "./simulation/simulation.ts";
export type {
  Step,
  StepEdits,
  StepEntities,
  StepPlayer,
  StepReader,
  StepSchedule,
} from "./simulation/step.ts";
export type {
  ChangeGeneratorOptions,
  KeepOptions,
  KeptSpace,
} from "./world/change-generator.ts";
export { KeyValueStore, KeyValueView } from "./world/key-value-store.ts";
export {
  createWorld,
  type NewWorld,
  openOrCreateWorld,
  openWorld,
  type WorldOptions,
} from "./world/open-world.ts";
export { Transaction, TransactionStore } from "./world/transaction.ts";
export { World } from "./world/world.ts";
export { WorldSnapshot } from "./world/world-snapshot.ts";
