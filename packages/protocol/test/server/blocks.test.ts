import type { BlockDefinitions } from "@orthant/core";
import { applyBlockChange, blockCatalogHash, defineBlocks, retireBlock } from "@orthant/core/chunk";
import { describe, expect, test } from "vitest";
import { type SampleClient, Stage } from "./sample-session.ts";

const COPPER: BlockDefinitions = { copper: {} };
const CHEST: BlockDefinitions = { chest: { properties: { facing: ["north", "east"] } } };

/** Adds types to the world of a stage. Returns the hash of the new catalog. */
function define(stage: Stage, definitions: BlockDefinitions): bigint {
  stage.world.catalog = defineBlocks(stage.world.catalog, definitions);
  return blockCatalogHash(stage.world.catalog);
}

function blocksOf(client: SampleClient) {
  return client.takeAll("blocks");
}

describe("[N44] a catalog that grows", () => {
  test("reaches clients as a change, once they confirm it, and they may place the new block", async () => {
    const stage = new Stage();
    const client = await stage.join();
    const before = stage.world.catalog;
    const hash = define(stage, COPPER);
    await stage.tick();
    const [message, ...others] = blocksOf(client);
    expect(others).toEqual([]);
    if (message === undefined || !("change" in message.content)) throw new Error("no change was sent");
    expect(message).toMatchObject({ blocksHash: hash, content: { base: blockCatalogHash(before) } });
    expect(applyBlockChange(before, message.content.change).types).toEqual(stage.world.catalog.types);
    client.send({ kind: "blocksSeen", blocksHash: hash });
    client.set(1, [5, 70, 0, 0], stage.world.catalog.id("copper"));
    client.set(2, [5, 70, 0, 0], stage.world.catalog.endId);
    await stage.ticks(60);
    const messages = client.take();
    expect(messages.filter(({ kind }) => kind === "blocks")).toEqual([]);
    const results = messages.flatMap((each) => (each.kind === "editResults" ? each.results : []));
    expect(results.map(({ editId, status }) => [editId, status]).sort()).toEqual([
      [1, "applied"],
      [2, "rejected"],
    ]);
  });

  test("is sent again each second to a client that does not confirm it, and whole to one with an unknown one", async () => {
    const stage = new Stage();
    const client = await stage.join();
    define(stage, COPPER);
    await stage.tick();
    expect(blocksOf(client).length).toBe(1);
    await stage.tick();
    expect(blocksOf(client).length, "not at every tick").toBe(0);
    client.send({ kind: "blocksSeen", blocksHash: 77n });
    await stage.tick();
    expect(blocksOf(client).length, "also not when asked").toBe(0);
    await stage.tick(1_000);
    const [whole] = blocksOf(client);
    expect(whole?.content).toMatchObject({ catalog: { types: stage.world.catalog.types } });
  });

  test("reaches a client that missed changes in one step, also when a type was retired", async () => {
    const stage = new Stage();
    const client = await stage.join();
    const before = stage.world.catalog;
    define(stage, COPPER);
    await stage.tick();
    define(stage, CHEST);
    stage.world.catalog = retireBlock(stage.world.catalog, "copper");
    client.take();
    await stage.tick();
    const [message] = blocksOf(client);
    if (message === undefined || !("change" in message.content)) throw new Error("no change was sent");
    expect(applyBlockChange(before, message.content.change).types).toEqual(stage.world.catalog.types);
  });

  test("reaches a client that ignores a repeated welcome with it, because it took the first one", async () => {
    const stage = new Stage();
    const client = await stage.join();
    const before = stage.world.catalog;
    const hash = define(stage, COPPER);
    client.take();
    // A hello is repeated when the welcome takes long.
    client.hello();
    await stage.tick();
    const messages = client.take();
    expect(messages.find(({ kind }) => kind === "welcome")).toMatchObject({ blocksHash: hash });
    expect(messages.filter(({ kind }) => kind === "blocks")).toMatchObject([
      { blocksHash: hash, content: { base: blockCatalogHash(before) } },
    ]);
  });

  test("is not in the welcome of a client that has it", async () => {
    const stage = new Stage();
    const hash = blockCatalogHash(stage.world.catalog);
    const holder = await stage.join({ blocksHash: hash });
    const other = await stage.join({ clientId: 2n, blocksHash: 5n });
    const welcomeOf = (client: SampleClient) =>
      client.messages.flatMap((message) => (message.kind === "welcome" ? [message] : []));
    expect(welcomeOf(holder).map(({ blocksHash, catalog }) => [blocksHash, catalog])).toEqual([
      [hash, undefined],
    ]);
    expect(welcomeOf(other).map(({ catalog }) => catalog?.types)).toEqual([stage.world.catalog.types]);
  });
});
