import { NodeDisk } from "@orthant/disk/node";

// A separate process that takes the lock of the given folder and holds it until it is ended.
const lock = await new NodeDisk(process.argv[2] ?? "").lock("world.lock");
process.send?.("locked");
process.once("message", async () => {
  await lock.release();
  process.exit(0);
});
