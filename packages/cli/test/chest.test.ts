import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ClientWorld } from "@orthant/client";
import { connect } from "@orthant/client/node";
import { box } from "@orthant/core";
import { openWorld } from "orthant";
import { expect, onTestFinished, test } from "vitest";
import { capture, temporaryFolder } from "./captured.ts";

/** A server of a game with chests, which acknowledges what is durable and prints its address. */
const SERVER = `
import { createServer, flat, openOrCreateWorld } from ${JSON.stringify(new URL("../../orthant/dist/index.js", import.meta.url).href)};
const definition = { dimensions: 3, generator: flat() };
const world = await openOrCreateWorld(process.argv[2], definition, { durability: "journal" });
await world.defineBlocks({ chest: { colour: 0x8b5a2b, properties: { facing: ["north", "east"] } } });
const rules = { data: { chest: (contents) => contents } };
const server = await createServer({ world, port: 0, acknowledge: "durable", rules, logger: false });
console.log(server.url);
`;

const ITEMS = {
  items: Array.from({ length: 50 }, (_, slot) => ({ slot, name: `a sword of iron, number ${slot}` })),
};

async function serve(program: string, folder: string): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = await once(createInterface(child.stdout), "line");
  return { process: child, url };
}

async function join3(url: string, name: string): Promise<ClientWorld<3>> {
  const client = await connect(url, { dimensions: 3, name, interest: { center: [0, 40, 0], radius: 64 } });
  onTestFinished(() => client.close());
  return client;
}

test("a chest with 2 KiB of data survives kill -9, can be copied, and comes back with restore --box", async () => {
  expect(JSON.stringify(ITEMS).length).toBeGreaterThan(2_048);
  const parent = await temporaryFolder();
  const [program, folder] = [join(parent, "server.mjs"), join(parent, "world")];
  await writeFile(program, SERVER);

  const first = await serve(program, folder);
  const ada = await join3(first.url, "Ada");
  const chest = ada.blocks.id("chest", { facing: "east" });
  expect(await ada.set([3, 40, 3], chest, { data: ITEMS })).toEqual({ status: "applied" });
  first.process.kill("SIGKILL");
  await once(first.process, "close");

  const second = await serve(program, folder);
  const [bob, eve] = [await join3(second.url, "Bob"), await join3(second.url, "Eve")];
  expect(await bob.data([3, 40, 3])).toEqual(ITEMS);
  expect(await bob.copy(box([3, 40, 3], [4, 41, 4]), [10, 40, 3])).toEqual({ status: "applied" });
  expect(await bob.set([3, 40, 3], bob.blocks.id("chest", { facing: "north" }))).toEqual({
    status: "applied",
  });
  expect(await eve.data([10, 40, 3])).toEqual(ITEMS);
  expect(await eve.data([3, 40, 3])).toEqual(ITEMS);
  second.process.kill("SIGTERM");
  await once(second.process, "close");

  expect((await capture(["tag", folder, "full-chest"])).exitCode).toBe(0);
  const robbed = await openWorld(folder, { dimensions: 3, durability: "journal" });
  await robbed.set([3, 40, 3], 0);
  await robbed.close();
  const found = await openWorld(folder, { dimensions: 3 });
  expect(await found.data([3, 40, 3])).toBeUndefined();
  await found.close();

  const restored = await capture(["restore", folder, "--box", "3,40,3..4,41,4", "--from", "full-chest"]);
  expect(restored).toMatchObject({ exitCode: 0, errors: "" });
  const again = await openWorld(folder, { dimensions: 3 });
  expect(await again.data([3, 40, 3])).toEqual(ITEMS);
  expect(again.blocks.describe(await again.get([3, 40, 3]))).toEqual({
    type: "chest",
    properties: { facing: "north" },
  });
  await again.close();
  expect((await capture(["verify", folder])).exitCode).toBe(0);
}, 120_000);
