export { NodeDisk } from "./node-disk.ts";
