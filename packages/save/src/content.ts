/**
 * The values that a save stores, and their encodings: players, entities, descriptions, stored chunks, and the generator of
 * a world. For an open world, and for formats that store the same values.
 *
 * @module @orthant/save/content
 */

export { recordRefCodec } from "./codec/blob.ts";
export {
  mergePlayers,
  PLAYER_CLASS,
  PLAYERS_MAX,
  playersCodec,
  sortEntities,
  sortPlayers,
  storedEntityCodec,
  TEXT_BYTES_MAX,
  tagsCodec,
  vectorCodec,
} from "./codec/entity.ts";
export {
  EMPTY_GENERATOR,
  generatedChunks,
  generatorMapOf,
  type PlayerEntityHint,
  playerEntityHintsCodec,
  storedGenerators,
} from "./codec/global-record.ts";
export {
  CHUNK_TICK_KINDS_MAX,
  CHUNK_TICKS_MAX,
  compareTicks,
  isTickKind,
  type ScheduledTick,
  TICK_KIND_BYTES_MAX,
} from "./codec/scheduled-ticks.ts";
export {
  STORE_BYTES_MAX,
  STORE_KEY_BYTES_MAX,
  STORE_VALUE_BYTES_MAX,
  storeEntryBytes,
} from "./codec/store-page.ts";
export { lazyStoredChunk, realizeStored, ticksOf, withTicksDelayed } from "./codec/stored-chunk.ts";
export {
  CLIENT_EDITS_MAX,
  DESCRIPTION_EPOCHS_MAX,
  LABEL_BYTES_MAX,
  worldDescriptionCodec,
} from "./codec/world-description.ts";
export { LeafMap } from "./leaves/leaf-map.ts";
export { type BoundedPage, boundedPages, pageIndexOf } from "./read/world-records.ts";
