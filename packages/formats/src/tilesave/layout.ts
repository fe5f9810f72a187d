/** The save. */
export const TILE_SAVE_FILE = "world.sav";
/** The previous save. */
export const TILE_SAVE_BACKUP_FILE = "world.sav.bak";
/** The only known version. */
export const TILE_SAVE_VERSION = 3;
/** Version of each section. */
export const SECTION_VERSION = 1;
/** Maximum bytes of the file. */
export const TILE_SAVE_BYTES_MAX = 268_435_456;
/** Maximum chunks of a save; as many fit the file. */
export const TILE_SAVE_CHUNKS_MAX = 65_536;
