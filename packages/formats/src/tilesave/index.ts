export { type OpenedTileSave, openTileSave, writeTileSave } from "./files.ts";
export { decodeTileSave, encodeTileSave } from "./save-text.ts";
export {
  type DebugSection,
  EMPTY_TILE_SAVE,
  type GameplaySection,
  TILE_BLOCKS,
  TILE_SAVE_BACKUP_FILE,
  TILE_SAVE_CHUNKS_MAX,
  TILE_SAVE_FILE,
  type TileSave,
  type UnknownEntry,
} from "./tile-save.ts";
