/**
 * The same world with four axes, for the other packages of Orthant.
 *
 * @module @orthant/world/engine
 */

export type { BlocksEvent, WorldBlocks } from "./blocks/world-blocks.ts";
export { PLAYER_CLIENTS_MAX } from "./content/last-edit-store.ts";
export type { EditOptions, EngineEdit } from "./edit/world-editor.ts";
export { EngineSnapshot } from "./engine-snapshot.ts";
export type { EntityChange, NewStoredEntity, StoredEntityEvent } from "./entities/entity-store.ts";
export type { PlayerChange } from "./entities/player-store.ts";
export type { KeptGenerators, WorldGenerators } from "./generators/world-generators.ts";
export type { ReplayedJournal } from "./journal/replay.ts";
export type {
  ChangeLog,
  ExternalLog,
  LoggedChange,
  LoggedEdit,
  LoggedEntityChange,
  LoggedEntry,
  LoggedStep,
  LoggedStepEntity,
} from "./journal/world-log.ts";
export { createWorldEngine, openLoggedWorldEngine, openWorldEngine } from "./open/open-engine.ts";
export {
  type JournalRepair,
  openSaveWithJournal,
  planJournalRepair,
  type SaveWithJournal,
} from "./open/save-with-journal.ts";
export { type UpgradeEngineOptions, type UpgradeReport, upgradeWorldEngine } from "./open/upgrade-engine.ts";
export { EVERYTHING_LOADED } from "./simulation/engine-steps.ts";
export { simulate, throwLater } from "./simulation/simulate.ts";
export { stepCountOf, withStepCount } from "./simulation/step-number.ts";
export type { BorderEdit, SimulatedPart } from "./simulation/step-part.ts";
export type { EngineStore, StoreReader } from "./store/engine-store.ts";
export { WorldEngine } from "./world-engine.ts";
export type { WorldGeneration } from "./world-history.ts";
export { WorldHistory } from "./world-history.ts";
export {
  COPY_VOXELS_MAX,
  type DamagedJournal,
  DEFAULT_CADENCE,
  type Durability,
  EDIT_CHUNKS_MAX,
  ENTITY_HYSTERESIS_CHUNKS,
  type EngineOptions,
  LOADED_BYTES_MAX,
  type Moment,
  type NewWorldEngine,
  type WorldCadence,
  type WorldLabel,
  type WorldLimits,
} from "./world-options.ts";
