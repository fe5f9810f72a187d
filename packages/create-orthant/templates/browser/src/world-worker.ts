// Holds the world: opens it from the browser's own files, edits it and draws it.
import type { Position } from "@orthant/core";
import { OpfsDisk } from "@orthant/disk/browser";
import type { World } from "@orthant/world";
import { draw, type Face, faceAt, VIEW_VOXELS } from "./draw.ts";
import { goTo, openGame } from "./game.ts";
import type { ToPage, ToWorker } from "./messages.ts";

let world: World<3>;
let screen: OffscreenCanvas;
let middle: Position<3> = [0, 0, 0];
let faces: readonly Face[] = [];

async function handle(message: ToWorker): Promise<ToPage> {
  switch (message.kind) {
    case "open":
      screen = message.screen;
      world = await openGame(await OpfsDisk.open("my-world"));
      await walk(0, 0);
      return { status: "ready", blocks: world.blocks.types.filter(({ solid }) => solid) };
    case "walk":
      await walk(...message.step);
      return {};
    case "build":
      return put(faceAt(faces, message.x, message.y)?.front, message.block);
    case "dig":
      return put(faceAt(faces, message.x, message.y)?.voxel, 0);
  }
}

async function walk(x: number, z: number): Promise<void> {
  middle = await goTo(world, middle[0] + x, middle[2] + z, VIEW_VOXELS);
  faces = draw(screen, world, middle);
}

async function put(position: Position<3> | undefined, block: number): Promise<ToPage> {
  if (position === undefined) return {};
  await world.set(position, block); // on the disk when this returns
  faces = draw(screen, world, middle);
  return { status: "saved" };
}

let last: Promise<unknown> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  last = last
    .then(() => handle(data))
    .catch((error: Error): ToPage => ({ status: error.message }))
    .then((answer) => postMessage(answer));
});
