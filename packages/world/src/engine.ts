/**
 * The same world with four axes, for the other packages of Orthant.
 *
 * @module @orthant/world/engine
 */

export { PLAYER_CLIENTS_MAX } from "./content/last-edits.ts";
export { stepCountOf, withStepCount } from "./content/step-number.ts";
export type { EditOptions, EngineEdit } from "./edit/engine-edit.ts";
export type { EngineTransaction } from "./edit/engine-transaction.ts";
export type { EngineOperations } from "./engine/engine-operations.ts";
export { EngineSnapshot } from "./engine/engine-snapshot.ts";
export { type EngineSteps, EVERYTHING_LOADED } from "./engine/engine-steps.ts";
export type { EngineStore, StoreReader } from "./engine/engine-store.ts";
export type { EngineTransactions } from "./engine/engine-transactions.ts";
export type {
  ComputedOperation,
  KeptOperation,
  KeptOperations,
  KeptOptions,
} from "./engine/kept-operations.ts";
export type { BlocksEvent, WorldBlocks } from "./engine/world-blocks.ts";
export { WorldEngine } from "./engine/world-engine.ts";
export type { KeptGenerators, WorldGenerators } from "./engine/world-generators.ts";
export type { EntityChange, NewStoredEntity, StoredEntityEvent } from "./entities/loaded-entities.ts";
export type { PlayerChange } from "./entities/player-records.ts";
export type { ReplayedJournal } from "./journal/replay.ts";
export type {
  BorderEdit,
  BorderTick,
  ChangeLog,
  ExternalLog,
  LoggedChange,
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
export type { EngineOptions, NewWorldEngine, WorldLabel } from "./options/world-options.ts";
export { simulate, throwUncaught } from "./simulation/simulation.ts";
export type { ShardPart } from "./steps/step-change.ts";
