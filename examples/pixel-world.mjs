// A pixel world that people dig through: run it twice, and the second run finds what the first one made.
//   npm ci && npm run build && node examples/pixel-world.mjs
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GeneratorRef } from "@orthant/core/generate";
import { NodeDisk } from "@orthant/disk/node";
import { createPixelWorld, detectPixelWorld, openPixelWorld, packMask } from "@orthant/pixel-world";

const EDGE = 64;
const FILE = "world.pxsw";

/** Hills: a material below a height that follows x. */
const hills = {
  ref: new GeneratorRef("hills", new Uint8Array(0), 42n, 1n),
  fill(chunkX, chunkY, pixels) {
    for (let y = 0; y < EDGE; y++) {
      for (let x = 0; x < EDGE; x++) {
        const height = 20 + Math.abs(((chunkX * EDGE + x) % 48) - 24);
        if (chunkY * EDGE + y < height) pixels.set([3, y, 0, 0], (y * EDGE + x) * 4);
      }
    }
  },
};

const folder = process.argv[2] ?? join(tmpdir(), "orthant-pixel-world");
const disk = await NodeDisk.create(folder);
const options = { generator: hills };
const isThere = (await detectPixelWorld(disk)) !== undefined;
const world = isThere
  ? await openPixelWorld(disk, FILE, options)
  : await createPixelWorld(disk, FILE, { worldSeed: 42n, chunkEdge: EDGE }, options);
console.log(
  `${isThere ? "opened" : "made"} ${join(folder, FILE)}: save ${world.generation}, ${world.chunkCount} chunks stored`,
);

// Dig a shaft, one pixel further each time.
const chunk = await world.load(0, 0);
let depth = 0;
while (depth < 20 && chunk[((19 - depth) * EDGE + 10) * 4] === 0) depth++;
chunk.fill(0, ((19 - depth) * EDGE + 10) * 4, ((19 - depth) * EDGE + 12) * 4);
await world.store(0, 0, chunk);

// And put a crate beside it.
await world.storeBody({
  id: world.newBodyId(),
  position: [20 + depth * 3, 40],
  rotation: 0,
  velocity: [0, 0],
  angularVelocity: 0,
  width: 2,
  height: 2,
  origin: [-1, -1],
  pixels: new Uint8Array(16).fill(6),
  mask: packMask([true, true, true, true]),
  extension: new Uint8Array(0),
});

await world.save().done;
const crates = (await world.bodiesIn(0, 0)).length + (await world.bodiesIn(1, 0)).length;
console.log(
  `the shaft is ${depth + 1} pixels deep, ${crates} crates; ${world.fileBytes} bytes, safe on the disk`,
);

const rows = await world.load(0, 0);
for (let y = 47; y >= 0; y -= 4) {
  console.log(Array.from({ length: EDGE }, (_, x) => (rows[(y * EDGE + x) * 4] === 0 ? " " : "#")).join(""));
}
await world.close();
