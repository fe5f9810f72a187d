// Creates a four-dimensional world of floating platforms, builds on it, saves, opens it again and prints.
// Usage: node examples/platforms.mjs FOLDER
import { box, createWorld, openWorld, platforms } from "orthant";

const folder = process.argv[2];
if (folder === undefined) throw new Error("usage: node examples/platforms.mjs FOLDER");

// A world is a folder. A generator fills it, and only what players change is stored.
const world = await createWorld(folder, {
  dimensions: 4,
  name: "Isles",
  generator: platforms({ seed: 7n }),
});

// Find the ground below the origin: go down, one voxel at a time, until it is not air.
let top = 64;
while ((await world.get([0, top - 1, 0, 0])) === 0) top--;
console.log(`the platform's top is at y = ${top - 1}`);

// A house with a way in from the fourth dimension, a lamp, and a resident.
await world.fill(box([-4, top, -4, -4], [5, top + 6, 5, 5]), world.blocks.id("brick"));
await world.fill(box([-3, top, -3, -3], [4, top + 5, 4, 5]), 0);
await world.set([0, top + 4, 0, 0], world.blocks.id("lamp"));
const ada = world.spawnEntity({ kind: 1, position: [0, top, 0, 0], name: "Ada" });
world.moveSpawn([0, top, 0, 4]);

// When this returns, it is on the disk: pull the plug.
const generation = await world.save();
console.log(`saved as generation ${generation}`);
await world.close();

const again = await openWorld(folder, { dimensions: 4 });
const nameAt = async (position) => again.blocks.byId(await again.get(position)).name;
const [found, wall] = [await nameAt([0, top + 4, 0, 0]), await nameAt([4, top, 0, 0])];
console.log(`opened "${again.name}": a ${found} in a house of ${wall}`);
for (const { id, name, position } of await again.entitiesIn(box([-8, top - 8, -8, -8], [8, top + 8, 8, 8]))) {
  console.log(`${name} (${id === ada.id ? "the same" : "another"}) is at ${position}`);
}
await again.close();
