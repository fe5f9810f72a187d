import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";

// A separate process that opens the world in a folder, reads voxels in chunks not read before, and reports
// the time of each step. The first read also pays for compiling the program.
const [folder = "", ...coordinates] = process.argv.slice(2);
const start = process.hrtime.bigint();
const world = await openWorldEngine(new NodeDisk(folder), { autosave: false });
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
