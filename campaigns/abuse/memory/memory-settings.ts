const MEBIBYTE = 2 ** 20;

/** Memory that the server's world has for chunks. */
export const LOADED_BYTES_MAX: number = 8 * MEBIBYTE;
/** Memory above which the server disconnects the client that holds most of it. */
export const WATCHED_BYTES_MAX: number = 16 * MEBIBYTE;
/** Heap of the server in MiB: an object for each voxel with data would fill it within a minute. */
export const HEAP_MEBIBYTES = 400;
