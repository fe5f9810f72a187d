import { connect, MemoryDisk } from "orthant";
import { expect, onTestFinished, test } from "vitest";
import { Player } from "../src/page/player.ts";
import { startServer } from "../src/server/game.ts";

/** Starts a server, and lets a player join it. */
async function startGame() {
  const server = await startServer(new MemoryDisk(), 0);
  onTestFinished(() => server.close());
  return async (name: string) => {
    const client = await connect(server.url, { name, dimensions: 2 });
    onTestFinished(() => client.close());
    await client.setInterest({ center: client.pose.position, radius: 64 });
    return client;
  };
}

test("a player sees what another one builds", async () => {
  const join = await startGame();
  const [ada, bob] = [await join("Ada"), await join("Bob")];
  const seen = new Promise((resolve) => bob.onEdit(({ changes }) => resolve([...changes])));
  const brick = ada.blocks.id("brick");
  expect(await ada.set([3, 32], brick)).toEqual({ status: "applied" });
  expect(await seen).toEqual([{ position: [3, 32], block: brick, before: 0 }]);
});

test("a player falls to the ground, and stays there", async () => {
  const join = await startGame();
  const world = await join("Ada");
  const player = new Player(world);
  for (let frame = 0; frame < 300; frame++) player.walk({ right: 0, jump: false }, 0.02);
  const [x, y] = player.position;
  expect(y).toBeLessThan(4);
  expect(world.blocks.byId(world.voxelAt([Math.floor(x), Math.round(y) - 1]) ?? 0)?.solid).toBe(true);
});
