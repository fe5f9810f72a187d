import { NodeDisk } from "@orthant/disk/node";
import { openWorld } from "@orthant/world";

// A process of its own that opens the world in a folder and reads one voxel, and says what that took.
const [folder = "", x = "0", y = "0", z = "0", w = "0"] = process.argv.slice(2);
const start = process.hrtime.bigint();
const world = await openWorld(new NodeDisk(folder), { autosave: false });
const opened = process.hrtime.bigint();
const { rss } = process.memoryUsage();
await world.get([Number(x), Number(y), Number(z), Number(w)]);
const read = process.hrtime.bigint();
await world.close();
console.log(
  JSON.stringify({
    openMs: Number(opened - start) / 1e6,
    readMs: Number(read - opened) / 1e6,
    openMegabytes: rss / 1e6,
  }),
);
