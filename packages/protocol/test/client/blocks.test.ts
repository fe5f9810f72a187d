import { type BlockCatalog, DEFAULT_BLOCKS } from "@orthant/core";
import {
  blockCatalogHash,
  changeBlock,
  defineBlocks,
  diffBlockCatalogs,
  renameBlock,
} from "@orthant/core/chunk";
import type { ServerMessage } from "@orthant/protocol/internal";
import { describe, expect, test } from "vitest";
import { TestClient, WELCOME } from "./sample-client.ts";

const COPPER = defineBlocks(DEFAULT_BLOCKS, { copper: {} });
const CHEST = defineBlocks(COPPER, { chest: { properties: { facing: ["north", "east"] } } });

function change(from: BlockCatalog, to: BlockCatalog): ServerMessage {
  const difference = diffBlockCatalogs(from, to);
  if (difference === undefined) throw new Error("the catalogs are equal");
  const content = { base: blockCatalogHash(from), change: difference };
  return { kind: "blocks", blocksHash: blockCatalogHash(to), content };
}

function seen(client: TestClient): readonly bigint[] {
  client.sync.tick();
  return client.sentOf("blocksSeen").map(({ blocksHash }) => blocksHash);
}

describe("[N44] a client's catalog of blocks", () => {
  test("changes with the server's, is confirmed, and stays for the next connection", () => {
    const client = TestClient.joined();
    client.receive(change(DEFAULT_BLOCKS, COPPER));
    expect(client.sync.world?.catalog.types).toEqual(COPPER.types);
    expect(seen(client)).toEqual([blockCatalogHash(COPPER)]);
    client.sync.disconnected();
    client.connect();
    expect(client.sentOf("hello").map(({ blocksHash }) => blocksHash)).toEqual([blockCatalogHash(COPPER)]);
    client.receive({ ...WELCOME, blocksHash: blockCatalogHash(COPPER), catalog: undefined });
    expect(client.sync.world?.catalog.id("copper")).toBe(16);
  });

  test("[N59] changes types that are there, and follows the renaming of a server that knows no opacities", () => {
    const client = TestClient.joined();
    const lit = changeBlock(DEFAULT_BLOCKS, "stone", { light: 3, opacity: 4, tags: ["lit"] });
    client.receive(change(DEFAULT_BLOCKS, lit));
    expect(client.sync.world?.catalog.types).toEqual(lit.types);
    const old = TestClient.joined();
    const named = { changed: [{ id: 7, name: "foliage", retired: false }], redefined: [], added: [] };
    const foliage = changeBlock(renameBlock(DEFAULT_BLOCKS, "leaves", "foliage"), "foliage", { opacity: 15 });
    old.receive({
      kind: "blocks",
      blocksHash: blockCatalogHash(foliage),
      content: { base: blockCatalogHash(DEFAULT_BLOCKS), change: named },
    });
    expect(old.sync.world?.catalog.byName("foliage")?.opacity).toBe(15);
  });

  test("is reported when a change is for another catalog, and taken whole", () => {
    const client = TestClient.joined();
    client.receive(change(COPPER, CHEST));
    expect(client.sync.world?.catalog.types).toEqual(DEFAULT_BLOCKS.types);
    expect(seen(client)).toEqual([blockCatalogHash(DEFAULT_BLOCKS)]);
    client.receive({ kind: "blocks", blocksHash: blockCatalogHash(CHEST), content: { catalog: CHEST } });
    expect(client.sync.world?.catalog.id("chest", { facing: "east" })).toBe(18);
    client.receive(change(COPPER, CHEST));
    expect(client.sync.phase).toBe("joined");
  });

  test("ends the connection when a change leads elsewhere or does not fit, and without any at the first welcome", () => {
    const wrongHash = TestClient.joined();
    wrongHash.receive({ ...change(DEFAULT_BLOCKS, COPPER), blocksHash: 9n } as ServerMessage);
    expect(wrongHash.sync.phase).toBe("closed");
    const unfit = TestClient.joined();
    unfit.receive({
      kind: "blocks",
      blocksHash: 9n,
      content: {
        base: blockCatalogHash(DEFAULT_BLOCKS),
        change: { changed: [], redefined: [], added: DEFAULT_BLOCKS.types.slice(3, 4) },
      },
    });
    expect(unfit.sync.phase).toBe("closed");
    const empty = new TestClient();
    empty.connect();
    empty.receive({ ...WELCOME, catalog: undefined });
    expect(empty.sync.phase).toBe("closed");
  });
});
