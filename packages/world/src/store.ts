/**
 * The same world with four axes, for the other packages of Orthant.
 *
 * @module @orthant/world/store
 */

export type { BlocksEvent, WorldBlocks } from "./blocks/world-blocks.ts";
export { PLAYER_CLIENTS_MAX } from "./content/last-edit-store.ts";
export type { EditOptions, StoreEdit } from "./edit/world-editor.ts";
export type { EntityChange, NewStoredEntity, StoredEntityEvent } from "./entities/entity-store.ts";
export type { PlayerChange } from "./entities/player-store.ts";
export type { ReplayedJournal } from "./journal/replay.ts";
export type {
  ChangeLog,
  ExternalLog,
  LoggedChange,
  LoggedEdit,
  LoggedEntry,
} from "./journal/world-log.ts";
export { createWorldStore, openLoggedWorldStore, openWorldStore } from "./open/open-store.ts";
export {
  type JournalRepair,
  openSaveWithJournal,
  planJournalRepair,
  type SaveWithJournal,
} from "./open/save-with-journal.ts";
export { type UpgradeReport, type UpgradeStoreOptions, upgradeWorldStore } from "./open/upgrade-store.ts";
export { StoreSnapshot } from "./store-snapshot.ts";
export type { WorldGeneration } from "./world-history.ts";
export { WorldHistory } from "./world-history.ts";
export {
  COPY_VOXELS_MAX,
  type DamagedJournal,
  DEFAULT_CADENCE,
  type Durability,
  EDIT_CHUNKS_MAX,
  ENTITY_HYSTERESIS_CHUNKS,
  LOADED_CHUNKS_MAX,
  type Moment,
  type NewWorldStore,
  type StoreOptions,
  type WorldCadence,
  type WorldLabel,
  type WorldLimits,
} from "./world-options.ts";
export { WorldStore } from "./world-store.ts";
