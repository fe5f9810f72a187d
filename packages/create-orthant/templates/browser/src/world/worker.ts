// Holds the world, because a browser lets only workers write files.
import { type Disk, OpfsDisk, serveWorker, type World } from "orthant/worker";
import { exportWorld, importWorld } from "./archive.ts";
import { openGame } from "./game.ts";

let disk: Disk;
let world: World<3>;

serveWorker(async () => {
  disk = await OpfsDisk.open(`worlds/${name}`); // the page names the worker after the world
  world = await openGame(disk);
  return world;
});

addEventListener("message", async ({ data }: MessageEvent<unknown>) => {
  try {
    if (data === "export") {
      await world.save();
      postMessage({ archive: await exportWorld(disk) });
    } else if (data instanceof File) postMessage({ imported: await importWorld(data) });
  } catch (error) {
    postMessage({ problem: String(error) });
  }
});
