// Replaces one block by another in a box of a world of three dimensions, in steps that can be taken back.
// Usage: node replace.mjs FOLDER FROM TO X,Y,Z X,Y,Z
import { box, chunkBox, openWorld } from "orthant";

/** Chunks that one edit covers on each axis, which bounds the memory that a large box takes. */
const STEP_CHUNKS = 4;

const [folder, from, to, low, high] = process.argv.slice(2);
if (high === undefined) throw new Error("usage: node replace.mjs FOLDER FROM TO X,Y,Z X,Y,Z");
const { min, max } = box(low.split(",").map(Number), high.split(",").map(Number));

// A world has one writer: while a server has it open, this ends with ORT_LOCKED and changes nothing.
const world = await openWorld(folder, { dimensions: 3, autosave: false });
try {
  const [old, fresh] = [world.blocks.id(from), world.blocks.id(to)];

  // Name the state before, so that it is kept. A second run on the same day leaves the name where it is.
  const before = `before ${from} became ${to}, ${new Date().toISOString().slice(0, 10)}`;
  const isNamed = (await world.history.generations()).some(({ name }) => name === before);
  if (!isNamed) await world.history.tag(before);

  let replaced = 0;
  for (const part of parts()) {
    await world.loadChunks(part);
    const placements = [];
    for (const position of voxelsIn(part)) {
      if (world.voxelAt(position) === old) placements.push({ position, block: fresh });
    }
    await world.edit(placements);
    await world.save();
    replaced += placements.length;
  }
  console.log(`${replaced} voxels of ${from} are ${to} now, in generation ${world.generation}`);
  console.log(`to take it back: npx orthant restore ${folder} --box=${low}..${high} --from "${before}"`);
} finally {
  await world.close();
}

/** Yields boxes of chunks that cover the box of voxels. */
function* parts() {
  const size = (axis) => world.chunkShape.extents[axis] * STEP_CHUNKS;
  const first = (axis) => Math.floor(min[axis] / size(axis));
  const end = (axis) => Math.ceil(max[axis] / size(axis));
  for (let x = first(0); x < end(0); x++)
    for (let y = first(1); y < end(1); y++)
      for (let z = first(2); z < end(2); z++) {
        const corner = [x, y, z].map((part) => part * STEP_CHUNKS);
        yield chunkBox(
          corner,
          corner.map((chunk) => chunk + STEP_CHUNKS),
        );
      }
}

/** Yields the voxels of a part that lie in the box. */
function* voxelsIn(part) {
  const { extents } = world.chunkShape;
  const start = (axis) => Math.max(min[axis], part.min[axis] * extents[axis]);
  const stop = (axis) => Math.min(max[axis], part.max[axis] * extents[axis]);
  for (let z = start(2); z < stop(2); z++)
    for (let y = start(1); y < stop(1); y++) for (let x = start(0); x < stop(0); x++) yield [x, y, z];
}
