import { MemoryDisk } from "orthant/worker";
import { expect, test } from "vitest";
import { openGame } from "../src/world/game.ts";

test("the world is as the player left it", async () => {
  const disk = new MemoryDisk();
  const world = await openGame(disk);
  const brick = world.blocks.id("brick");
  await world.set([3, 40, 5], brick);
  await world.close();

  const again = await openGame(disk);
  expect(await again.get([3, 40, 5])).toBe(brick);
  await again.close();
});
