import { connect, MemoryDisk } from "orthant";
import { expect, onTestFinished, test, vi } from "vitest";
import { inSpace } from "../src/page/in-space.ts";
import { startServer } from "../src/server/game.ts";

/** Starts a server, and lets a player join it. */
async function startGame() {
  const server = await startServer(new MemoryDisk());
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

test("a page shows the other players and its own, between the front and the back of the tiles", async () => {
  const join = await startGame();
  const [joined, bob] = [await join("Ada"), await join("Bob")];
  const space = inSpace(bob, () => [7.5, 3]);
  const shown = () => space.entitiesAt().map(({ name, position }) => [name, ...position]);
  const ada = ["Ada", ...joined.pose.position, 0.5];
  await vi.waitFor(() => expect(shown()).toEqual([ada, ["", 7.5, 3, 0.5]]));
  expect(space.voxelAt([3, 32, 1])).toBe(0);
});
