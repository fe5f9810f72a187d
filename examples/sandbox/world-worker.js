// The world: opened from the browser's own files, edited, drawn, exported and imported.
import { chunkBox, terrain } from "@orthant/core";
import { OpfsDisk, packTar, unpackTar } from "@orthant/disk/browser";
import { copyGeneration } from "@orthant/save";
import { openOrCreateWorld } from "@orthant/world";
import { draw, faceAt, VIEW_VOXELS } from "./draw.js";

let disk;
let world;
let context;
let middle = [0, 0, 0];
let faces = [];

const commands = {
  async begin(name, screen) {
    context = screen.getContext("2d");
    disk = await OpfsDisk.open(`worlds/${name}`);
    const generator = terrain({ seed: 7n });
    world = await openOrCreateWorld(disk, { dimensions: 3, name, generator }, { durability: "journal" });
    postMessage({ blocks: world.blocks.types.filter(({ solid }) => solid) });
    await commands.look(0, 0);
    postMessage({ status: `${name}, save ${world.generation}` });
  },

  /** Looks at another place. The generator fills what is untouched there, and it takes no room. */
  async look(x, z) {
    middle = [middle[0] + x, 0, middle[2] + z];
    const chunks = Math.ceil(VIEW_VOXELS / 16);
    const [chunkX, , chunkZ] = middle.map((at) => Math.floor(at / 16));
    await world.loadChunks(
      chunkBox([chunkX - chunks, -4, chunkZ - chunks], [chunkX + chunks, 8, chunkZ + chunks]),
    );
    middle[1] = 120;
    while (world.voxelAt(middle) === 0) middle[1]--;
    redraw();
  },

  /** Puts a block against the face that was clicked, or digs out what is behind it. */
  async click(x, y, block) {
    const face = faceAt(faces, x, y);
    if (face === undefined) return;
    // The world has a journal: when this returns, the edit is on the disk.
    await world.set(block === 0 ? face.voxel : face.before, block);
    redraw();
    postMessage({ status: "saved" });
  },

  /** Copies what is saved, while the world stays open, and packs the copy into one file for the player. */
  async export() {
    await world.save();
    await OpfsDisk.remove("export"); // should an export have been cut off
    const archive = await withDisk("export", async (copy) => {
      await copyGeneration(disk, copy);
      return packTar(copy);
    });
    await OpfsDisk.remove("export");
    postMessage({ archive, status: "exported" });
  },

  /** Unpacks a world into a folder of its own, and proves it. */
  async import(file) {
    const name = file.name.replace(/\.tar$/, "");
    const source = await unpackTar(file);
    await withDisk(`worlds/${name}`, (target) => copyGeneration(source, target));
    postMessage({ imported: name });
  },
};

async function withDisk(folder, work) {
  const opened = await OpfsDisk.open(folder);
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

function redraw() {
  faces = draw(context, world, middle);
}

addEventListener("message", ({ data: [command, ...parameters] }) => {
  commands[command](...parameters).catch((error) => postMessage({ status: error.message }));
});
