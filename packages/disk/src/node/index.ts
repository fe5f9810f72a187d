export { NodeDisk } from "./node-disk.ts";
export { systemCode } from "./system-error.ts";
