import { DEFAULT_BLOCKS, isOrthantError } from "@orthant/core";
import { decode, encode, encodeUtf8 } from "@orthant/core/bytes";
import { blockCatalogCodec, defineBlocks } from "@orthant/core/chunk";
import { type Disk, MemoryDisk } from "@orthant/disk";
import {
  applyRepair,
  BulkSaveWriter,
  compareSaves,
  copyGeneration,
  createSave,
  DEFAULT_LIMITS,
  type GlobalState,
  openSave,
  planRepair,
  resumeSave,
  type Save,
  type SaveWriter,
  type StoreChange,
  verifySave,
} from "@orthant/save";
import { STORE_VALUE_BYTES_MAX, storeEntryBytes, worldDescriptionCodec } from "@orthant/save/content";
import {
  journalEntryCodec,
  STORE_PAGE_TARGET_BYTES,
  storedDescriptionCodec,
  storePageCodec,
} from "@orthant/save/internal";
import { codeOf, codeOfRejection, fromHex, Prng, toHex } from "@orthant/testkit";
import { entryAt, flipByte, GLOBAL, ORIGIN_CELL } from "@orthant/testkit/saves";
import { describe, expect, test } from "vitest";

const WITH_ID: GlobalState = { ...GLOBAL, description: { ...GLOBAL.description, worldId: 7n } };
const RETENTION = { newest: 3, hours: 0, days: 0 };

describe("a page of the store", () => {
  const PAGE = "0161 020102 026262 00"; // "a" with two bytes, "bb" with none

  test("[S133] has its entries in order of their keys", () => {
    const entries = [
      { key: "a", value: Uint8Array.of(1, 2) },
      { key: "bb", value: new Uint8Array(0) },
    ];
    expect(toHex(encode(storePageCodec, entries))).toBe(toHex(fromHex(PAGE)));
    expect(decode(storePageCodec, fromHex(PAGE))).toEqual(entries);
    expect(storeEntryBytes("a", Uint8Array.of(1, 2)) + storeEntryBytes("bb", new Uint8Array(0))).toBe(
      fromHex(PAGE).length,
    );
  });

  test.each([
    ["", "ORT_BLOB"],
    ["00 00", "ORT_BLOB"],
    ["0162 00 0161 00", "ORT_BLOB"],
    ["0161 00 0161 00", "ORT_BLOB"],
    ["0161 02 01", "ORT_TRUNCATED"],
    ["01ff 00", "ORT_UTF8"],
    ["8102", "ORT_LIMIT"],
    ["0161 81808001", "ORT_LIMIT"],
  ])("[S133] is refused as %s", (hex, code) => {
    expect(codeOf(() => decode(storePageCodec, fromHex(hex)))).toBe(code);
  });
});

