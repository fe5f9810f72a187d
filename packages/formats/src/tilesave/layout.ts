/** The save itself. */
export const TILE_SAVE_FILE = "world.sav";
/** The save before the last one. */
export const TILE_SAVE_BACKUP_FILE = "world.sav.bak";
/** The only version that is known. */
export const TILE_SAVE_VERSION = 3;
/** The version of each section. */
export const SECTION_VERSION = 1;
/** Bytes of the file. */
export const TILE_SAVE_BYTES_MAX = 268_435_456;
/** Chunks of a save; so many fit the file. */
export const TILE_SAVE_CHUNKS_MAX = 65_536;
