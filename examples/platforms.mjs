// Makes a four-dimensional world of floating platforms, builds on it, saves, opens it again and prints.
// Usage: node examples/platforms.mjs FOLDER
import {
  boxBetween,
  DEFAULT_BLOCKS,
  generatorRef,
  PLATFORMS_DEFAULTS,
  platformsGenerator,
} from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { createWorldStore, openWorldStore } from "@orthant/world/store";

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: node examples/platforms.mjs FOLDER");

// A world is a folder. It has a generator for what nobody has touched, and keeps only what people make of it.
const disk = await NodeDisk.create(folder);
const generator = generatorRef(platformsGenerator, PLATFORMS_DEFAULTS, 7n);
const world = await createWorldStore(disk, { name: "Isles", generator });

// Find the ground below the origin: down, one voxel at a time, until it is not air.
let top = 64;
while ((await world.get([0, top - 1, 0, 0])) === 0) top--;
console.log(`the platform's top is at y = ${top - 1}`);

// A house with a way in from the fourth dimension, a lamp, and somebody who lives there.
const brick = DEFAULT_BLOCKS.byName("brick").id;
const lamp = DEFAULT_BLOCKS.byName("lamp").id;
await world.fill(boxBetween([-4, top, -4, -4], [5, top + 6, 5, 5]), brick);
await world.fill(boxBetween([-3, top, -3, -3], [4, top + 5, 4, 5]), 0);
await world.set([0, top + 4, 0, 0], lamp);
const { entityId } = world.spawnEntity({ kind: 1, position: [0, top, 0, 0], displayName: "Ada" });
world.describe({ spawn: [0, top, 0, 4] });

// When this returns, it is on the disk: pull the plug.
const generation = await world.save();
console.log(`saved as generation ${generation}`);
await world.close();

const again = await openWorldStore(disk);
const found = await again.get([0, top + 4, 0, 0]);
const wall = await again.get([4, top, 0, 0]);
console.log(
  `opened "${again.name}": a ${again.catalog.byId(found).name} in a house of ${again.catalog.byId(wall).name}`,
);
for (const entity of await again.entitiesIn(boxBetween([-8, top - 8, -8, -8], [8, top + 8, 8, 8]))) {
  console.log(
    `${entity.displayName} (${entity.entityId === entityId ? "the same" : "another"}) is at ${entity.position}`,
  );
}
await again.close();
