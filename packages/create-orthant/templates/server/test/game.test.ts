import { type ClientWorld, connect, MemoryDisk, type OrthantServer } from "orthant";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "../src/server/game.ts";

let server: OrthantServer;
let ada: ClientWorld<3>;

beforeAll(async () => {
  server = await startServer(new MemoryDisk());
  ada = await connect(server.url, { name: "Ada", dimensions: 3 });
});

afterAll(async () => {
  await ada.close();
  await server.close();
});

test("a player can build away from the spawn", async () => {
  expect(await ada.set([40, 32, 0], ada.blocks.id("brick"))).toEqual({ status: "applied" });
});

test("no player can build at the spawn", async () => {
  const result = await ada.set([3, 32, 0], ada.blocks.id("brick"));
  expect(result).toMatchObject({ status: "rejected", detail: "Ada, the spawn is protected." });
});
