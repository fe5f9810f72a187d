/** Pixels along the edge of a chunk of version 1, and of version 2 unless it says otherwise. */
export const CHUNK_EDGE = 512;
/** Pixels along the edge of a tile, which only the simulation of a game knows. */
export const TILE_EDGE = 32;
/** Bytes of a pixel of version 1: material, color, damage, flags. */
export const PIXEL_BYTES = 4;
/** The least and the most pixels along the edge of a chunk of version 2. */
export const CHUNK_EDGE_MIN = 8;
/** As {@link CHUNK_EDGE_MIN}: a position in a chunk fits 20 bits, and a chunk 8 MiB. */
export const CHUNK_EDGE_MAX = 1_024;
/** The most layers that a world may have. */
export const LAYERS_MAX = 8;
/** The most bytes of a layer's name. */
export const LAYER_NAME_BYTES_MAX = 64;
/** The most pixels along an edge of a body. */
export const BODY_EDGE_MAX = 4_096;
/** The most pixels of a body. */
export const BODY_PIXELS_MAX = 1_048_576;
/** The most bytes that a game may keep with a body. */
export const BODY_EXTENSION_BYTES_MAX = 1_048_576;
/** The most chunks that a table is read with. */
export const CHUNKS_MAX = 50_000_000;
/** The most bodies that a table is read with. */
export const BODIES_MAX = 10_000_000;
/** Default for the number of changes that wait in memory; the next one waits for room. */
export const PENDING_MAX = 64;
/** The largest queue that an option may ask for: 4,096 chunks of the default size take 4 GiB. */
export const PENDING_MAX_LIMIT = 4_096;
/** Default interval from the first unsaved change to the save that a world makes by itself. */
export const AUTOSAVE_MS = 60_000;
/** The shortest autosave interval that an option may ask for. */
export const AUTOSAVE_MS_MIN = 100;
/** The longest autosave interval that an option may ask for: a day. */
export const AUTOSAVE_MS_MAX = 86_400_000;
/** Default for the dead share of a file above which it is compacted. */
export const DEAD_SHARE_MAX = 0.25;
/** A file that is smaller is not worth it. */
export const COMPACTION_BYTES_MIN = 262_144;
/** The most tables that an open has to read, one on top of the other. */
export const TABLE_LINKS_MAX = 256;