describe("a description with records", () => {
  const PLAIN = toHex(encode(worldDescriptionCodec, WITH_ID.description)).slice(2);
  const REF = (type: number): string => `02 0c 11 07 0${type} 01`; // pack 2, offset 12, 17 bytes, checksum 7
  const STORE = `01 01 05 11 00 01 0161 01 05 ${REF(4)}`; // one key in 5 bytes, in a record of 17: one page from "a" on
  const valid = [
    ["a store with its pages", `04 ${PLAIN} 00 ${STORE}`],
    ["a store whose pages a record lists", `04 ${PLAIN} 00 01 01 05 11 01 ${REF(5)}`],
    ["a catalog", `04 ${PLAIN} 01 ${REF(3)} 00`],
    ["both", `04 ${PLAIN} 01 ${REF(3)} ${STORE}`],
  ] as const;

  test.each(valid)("[S130, S131] has %s", (_name, hex) => {
    const decoded = decode(storedDescriptionCodec, fromHex(hex));
    expect(decoded.description).toEqual(WITH_ID.description);
    expect(toHex(encode(storedDescriptionCodec, decoded))).toBe(toHex(fromHex(hex)));
  });

  test.each([
    ["S130", "without any", `04 ${PLAIN} 00 00`, "ORT_BLOB"],
    ["S130", "with a catalog of another type", `04 ${PLAIN} 01 ${REF(4)} 00`, "ORT_BLOB"],
    ["S130", "with a catalog of version 2", `04 ${PLAIN} 01 02 0c 11 07 03 02 00`, "ORT_BLOB"],
    ["S131", "with a list of another type", `04 ${PLAIN} 00 01 01 05 11 01 ${REF(4)}`, "ORT_BLOB"],
    ["S131", "with another number of keys", `04 ${PLAIN} 00 ${STORE.replace("01 01", "01 02")}`, "ORT_BLOB"],
    ["S131", "with another size", `04 ${PLAIN} 00 ${STORE.replace("01 01 05", "01 01 06")}`, "ORT_BLOB"],
    ["S131", "with a third kind of list", `04 ${PLAIN} 00 01 01 05 11 02 ${REF(5)}`, "ORT_TAG"],
    ["S132", "without pages", `04 ${PLAIN} 00 01 00 00 00 00 00`, "ORT_BLOB"],
    ["S132", "with a page of another type", `04 ${PLAIN} 00 ${STORE.replace(REF(4), REF(1))}`, "ORT_BLOB"],
    ["S132", "with a page of no keys", `04 ${PLAIN} 00 01 00 05 11 00 01 0161 00 05 ${REF(4)}`, "ORT_BLOB"],
    ["S132", "with a page without a key", `04 ${PLAIN} 00 01 01 05 11 00 01 00 01 05 ${REF(4)}`, "ORT_BLOB"],
    [
      "S132",
      "with pages out of order",
      `04 ${PLAIN} 00 01 02 0a 22 00 02 0162 01 05 ${REF(4)} 0161 01 05 ${REF(4)}`,
      "ORT_BLOB",
    ],
  ])("[%s] is refused %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(storedDescriptionCodec, fromHex(hex)))).toBe(code);
  });

  test("[S131] a description with any changed byte is refused, or read as other bytes that mean what they say", () => {
    for (const [, hex] of valid) {
      const bytes = fromHex(hex);
      for (let offset = 0; offset < bytes.length; offset++) {
        for (const mask of [1, 2, 0x80, 0xff]) {
          const changed = bytes.slice();
          changed[offset] = (changed[offset] ?? 0) ^ mask;
          const [decoded, error] = attempt(() => decode(storedDescriptionCodec, changed));
          if (error !== undefined) expect(isOrthantError(error)).toBe(true);
          else expect(toHex(encode(storedDescriptionCodec, decoded as never))).toBe(toHex(changed));
        }
      }
    }
  });

  function attempt<Value>(call: () => Value): readonly [Value, undefined] | readonly [undefined, unknown] {
    try {
      return [call(), undefined];
    } catch (error) {
      return [undefined, error];
    }
  }
});

describe("a journal entry of the store", () => {
  const codec = journalEntryCodec(16);

  test.each([
    ["07 0161 01 02 0102", { kind: "store", key: "a", value: Uint8Array.of(1, 2) }],
    ["07 0161 00", { kind: "store", key: "a", value: undefined }],
  ] as const)("[J37] is %s", (hex, entry) => {
    expect(toHex(encode(codec, entry))).toBe(toHex(fromHex(hex)));
    expect(decode(codec, fromHex(hex))).toEqual(entry);
  });

  test.each([
    ["07 00 00", "ORT_BLOB"],
    ["07 8102", "ORT_LIMIT"],
    ["07 0161 01 81808001", "ORT_LIMIT"],
    ["07 0161 02", "ORT_TAG"],
  ])("[J37] is refused as %s", (hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex)))).toBe(code);
  });
});

