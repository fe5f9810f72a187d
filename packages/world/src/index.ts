export { createWorld } from "./create-world.ts";
export type { EntityChange, NewEntity } from "./entity-store.ts";
export { openWorld } from "./open-world.ts";
export { World, type WorldEdit } from "./world.ts";
export {
  COPY_VOXELS_MAX,
  EDIT_CHUNKS_MAX,
  ENTITY_CHECKPOINT_MS,
  type NewWorld,
  PLAYERS_AUTOSAVE_MS,
  WORLD_AUTOSAVE_MS,
  type WorldOptions,
} from "./world-options.ts";
export { WorldSnapshot } from "./world-snapshot.ts";
