export type { CompactionReport, Retention } from "@orthant/save";
export { createWorld } from "./create-world.ts";
export type { EntityChange, EntityEvent, NewEntity } from "./entity-store.ts";
export type { DamagedJournal, ReplayedJournal } from "./journal/replay.ts";
export type {
  ExternalLog,
  LoggedChange,
  LoggedEdit,
  LoggedEntry,
  WorldLog,
} from "./journal/world-log.ts";
export type { Moment, WorldGeneration } from "./kept-generations.ts";
export { type EditOrigin, PLAYER_CLIENTS_MAX } from "./last-edit-store.ts";
export { openLoggedWorld } from "./open-logged.ts";
export { openWorld } from "./open-world.ts";
export type { PlayerChange } from "./player-store.ts";
export { type JournalRepair, planJournalRepair } from "./repair-journal.ts";
export { openSaveWithJournal, replayOnto, type SaveWithJournal } from "./save-with-journal.ts";
export { World } from "./world.ts";
export type { EditOptions, WorldEdit } from "./world-editor.ts";
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