describe("a store", () => {
  test("[S131] is read as it was written, over commits, in pages of about 32 KiB", async () => {
    const random = new Prng(21);
    const { disk, writer } = await storeOf({});
    const model = new Map<string, string>();
    for (let round = 0; round < 40; round++) {
      const changes = new Map<string, Uint8Array | undefined>();
      for (let count = random.below(40); count >= 0; count--) {
        const key = `${["a", "bb/", "ü", "𝄞"][random.below(4)]}${random.below(60)}`;
        const isRemoved = random.below(3) === 0;
        const text = isRemoved
          ? undefined
          : "x".repeat(random.below(10) === 0 ? random.below(90_000) : random.below(3_000));
        changes.set(key, text === undefined ? undefined : encodeUtf8(text));
        if (text === undefined) model.delete(key);
        else model.set(key, text);
      }
      await commit(writer, inOrder(changes));
      const save = await openSave(disk);
      expect(await entriesOf(save)).toEqual(sorted(model));
      for (const { keys, bytes } of await save.storePages())
        expect(keys === 1 || bytes <= STORE_PAGE_TARGET_BYTES).toBe(true);
      const { keys = 0, bytes = 0 } = save.global.records?.store ?? {};
      expect(keys).toBe(model.size);
      expect(bytes).toBe(
        [...model].reduce((sum, [key, text]) => sum + storeEntryBytes(key, encodeUtf8(text)), 0),
      );
      await save.close();
    }
    expect(await verifySave(disk)).toEqual([]);
    await writer.close();
  });

  test("[S131] the store of a world that never had one, or lost its last key, takes no byte", async () => {
    const { disk, writer } = await storeOf({});
    const before = await sizeOf(disk, "global.g0000000000000000.v4g");
    await commit(writer, [change("k", "v")]);
    await commit(writer, [change("k", undefined)]);
    expect(await sizeOf(disk, "global.g0000000000000002.v4g")).toBe(before);
    expect(writer.state.global.records).toBeUndefined();
    await writer.close();
  });

  test("[S135] writes only the pages that change", async () => {
    const { disk, writer } = await storeOf(manyKeys(2_000, 1_000));
    const pages = await (await openSave(disk)).storePages();
    const packBefore = await sizeOf(disk, "data/dt-000001.v4dt");
    await commit(writer, [change("key 01000", "new")]);
    const after = await (await openSave(disk)).storePages();
    const kept = new Set(pages.map(({ ref }) => ref.recordOffset));
    expect(pages.length).toBeGreaterThan(60);
    expect(after.filter(({ ref }) => !kept.has(ref.recordOffset)).length).toBe(1);
    expect((await sizeOf(disk, "data/dt-000001.v4dt")) - packBefore).toBeLessThan(
      STORE_PAGE_TARGET_BYTES * 1.5,
    );
    await writer.close();
  });

  test("[S135] joins pages that became small", async () => {
    const { disk, writer } = await storeOf(manyKeys(2_000, 1_000));
    const changes = Array.from({ length: 2_000 }, (_, index) => index)
      .filter((index) => index % 50 !== 0)
      .map((index) => change(keyOf(index), undefined));
    await commit(writer, changes);
    const save = await openSave(disk);
    expect((await entriesOf(save)).length).toBe(40);
    expect((await save.storePages()).length).toBeLessThanOrEqual(2);
    await writer.close();
  });

  test("[S90] the store of an older generation survives a compaction", async () => {
    const { disk, writer } = await storeOf(manyKeys(200, 1_000));
    for (let round = 0; round < 2; round++) await commit(writer, [change(keyOf(7), `round ${round}`)]);
    await writer.compact({ force: true, pause: async () => undefined });
    expect(await verifySave(disk)).toEqual([]);
    const values: string[] = [];
    for (const generation of [0, 1, 2]) {
      const save = await openSave(disk, { generation });
      values.push((await entriesOf(save)).find(([key]) => key === keyOf(7))?.[1].slice(0, 7) ?? "");
      await save.close();
    }
    expect(values).toEqual(["xxxxxxx", "round 0", "round 1"]);
    await writer.close();
  });

  test("[S102] a store in a missing pack makes the save refuse to open", async () => {
    const { disk, writer } = await storeOf(manyKeys(100, 1_000), { dataFileMaxBytes: 40_000 });
    await writer.close();
    await disk.remove("data/dt-000002.v4dt");
    expect(await codeOfRejection(openSave(disk))).toBe("ORT_NOT_FOUND");
  });

  test("[S119] survives an upgrade of its world", async () => {
    const disk = new MemoryDisk();
    const store = [change("a", "1"), change("b", "2")];
    const writer = await createSave(disk, { nowMs: 1, global: WITH_ID, indexVersion: 2, store });
    await (await writer.upgrade({ nowMs: 2 })).close();
    await writer.close();
    expect(await entriesOf(await openSave(disk))).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("is copied with its generation, and whole", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await commit(writer, [change(keyOf(7), "new")]);
    await writer.close();
    for (const generation of [0, 1]) {
      const target = new MemoryDisk();
      await copyGeneration(disk, target, { generation });
      expect(await verifySave(target)).toEqual([]);
      const [source, copy] = [await openSave(disk, { generation }), await openSave(target)];
      expect(await entriesOf(copy)).toEqual(await entriesOf(source));
    }
  });

  test("can be written with a whole new save", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await writer.close();
    const source = await openSave(disk);
    const target = new MemoryDisk();
    const bulk = await BulkSaveWriter.create(target, source.global.description.chunkShape);
    await bulk.finish({ nowMs: 1, global: source.global, players: [], store: source.storeEntries() });
    await bulk.close();
    expect(await verifySave(target)).toEqual([]);
    expect(await entriesOf(await openSave(target))).toEqual(await entriesOf(source));
  });

  test("differs by keys", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await commit(writer, [change(keyOf(1), undefined), change(keyOf(2), "new"), change("zzz", "added")]);
    await writer.close();
    const [before, after] = [await openSave(disk, { generation: 0 }), await openSave(disk)];
    for (const samePacks of [false, true]) {
      const found: unknown[] = [];
      for await (const difference of compareSaves(before, after, { samePacks })) found.push(difference);
      expect(found).toEqual([
        { kind: "store", key: keyOf(1), change: "removed" },
        { kind: "store", key: keyOf(2), change: "changed" },
        { kind: "store", key: "zzz", change: "added" },
      ]);
    }
  });

  test("a store of more than 64 MiB is refused, and the save stays as it was", async () => {
    const { disk, writer } = await storeOf({});
    const value = new Uint8Array(STORE_VALUE_BYTES_MAX);
    const changes = Array.from({ length: 64 }, (_, index) => ({ key: keyOf(index), value }));
    expect(await codeOfRejection(writer.commit({ nowMs: 2, store: changes }))).toBe("ORT_LIMIT");
    await writer.close();
    expect((await openSave(disk)).generation).toBe(0);
  });
});

