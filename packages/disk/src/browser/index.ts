export { BlobDisk } from "./blob-disk.ts";
export { OpfsDisk, type OpfsDiskOptions } from "./opfs-disk.ts";
export { packTar, unpackTar } from "./tar.ts";
