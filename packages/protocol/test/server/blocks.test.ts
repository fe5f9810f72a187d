import type { BlockDefinitions, BlockTypeChanges } from "@orthant/core";
import {
  applyBlockChange,
  blockCatalogHash,
  changeBlock,
  defineBlocks,
  isPlainBlockChange,
  plainBlockCatalog,
  retireBlock,
  unshapedBlockCatalog,
} from "@orthant/core/chunk";
import { FEATURES } from "@orthant/protocol/internal";
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

describe("[N59] a type that changes", () => {
  const OLD = { featureBits: FEATURES.editLists };

  function change(stage: Stage, name: string, changes: BlockTypeChanges): bigint {
    stage.world.catalog = changeBlock(stage.world.catalog, name, changes);
    return blockCatalogHash(stage.world.catalog);
  }

  test("reaches a client as a redefinition", async () => {
    const stage = new Stage();
    const client = await stage.join();
    expect(client.takeAll("welcome")[0]?.featureBits).toBe(0b1_0101n);
    const before = stage.world.catalog;
    const hash = change(stage, "stone", { colour: 1, light: 3, opacity: 4 });
    await stage.tick();
    const [message] = blocksOf(client);
    if (message === undefined || !("change" in message.content)) throw new Error("no change was sent");
    expect(message).toMatchObject({ blocksHash: hash, content: { base: blockCatalogHash(before) } });
    expect(message.content.change.redefined.map(({ name }) => name)).toEqual(["stone"]);
    expect(applyBlockChange(before, message.content.change).types).toEqual(stage.world.catalog.types);
    client.send({ kind: "blocksSeen", blocksHash: hash });
    await stage.ticks(30);
    expect(blocksOf(client)).toEqual([]);
  });

  test("[N61] reaches a client that knows no shapes as if there were none", async () => {
    const stage = new Stage();
    const client = await stage.join({ featureBits: FEATURES.editLists | FEATURES.redefinedBlocks });
    expect(client.takeAll("welcome")[0]?.featureBits).toBe(0b101n);
    const shape = [
      [
        [0, 0],
        [1, 0.5],
      ],
    ] as const;
    change(stage, "stone", { shape });
    await stage.ticks(30);
    expect(blocksOf(client)).toEqual([]);
    stage.world.catalog = defineBlocks(stage.world.catalog, { slab: { opacity: 0, shape } });
    await stage.tick();
    const [message] = blocksOf(client);
    if (message === undefined || !("change" in message.content)) throw new Error("no change was sent");
    expect(message.content.change.added).toMatchObject([{ name: "slab", opacity: 0, shape: [] }]);
    expect(message.blocksHash).toBe(blockCatalogHash(unshapedBlockCatalog(stage.world.catalog)));
    const other = await stage.join({ clientId: 2n });
    expect(other.takeAll("welcome")[0]?.catalog?.types).toEqual(stage.world.catalog.types);
  });

  test("reaches a client without the feature with the whole catalog, in which opacities are the default ones", async () => {
    const stage = new Stage();
    const client = await stage.join(OLD);
    expect(client.takeAll("welcome")[0]?.featureBits).toBe(1n);
    change(stage, "stone", { colour: 1, opacity: 4 });
    await stage.tick();
    const [message] = blocksOf(client);
    const plain = plainBlockCatalog(stage.world.catalog);
    expect(message?.blocksHash).toBe(blockCatalogHash(plain));
    if (message === undefined || !("catalog" in message.content)) throw new Error("no catalog was sent");
    expect(message.content.catalog.byName("stone")).toMatchObject({ colour: 1, opacity: 15 });
    client.send({ kind: "blocksSeen", blocksHash: message.blocksHash });
    // Its catalog does not change with an opacity alone, and a new type is a change as before.
    change(stage, "stone", { opacity: 3 });
    await stage.ticks(30);
    expect(blocksOf(client)).toEqual([]);
    stage.world.catalog = defineBlocks(stage.world.catalog, { pane: { opacity: 0 } });
    await stage.tick();
    const [added] = blocksOf(client);
    if (added === undefined || !("change" in added.content)) throw new Error("no change was sent");
    expect(isPlainBlockChange(added.content.change)).toBe(true);
    const after = applyBlockChange(message.content.catalog, added.content.change);
    expect(blockCatalogHash(after)).toBe(added.blocksHash);
  });

  test("is in a welcome as the client knows it, and not again for one that has it", async () => {
    const stage = new Stage();
    const hash = change(stage, "leaves", { opacity: 5 });
    const plain = plainBlockCatalog(stage.world.catalog);
    const welcomes = [];
    for (const [index, hello] of [
      {},
      OLD,
      { blocksHash: hash },
      { ...OLD, blocksHash: blockCatalogHash(plain) },
    ].entries()) {
      const client = await stage.join({ clientId: BigInt(index + 1), ...hello });
      const [welcome] = client.takeAll("welcome");
      welcomes.push([welcome?.blocksHash, welcome?.catalog?.byName("leaves")?.opacity]);
      await stage.tick();
      expect(blocksOf(client)).toEqual([]);
    }
    const plainHash = blockCatalogHash(plain);
    expect(welcomes).toEqual([
      [hash, 5],
      [plainHash, 2],
      [hash, undefined],
      [plainHash, undefined],
    ]);
  });
});
