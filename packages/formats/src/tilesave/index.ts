export { TILE_SAVE_BACKUP_FILE, TILE_SAVE_CHUNKS_MAX, TILE_SAVE_FILE } from "./layout.ts";
export { type OpenedTileSave, openTileSave } from "./reader.ts";
export { decodeTileSave, encodeTileSave } from "./save-text.ts";
export { TILE_MATERIALS } from "./tile-materials.ts";
export {
  type DebugSection,
  EMPTY_TILE_SAVE,
  type GameplaySection,
  type TileSave,
  type UnknownEntry,
} from "./tile-save.ts";
export { writeTileSave } from "./writer.ts";
