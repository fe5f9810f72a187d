export type { CompactionReport, Retention } from "@orthant/save";
export { type EditOrigin, PLAYER_CLIENTS_MAX } from "./edit/last-edit-store.ts";
export type { EditOptions, WorldEdit } from "./edit/world-editor.ts";
export type { EntityChange, EntityEvent, NewEntity } from "./entities/entity-store.ts";
export type { PlayerChange } from "./entities/player-store.ts";
export type { DamagedJournal, ReplayedJournal } from "./journal/replay.ts";
export type {
  ExternalLog,
  LoggedChange,
  LoggedEdit,
  LoggedEntry,
  WorldLog,
} from "./journal/world-log.ts";
export { createWorld, openLoggedWorld, openWorld } from "./open/open-world.ts";
export {
  type JournalRepair,
  openSaveWithJournal,
  planJournalRepair,
  replayOnto,
  type SaveWithJournal,
} from "./open/save-with-journal.ts";
export { World } from "./world.ts";
export type { Moment, WorldGeneration } from "./world-history.ts";
export { WorldHistory } from "./world-history.ts";
export {
  COPY_VOXELS_MAX,
  DEFAULT_CADENCE,
  type Durability,
  EDIT_CHUNKS_MAX,
  ENTITY_CHECKPOINT_MS,
  ENTITY_HYSTERESIS_CHUNKS,
  LOADED_CHUNKS_MAX,
  type NewWorld,
  PLAYERS_AUTOSAVE_MS,
  WORLD_AUTOSAVE_MS,
  type WorldCadence,
  type WorldLabel,
  type WorldLimits,
  type WorldOptions,
} from "./world-options.ts";
export { WorldSnapshot } from "./world-snapshot.ts";