describe("a damaged store", () => {
  test("[S134] is found by a verification, page by page", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await writer.close();
    const save = await openSave(disk);
    const [, page] = await save.storePages();
    await flipByte(disk, "data/dt-000001.v4dt", (page?.ref.recordOffset ?? 0) + 40);
    const findings = (await verifySave(disk)).filter(({ severity }) => severity === "damage");
    expect(findings).toMatchObject([
      { file: "data/dt-000001.v4dt", offset: page?.ref.recordOffset, generation: 0 },
    ]);
    expect(await codeOfRejection(entriesOf(await openSave(disk)))).toBe("ORT_CHECKSUM");
  });

  test("[S136] is repaired from an older generation, page by page", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await commit(writer, [change(keyOf(1), "newer"), change(keyOf(299), "newer")]);
    await writer.close();
    const [page] = await (await openSave(disk)).storePages();
    await flipByte(disk, "data/dt-000001.v4dt", (page?.ref.recordOffset ?? 0) + 40);
    const plan = await planRepair(disk);
    expect(plan.losses.map(({ what }) => what)).toEqual(["store"]);
    expect(plan.losses[0]?.message).toContain("taken from generation 0");
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    expect(await verifySave(target)).toEqual([]);
    const entries = new Map(await entriesOf(await openSave(target)));
    expect([entries.size, entries.get(keyOf(1))?.slice(0, 3), entries.get(keyOf(299))]).toEqual([
      300,
      "xxx",
      "newer",
    ]);
  });

  test("[S136] loses what no older generation has, and says so", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await writer.close();
    const pages = await (await openSave(disk)).storePages();
    await flipByte(disk, "data/dt-000001.v4dt", (pages[1]?.ref.recordOffset ?? 0) + 40);
    const plan = await planRepair(disk);
    expect(plan.losses).toMatchObject([
      { what: "store", message: expect.stringContaining("nothing older is left") },
    ]);
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    expect((await entriesOf(await openSave(target))).length).toBe(300 - (pages[1]?.keys ?? 0));
  });

  test("[S136] a store without its list is that of an older generation", async () => {
    const { disk, writer } = await storeOf(manyKeys(3_000, 1_000));
    await commit(writer, [change(keyOf(1), "newer")]);
    await writer.close();
    const list = (await openSave(disk)).global.records?.store?.pages;
    await flipByte(disk, "data/dt-000001.v4dt", ((list as { recordOffset: number }).recordOffset ?? 0) + 40);
    const save = await openSave(disk);
    expect(await codeOfRejection(save.storePages())).toBe("ORT_CHECKSUM");
    const plan = await planRepair(disk);
    expect(plan.losses).toMatchObject([{ what: "store", message: expect.stringContaining("generation 0") }]);
    expect(plan.store.length).toBe(3_000);
  });

  test("[S135] can be changed beside a damaged page", async () => {
    const { disk, writer } = await storeOf(manyKeys(300, 1_000));
    await writer.close();
    const save = await openSave(disk);
    const pages = await save.storePages();
    await flipByte(disk, "data/dt-000001.v4dt", (pages[1]?.ref.recordOffset ?? 0) + 40);
    const next = await resumeSave(disk, save);
    const own = Array.from({ length: (pages[0]?.keys ?? 0) - 1 }, (_, index) =>
      change(keyOf(index), undefined),
    );
    await commit(next, own);
    await next.close();
    expect((await (await openSave(disk)).storePages()).length).toBe(pages.length);
  });
});

