import { deflateSync } from "node:zlib";
import { MemoryDisk } from "@orthant/disk";
import { type LuantiBlock, NOT_STORED, openLuanti } from "@orthant/formats/readers";
import { codeOfRejection } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const PAGE = 4_096;
const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) & 0xff);
const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const varint = (value: number): number[] =>
  value < 128 ? [value] : [...varint(value >> 7).map((byte) => byte | 0x80), value & 0x7f];

type Value = number | string | Uint8Array | null;

/** Writes a record of SQLite: types, then values; integers take eight bytes. */
function record(values: readonly Value[]): number[] {
  const types = values.flatMap((value) =>
    varint(
      value === null
        ? 0
        : typeof value === "number"
          ? 6
          : value.length * 2 + (typeof value === "string" ? 13 : 12),
    ),
  );
  const bodies = values.flatMap((value) =>
    value === null
      ? []
      : typeof value === "number"
        ? big(value, 8)
        : typeof value === "string"
          ? text(value)
          : [...value],
  );
  return [types.length + 1, ...types, ...bodies];
}

/** Writes a page of rows; a row longer than a page goes on in the page after `overflow`. */
function leafPage(
  rows: readonly (readonly Value[])[],
  start: number,
  overflow: number,
): { page: Uint8Array; more: Uint8Array[] } {
  const page = new Uint8Array(PAGE);
  const more: Uint8Array[] = [];
  let end = PAGE;
  const offsets: number[] = [];
  for (const [index, row] of rows.entries()) {
    const payload = record(row);
    const least = Math.floor(((PAGE - 12) * 32) / 255) - 23;
    const local = least + ((payload.length - least) % (PAGE - 4));
    const here = payload.length <= PAGE - 35 ? payload.length : local <= PAGE - 35 ? local : least;
    const cell = [...varint(payload.length), ...varint(index + 1), ...payload.slice(0, here)];
    for (let at = here; at < payload.length; at += PAGE - 4) {
      if (at === here) cell.push(...big(overflow + more.length, 4));
      const next = at + PAGE - 4 < payload.length ? overflow + more.length + 1 : 0;
      const rest = new Uint8Array(PAGE);
      rest.set([...big(next, 4), ...payload.slice(at, at + PAGE - 4)]);
      more.push(rest);
    }
    end -= cell.length;
    page.set(cell, end);
    offsets.push(end);
  }
  page.set(
    [
      0x0d,
      0,
      0,
      ...big(offsets.length, 2),
      ...big(end, 2),
      0,
      ...offsets.flatMap((offset) => big(offset, 2)),
    ],
    start,
  );
  return { page, more };
}

function database(sql: string, rows: readonly (readonly Value[])[]): Uint8Array {
  const { page, more } = leafPage(rows, 0, 3);
  const schema = leafPage([["table", "blocks", "blocks", 2, sql]], 100, 0).page;
  schema.set([...text("SQLite format 3\0"), ...big(PAGE, 2), 1, 1, 0, 64, 32, 32]);
  schema.set(big(2 + more.length, 4), 28);
  const pages = [schema, page, ...more];
  const file = new Uint8Array(PAGE * pages.length);
  for (const [at, bytes] of pages.entries()) file.set(bytes, at * PAGE);
  return file;
}

const OLD = "CREATE TABLE `blocks` (\n\t`pos` INT PRIMARY KEY,\n\t`data` BLOB\n)";
const NEW =
  "CREATE TABLE `blocks` (`x` INTEGER,`y` INTEGER,`z` INTEGER,`data` BLOB NOT NULL,PRIMARY KEY (`x`, `z`, `y`))";
const string16 = (value: string): number[] => [...big(text(value).length, 2), ...text(value)];

/** The nodes of a block: all `a`, but the second along y, which is `ignore`, and the last, which has no name. */
function nodes(): number[] {
  const ids = new Array<number>(4_096).fill(7);
  ids[16] = 8;
  ids[4_095] = 9;
  const param2 = new Array<number>(4_096).fill(0);
  param2[256] = 5;
  return [...ids.flatMap((id) => big(id, 2)), ...new Array<number>(4_096).fill(15), ...param2];
}

const NAMES = [0, ...big(2, 2), ...big(7, 2), ...string16("a"), ...big(8, 2), ...string16("ignore")];
const INVENTORY = text("List main 2\nWidth 1\nItem a 3\nEmpty\nEndInventoryList\nEndInventory\n");
const METADATA = [
  ...[2, ...big(1, 2), ...big(0x321, 2), ...big(1, 4), ...string16("k")],
  ...[...big(1, 4), ...text("v"), 1, ...INVENTORY],
];
const OBJECTS = [
  0,
  ...big(1, 2),
  7,
  ...big(15_000, 4),
  ...big(0, 4),
  ...big(2 ** 32 - 25_000, 4),
  ...string16("x"),
];
const TIMERS = [10, ...big(1, 2), ...big(1, 2), ...big(1_500, 4), ...big(250, 4)];

/** Zstandard without compression: raw blocks of at most 64 KiB. */
function zstd(bytes: readonly number[]): number[] {
  return [
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0x80,
    0x38,
    ...big(bytes.length, 4).reverse(),
    ...big(bytes.length * 8 + 1, 3).reverse(),
    ...bytes,
  ];
}

