import { MemoryDisk } from "@orthant/disk";
import { expect, test } from "vitest";
import { type Face, faceAt } from "../src/draw.ts";
import { goTo, openGame } from "../src/game.ts";

test("the world is as the player left it", async () => {
  const disk = new MemoryDisk();
  const world = await openGame(disk);
  const [x, y, z] = await goTo(world, 5, 5, 16);
  const brick = world.blocks.id("brick");
  await world.set([x, y + 1, z], brick);
  await world.close();

  const again = await openGame(disk);
  expect(await goTo(again, 5, 5, 16)).toEqual([x, y + 1, z]);
  expect(again.voxelAt([x, y + 1, z])).toBe(brick);
  await again.close();
});

test("a click meets the side that was drawn last", () => {
  const corners = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
  ] as const;
  const far: Face = { voxel: [0, 0, 0], front: [0, 1, 0], corners };
  const near: Face = { voxel: [0, 1, 0], front: [0, 2, 0], corners };
  expect(faceAt([far, near], 5, 5)).toBe(near);
  expect(faceAt([far, near], 15, 5)).toBeUndefined();
});