describe("a large block catalog", () => {
  const names = Array.from({ length: 300 }, (_, index) => [`game:block_${index}`, {}] as const);
  const catalog = defineBlocks(DEFAULT_BLOCKS, Object.fromEntries(names));
  const blocks = encode(blockCatalogCodec, catalog);
  const large: GlobalState = { ...WITH_ID, description: { ...WITH_ID.description, blocks } };

  test("[S130] is a record that a commit keeps, so that the description stays small", async () => {
    const disk = new MemoryDisk();
    const writer = await createSave(disk, { nowMs: 1, global: large });
    const { ref } = { ref: writer.state.global.records?.blocks };
    await (await writer.commit({ nowMs: 2, global: { ...large, worldSeed: 9n } })).close();
    expect(writer.state.global.records?.blocks).toEqual(ref);
    expect(await sizeOf(disk, "global.g0000000000000001.v4g")).toBeLessThan(200);
    await writer.close();
    expect((await openSave(disk)).global.description.blocks).toEqual(blocks);
    expect(await verifySave(disk)).toEqual([]);
  });

  test("[S130] stays in the description of a world of Orthant 0.1", async () => {
    const disk = new MemoryDisk();
    const writer = await createSave(disk, { nowMs: 1, global: large, indexVersion: 2 });
    expect(writer.state.global.records).toBeUndefined();
    await (await writer.upgrade({ nowMs: 2 })).close();
    expect(writer.state.global.records?.blocks).toBeDefined();
    await writer.close();
    expect((await openSave(disk)).global.description.blocks).toEqual(blocks);
  });

  test("[S136] a damaged block catalog is that of an older generation", async () => {
    const disk = new MemoryDisk();
    const writer = await createSave(disk, { nowMs: 1, global: large });
    const more = encode(blockCatalogCodec, defineBlocks(catalog, { copper: {} }));
    const grown = { ...large, description: { ...large.description, blocks: more } };
    await (await writer.commit({ nowMs: 2, global: grown })).close();
    const ref = writer.state.global.records?.blocks;
    await writer.close();
    await flipByte(disk, "data/dt-000001.v4dt", (ref?.recordOffset ?? 0) + 40);
    expect(await codeOfRejection(openSave(disk))).toBe("ORT_CHECKSUM");
    expect((await verifySave(disk)).filter(({ severity }) => severity === "damage").length).toBe(1);
    const plan = await planRepair(disk);
    expect(plan.losses).toMatchObject([{ what: "blocks", message: expect.stringContaining("generation 0") }]);
    const target = new MemoryDisk();
    await applyRepair(disk, plan, target);
    expect((await openSave(target)).global.description.blocks).toEqual(blocks);
  });
});

async function storeOf(
  content: Readonly<Record<string, string>>,
  limits: Partial<typeof DEFAULT_LIMITS> = {},
): Promise<{ readonly disk: MemoryDisk; readonly writer: SaveWriter }> {
  const disk = new MemoryDisk();
  const writer = await createSave(disk, {
    nowMs: 1,
    global: WITH_ID,
    limits: { ...DEFAULT_LIMITS, ...limits },
    retention: RETENTION,
    leaves: [{ cube: ORIGIN_CELL, chunks: [entryAt([1, 2, 3, 4], 9)] }],
    store: Object.entries(content).map(([key, text]) => change(key, text)),
  });
  return { disk, writer };
}

/** Values that deflate cannot shorten much, so that sizes on disk mean something. */
function manyKeys(count: number, bytes: number): Readonly<Record<string, string>> {
  const random = new Prng(5);
  const letters = (): string =>
    Array.from({ length: bytes - 3 }, () => String.fromCharCode(33 + random.below(90))).join("");
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [keyOf(index), `xxxxxxx${letters()}`]),
  );
}

function keyOf(index: number): string {
  return `key ${String(index).padStart(5, "0")}`;
}

function change(key: string, text: string | undefined): StoreChange {
  return { key, value: text === undefined ? undefined : encodeUtf8(text) };
}

async function commit(writer: SaveWriter, store: readonly StoreChange[]): Promise<void> {
  await (await writer.commit({ nowMs: 2, store })).close();
}

function inOrder(changes: ReadonlyMap<string, Uint8Array | undefined>): readonly StoreChange[] {
  return Array.from(changes, ([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function sorted(model: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...model].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function entriesOf(save: Save): Promise<readonly (readonly [string, string])[]> {
  const entries: (readonly [string, string])[] = [];
  for await (const { key, value } of save.storeEntries())
    entries.push([key, new TextDecoder().decode(value)]);
  return entries;
}

async function sizeOf(disk: Disk, path: string): Promise<number> {
  const file = await disk.open(path, "read");
  try {
    return await file.size();
  } finally {
    await file.close();
  }
}