const VERSION29 = Uint8Array.from([
  29,
  ...zstd([0, 0, 0, 0, 0, 0, 0, ...NAMES, 2, 2, ...nodes(), ...METADATA, ...OBJECTS, ...TIMERS]),
]);
const VERSION28 = Uint8Array.from([
  ...[28, 0, 0, 0, 2, 2, ...deflateSync(Uint8Array.from(nodes())), ...deflateSync(Uint8Array.from(METADATA))],
  ...[...OBJECTS, 0, 0, 0, 0, ...NAMES, ...TIMERS],
]);

function diskOf(bytes: Uint8Array, others: readonly (readonly [string, Uint8Array])[] = []): MemoryDisk {
  return new MemoryDisk({ directories: [], files: new Map([["map.sqlite", bytes], ...others]) });
}

async function readAll(
  bytes: Uint8Array,
): Promise<{ blocks: readonly LuantiBlock[]; messages: readonly string[] }> {
  const world = await openLuanti(diskOf(bytes), "map.sqlite");
  const blocks: LuantiBlock[] = [];
  for await (const block of world.blocks()) blocks.push(block);
  await world.close();
  return { blocks, messages: world.findings.map(({ message }) => message) };
}

describe("worlds of Luanti", () => {
  test.each([
    ["one number, with a row over several pages", OLD, [-1 * 2 ** 24 + 2 * 2 ** 12 - 3, VERSION29]],
    ["three columns", NEW, [-3, 2, -1, VERSION28]],
  ])("[IM60] reads the place of a block from %s", async (_name, sql, row) => {
    const { blocks } = await readAll(database(sql, [row]));
    expect(blocks.map(({ min }) => min)).toEqual([[-48, 32, -16]]);
  });

  test.each([
    ["28", VERSION28],
    ["29", VERSION29],
  ])("[IM61] reads a block of version %s", async (_name, data) => {
    const { blocks, messages } = await readAll(database(OLD, [[0, data]]));
    expect(messages).toEqual(["1 nodes of block [0, 0, 0] have no name, and are not stored"]);
    const [block] = blocks;
    expect(block).toMatchObject({ isGenerated: true, palette: ["a", "ignore"], nameless: 1 });
    // y is the slowest here, and the second there; z is the second here, and the slowest there.
    expect([block?.indices[0], block?.indices[256], block?.indices[4_095]]).toEqual([
      0,
      NOT_STORED,
      NOT_STORED,
    ]);
    expect([block?.param1[0], block?.param2[16], block?.param2[256]]).toEqual([15, 5, 0]);
    expect(block?.nodeData).toEqual([
      {
        position: [1, 2, 3],
        fields: new Map([["k", "v"]]),
        privateFields: ["k"],
        inventory: new Map([["main", { width: 1, items: ["a 3", ""] }]]),
      },
    ]);
    expect(block?.objects).toEqual([{ type: 7, position: [1.5, 0, -2.5], data: Uint8Array.of(0x78) }]);
    expect(block?.timers).toEqual([{ position: [1, 0, 0], timeout: 1.5, elapsed: 0.25 }]);
  });

  test("[IM62] a block that is damaged or of another version costs itself alone", async () => {
    const rows = [
      [1, VERSION28],
      [2, VERSION28.subarray(0, 60)],
      [3, Uint8Array.of(99, 0)],
      [4, new Uint8Array(0)],
      [5, null],
      [2 ** 40, VERSION28],
    ];
    const { blocks, messages } = await readAll(database(OLD, rows));
    expect(blocks.map(({ min }) => min[0])).toEqual([16]);
    expect(messages.slice(1)).toEqual([
      expect.stringContaining("block [2, 0, 0] is left out"),
      expect.stringContaining("a block of version 99"),
      expect.stringContaining("block [4, 0, 0] is left out"),
      expect.stringContaining("block [5, 0, 0] has no place or no data"),
      expect.stringContaining("the block in row 6 has no place or no data"),
    ]);
  });

  test("[IM63] a file that is cut says so, and whole pages of it are read", async () => {
    const whole = database(OLD, [
      [1, VERSION28],
      [2, VERSION29],
    ]);
    const { blocks, messages } = await readAll(whole.subarray(0, whole.length - PAGE - 1));
    expect(blocks.map(({ min }) => min[0])).toEqual([16]);
    expect(messages.length).toBe(3);
    expect(messages[0]).toMatch(/bytes where \d+ pages of 4096 have to be/);
  });

  test("[IM63] pages that contain themselves, or lie, end in findings", async () => {
    const file = database(OLD, [[1, VERSION28]]);
    file.set([0x05, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], PAGE);
    const { blocks, messages } = await readAll(file);
    expect(blocks).toEqual([]);
    expect(messages).toEqual([expect.stringContaining("page 2 is left out")]);
    file.set([0x0d, 0, 0, 0xff, 0xff], PAGE);
    expect((await readAll(file)).messages).toEqual([expect.stringContaining("65535 cells in a page")]);
  });

  test("[IM64] refuses other files, and a database whose journal was not applied", async () => {
    expect(await codeOfRejection(() => openLuanti(diskOf(new Uint8Array(200)), "map.sqlite"))).toBe(
      "ORT_MAGIC",
    );
    const file = database(OLD, []);
    const withJournal = diskOf(file, [["map.sqlite-wal", Uint8Array.of(1)]]);
    expect(await codeOfRejection(() => openLuanti(withJournal, "map.sqlite"))).toBe("ORT_FOREIGN");
    expect((await readAll(file)).blocks).toEqual([]);
  });
});
