/**
 * A world on disk that a game opens, edits and saves.
 *
 * @module @orthant/world
 */

export type {
  NewEntity,
  PlayerUpdate,
  WorldEntity,
  WorldEntityEvent,
  WorldPlayer,
} from "./entities/shown-records.ts";
export type {
  ChangeGeneratorOptions,
  KeepOptions,
  KeptSpace,
} from "./generators/change-generator.ts";
export {
  createWorld,
  type NewWorld,
  openOrCreateWorld,
  openWorld,
  type WorldOptions,
} from "./open/open-world.ts";
export {
  Simulation,
  type SimulationOptions,
  type SimulationStatistics,
  type System,
} from "./simulation/simulation.ts";
export type { Step, StepEdits, StepReader, StepSchedule } from "./simulation/step.ts";
export type { StepEntities, StepPlayer } from "./simulation/step-entities.ts";
export { KeyValueStore, KeyValueView } from "./store/key-value-store.ts";
export { World } from "./world.ts";
export type { WorldGeneration } from "./world-history.ts";
export { WorldHistory } from "./world-history.ts";
export {
  COPY_VOXELS_MAX,
  type DamagedJournal,
  DEFAULT_CADENCE,
  type Durability,
  EDIT_CHUNKS_MAX,
  ENTITY_HYSTERESIS_CHUNKS,
  LOADED_BYTES_MAX,
  type Moment,
  type WorldCadence,
  type WorldLimits,
} from "./world-options.ts";
export { WorldSnapshot } from "./world-snapshot.ts";
