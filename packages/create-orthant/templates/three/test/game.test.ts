import { connect, MemoryDisk } from "orthant";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../src/server/game.ts";

test("a player sees what another one builds", async () => {
  const server = await startServer(new MemoryDisk());
  onTestFinished(() => server.close());
  const [ada, bob] = await Promise.all([
    connect(server.url, { name: "Ada", dimensions: 3 }),
    connect(server.url, { name: "Bob", dimensions: 3 }),
  ]);
  onTestFinished(() => Promise.all([ada.close(), bob.close()]).then(() => undefined));
  await bob.setInterest({ center: [0, 32, 0], radius: 16 });

  const seen = new Promise((resolve) => bob.onEdit(({ changes }) => resolve([...changes])));
  const brick = ada.blocks.id("brick");
  expect(await ada.set([0, 32, 0], brick)).toEqual({ status: "applied" });
  expect(await seen).toEqual([{ position: [0, 32, 0], block: brick, before: 0 }]);
});
