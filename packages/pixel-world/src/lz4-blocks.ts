/**
 * Blocks of LZ4 without a frame, as pixel worlds and other formats have them.
 *
 * @module @orthant/pixel-world/lz4
 */

export { lz4Compress, lz4Decompress } from "./format/lz4.ts";
