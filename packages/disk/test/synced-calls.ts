import { NodeDisk } from "@orthant/disk/node";

// A program that makes each kind of durable change once, in the folder that it is given.
const disk = await NodeDisk.create(process.argv[2] ?? "");
const file = await disk.open("page", "create");
await file.append(Uint8Array.of(1, 2, 3));
await file.sync();
await file.writeDurably(3, Uint8Array.of(4));
await file.close();
await disk.rename("page", "moved");
await disk.syncDirectory("");
