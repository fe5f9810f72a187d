// Replaces one block by another in a box of a world that is not open elsewhere, and can undo it.
// Usage: node replace.mjs FOLDER FROM TO X,Y,Z,W X,Y,Z,W
import { boxBetween, chunksOfVoxels } from "@orthant/core";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldStore } from "@orthant/world/store";

const CHUNKS_PER_EDIT = 256;

const [folder, from, to, low, high] = process.argv.slice(2);
if (high === undefined) throw new Error("usage: node replace.mjs FOLDER FROM TO X,Y,Z,W X,Y,Z,W");
const box = boxBetween(low.split(",").map(Number), high.split(",").map(Number));

// One writer a world: while a server has it open, this ends with ORT_LOCKED, and nothing is touched.
const world = await openWorldStore(new NodeDisk(folder), { autosave: false });
try {
  const [old, fresh] = [from, to].map((name) => world.catalog.byName(name)?.id);
  if (old === undefined || fresh === undefined)
    throw new Error(`this world has no ${old === undefined ? from : to}`);

  // What is there now gets a name, under which it is kept; a run that goes on with the day's work leaves it alone.
  const before = `before ${from} became ${to}, ${new Date().toISOString().slice(0, 10)}`;
  const isNamed = (await world.history.generations()).some(({ name }) => name === before);
  if (!isNamed) await world.history.tag(before);

  let replaced = 0;
  for (const places of inParts(placesIn(chunksOfVoxels(world.shape, box)))) {
    const placements = [];
    for (const place of places) {
      (await world.chunk(place)).forEach((block, index) => {
        if (block !== old) return;
        const voxel = voxelOf(place, index);
        if (isInside(voxel)) placements.push({ voxel, block: fresh });
      });
    }
    // All of a part in one step, in memory; a save makes it durable.
    await world.edit(placements);
    await world.save();
    replaced += placements.length;
  }
  console.log(`${replaced} voxels of ${from} are ${to} now, in generation ${world.generation}`);
  console.log(`to take it back: npx orthant restore ${folder} --box=${low}..${high} --from "${before}"`);
} finally {
  await world.close();
}

function* placesIn({ min, max }) {
  for (let x = min[0]; x < max[0]; x++)
    for (let y = min[1]; y < max[1]; y++)
      for (let z = min[2]; z < max[2]; z++) for (let w = min[3]; w < max[3]; w++) yield [x, y, z, w];
}

/** So many chunks at a time: what is in memory stays small, however large the box is. */
function* inParts(places) {
  let part = [];
  for (const place of places) {
    part.push(place);
    if (part.length < CHUNKS_PER_EDIT) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** The voxel at an index of a chunk: the index runs along x first. */
function voxelOf(place, index) {
  let rest = index;
  return world.shape.extents.map((extent, axis) => {
    const inside = rest % extent;
    rest = (rest - inside) / extent;
    return place[axis] * extent + inside;
  });
}

function isInside(voxel) {
  return voxel.every((at, axis) => at >= box.min[axis] && at < box.max[axis]);
}
