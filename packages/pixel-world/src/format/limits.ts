/** Pixels along a chunk edge in version 1, and the default in version 2. */
export const CHUNK_EDGE = 512;
/** Pixels along a tile edge. Only a game's simulation uses tiles. */
export const PIXEL_TILE_EDGE = 32;
/** Bytes per pixel in version 1: material, color, damage, flags. */
export const PIXEL_BYTES = 4;
/** Minimum chunk edge in version 2, in pixels. */
export const CHUNK_EDGE_MIN = 8;
/** Maximum chunk edge in version 2, in pixels: a pixel's index fits in 20 bits, and a chunk in 8 MiB. */
export const CHUNK_EDGE_MAX = 1_024;
/** Maximum number of layers in a world. */
export const LAYERS_MAX = 8;
/** Maximum length of a layer's name in bytes. */
export const LAYER_NAME_BYTES_MAX = 64;
/** Maximum width and height of a body in pixels. */
export const BODY_EDGE_MAX = 4_096;
/** Maximum number of pixels in a body, `width * height`. */
export const BODY_PIXELS_MAX = 1_048_576;
/** Maximum size of the extension that a game stores with a body. */
export const BODY_EXTENSION_BYTES_MAX = 1_048_576;
/** Maximum number of chunks accepted in a table. */
export const CHUNKS_MAX = 50_000_000;
/** Maximum number of bodies accepted in a table. */
export const BODIES_MAX = 10_000_000;
/** Default for the number of changes that may wait in memory; the next `store` waits for room. */
export const PENDING_MAX = 64;
/** Maximum of the `pendingMax` option: 4,096 chunks of the default size take 4 GiB. */
export const PENDING_MAX_LIMIT = 4_096;
/** Default interval from the first unsaved change to the autosave. */
export const AUTOSAVE_MS = 60_000;
/** Minimum of the `autosaveMs` option. */
export const AUTOSAVE_MS_MIN = 100;
/** Maximum of the `autosaveMs` option: one day. */
export const AUTOSAVE_MS_MAX = 86_400_000;
/** Default dead share of a file above which the world compacts it. */
export const DEAD_SHARE_MAX = 0.25;
/** Default size below which a file is not worth compacting. */
export const COMPACTION_BYTES_MIN = 262_144;
/** Maximum length of a chain of tables, all of which an open must read. */
export const TABLE_LINKS_MAX = 256;
