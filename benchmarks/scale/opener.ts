import { NodeDisk } from "@orthant/disk/node";
import { openWorld } from "@orthant/world";

// A process of its own that opens the world in a folder and reads voxels in places that nobody has read, and says what
// each of that took. The first one is read by a program that has yet to be compiled.
const [folder = "", ...coordinates] = process.argv.slice(2);
const start = process.hrtime.bigint();
const world = await openWorld(new NodeDisk(folder), { autosave: false });
const openMs = millisecondsSince(start);
const { rss } = process.memoryUsage();
const readMs: number[] = [];
for (let index = 0; index + 3 < coordinates.length; index += 4) {
  const [x = 0, y = 0, z = 0, w = 0] = coordinates.slice(index, index + 4).map(Number);
  const before = process.hrtime.bigint();
  await world.get([x, y, z, w]);
  readMs.push(millisecondsSince(before));
}
await world.close();
console.log(JSON.stringify({ openMs, readMs, openMegabytes: rss / 1e6 }));

function millisecondsSince(moment: bigint): number {
  return Number(process.hrtime.bigint() - moment) / 1e6;
}
