/**
 * The browser's own files as a disk.
 *
 * @module @orthant/disk/browser
 */

export { BlobDisk } from "./blob-disk.ts";
export { OpfsDisk, type OpfsDiskOptions } from "./opfs-disk.ts";
export { packTar, unpackTar } from "./tar.ts";
