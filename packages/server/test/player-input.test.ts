import { connect } from "@orthant/client/node";
import type { StandardSchema, Validator } from "@orthant/core/world";
import { MemoryDisk } from "@orthant/disk";
import { createServer, type GameRules, type OrthantServer } from "@orthant/server";
import { createWorld } from "@orthant/world";
import { expect, onTestFinished, test } from "vitest";

async function served<Message>(rules: GameRules<3, Message>) {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  await world.defineBlocks({ chest: {}, sign: {} });
  const server: OrthantServer<3> = await createServer({
    world,
    tickMs: 20,
    logger: false,
    closeWorld: true,
    rules,
  });
  onTestFinished(() => server.close());
  const ada = await connect(server.url, { dimensions: 3, interest: { center: [0, 40, 0], radius: 16 } });
  onTestFinished(() => ada.close());
  await ada.whenComplete();
  return { world, server, ada };
}

test("players give no data to blocks unless the rules say what they may give", async () => {
  const { world, ada } = await served({});
  const chest = world.blocks.id("chest");
  expect(await ada.set([0, 40, 0], chest, { data: { iron: 9_999 } })).toEqual({
    status: "rejected",
    reason: "data",
    detail: "the data of voxel [0,40,0,0]: players give none to chest",
  });
  await world.set([0, 40, 0], chest, { data: { iron: 1 } });
  expect(await ada.copy({ unit: "voxels", min: [0, 40, 0], max: [1, 41, 1] }, [2, 40, 0])).toMatchObject({
    status: "rejected",
    reason: "data",
  });
  expect([await world.data([0, 40, 0]), await world.get([2, 40, 0])]).toEqual([{ iron: 1 }, 0]);
});

test("a validator decides about the data of its type, and says what is wrong", async () => {
  const counts: Validator = (value) => {
    if (Object.values(value as object).some((count) => count > 64)) throw new Error("64 are a stack.");
    return value;
  };
  const { world, ada } = await served({ data: { chest: counts } });
  const [chest, sign] = [world.blocks.id("chest"), world.blocks.id("sign")];
  expect(await ada.set([0, 40, 0], chest, { data: { iron: 64 } })).toEqual({ status: "applied" });
  const many = { status: "rejected", reason: "data", detail: expect.stringContaining("64 are a stack.") };
  expect(await ada.setData([0, 40, 0], { iron: 65 })).toMatchObject(many);
  expect(await ada.set([0, 41, 0], sign, { data: "hello" })).toMatchObject({
    detail: expect.stringContaining("players give none to sign"),
  });
  expect(await ada.set([0, 40, 0], sign, { data: null })).toEqual({ status: "applied" });
});

test("a message reaches the rules as its schema takes it, and not at all if the schema refuses it", async () => {
  /** As zod and its like make it. */
  const chat: StandardSchema<{ readonly text: string }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => {
        const { text } = Object(value) as { text?: unknown };
        return typeof text === "string"
          ? { value: { text: text.trim() } }
          : { issues: [{ message: "no text" }] };
      },
    },
  };
  const heard: string[] = [];
  const { ada } = await served({ message: chat, onMessage: ({ message }) => void heard.push(message.text) });
  ada.send({ text: " hello " });
  ada.send({ text: 7 });
  ada.send("text");
  ada.send({ text: "bye" });
  await expect.poll(() => heard).toEqual(["hello", "bye"]);
});

test.each([
  [
    { data: "all" },
    'rules.data is "all" (a string); it is "any", or validators by the names of types: { chest: contents }',
  ],
  [
    { data: { chest: 1 } },
    "rules.data.chest is 1 (a number); it is a function that returns the value or throws, or a Standard Schema",
  ],
  [
    { message: "text" },
    'rules.message is "text" (a string); it is a function that returns the value or throws, or a Standard Schema',
  ],
])("rules such as %j are refused", async (rules, message) => {
  const world = await createWorld(new MemoryDisk(), { dimensions: 3 });
  onTestFinished(() => world.close());
  await expect(createServer({ world, logger: false, rules: rules as never })).rejects.toThrow(message);
});
