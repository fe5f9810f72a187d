/**
 * A folder of the machine's file system as a disk.
 *
 * @module @orthant/disk/node
 */

export { NodeDisk } from "./node-disk.ts";
export { systemCode } from "./system-error.ts";
