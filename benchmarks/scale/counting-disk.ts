import { type Disk, type DiskCall, GatedDisk } from "@orthant/disk";

const WRITES: ReadonlySet<DiskCall["operation"]> = new Set(["append", "writeAt", "writeDurably"]);

/** A disk that counts the bytes written to its files. */
export class CountingDisk extends GatedDisk {
  bytesWritten = 0;

  constructor(disk: Disk) {
    super(disk, ({ operation, bytes }, happen) => {
      if (WRITES.has(operation)) this.bytesWritten += bytes;
      return happen();
    });
  }
}
