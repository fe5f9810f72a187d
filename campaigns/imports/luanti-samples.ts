const big = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) & 0xff);
const text = (value: string): number[] => [...new TextEncoder().encode(value)];
const string16 = (value: string): number[] => [...big(text(value).length, 2), ...text(value)];
const varint = (value: number): number[] =>
  value < 128 ? [value] : [...varint(value >> 7).map((byte) => byte | 0x80), value & 0x7f];

/** Frames of Zstandard that servers of Luanti wrote: blocks of nodes, with tables of several kinds. */
export const zstdSamples: readonly Uint8Array[] = [
  "KLUv/QBYFQEAoAH//wABAAAAA2FpcgICAA8ACgAABBAAANAL//3L/90LRA==",
  "KLUv/QBYLQIAdAID//8AAgABAApnb2xkOnN0b25lAAAAA2FpcgICAAEADw4PAAAKAAAJAAAAeikb/AC6azPTAGQkAPCZuoHfagjQsQCy",
  "KLUv/QBY/QIA5AMD//8AAgABAApnb2xkOmNsb2NrAAAAA2FpcgICAAEPDg4ODwAAAAAKAAIErAA27oAAADDUBK0FJlz4AAAAAAoAAAB6CRrwATimMZMCgCMEwH+eBnrkhFtVgB8CyAI=",
  "KLUv/QBYdQMA1AID//8AAgABAAhnb2xkOmxvZwAAAANhaXICAgABAA8ADw4PAA4ODgAAAwAKAAAVABKk8OM9qz/oEfx4EFT8H1TWClQMdAK6Ax3TE4g5A1WA7mYiAciYH6jwIKgYZPBbIIvMfugR/PiE4DcBEAE=",
].map((frame) => new Uint8Array(Buffer.from(frame, "base64")));

const NAMES = [0, ...big(2, 2), ...big(0, 2), ...string16("a"), ...big(8, 2), ...string16("ignore")];
const INVENTORY = text("List main 2\nWidth 1\nItem a 3\nEmpty\nEndInventoryList\nEndInventory\n");
const METADATA = [
  ...[2, ...big(1, 2), ...big(0x321, 2), ...big(1, 4), ...string16("k")],
  ...[...big(1, 4), ...text("v"), 1, ...INVENTORY],
];
const OBJECTS = [0, ...big(1, 2), 7, ...big(15_000, 4), ...big(0, 4), ...big(1, 4), ...string16("x")];
const TIMERS = [10, ...big(1, 2), ...big(1, 2), ...big(1_500, 4), ...big(250, 4)];

/** What surrounds the nodes of a block: the length of what comes before them, that, and what follows. */
export const block29Samples: readonly Uint8Array[] = [
  surrounding([0, 0, 0, 0, 0, 0, 0, ...NAMES, 2, 2], [...METADATA, ...OBJECTS, ...TIMERS]),
];
/** The same of the older version: metadata, which is compressed, and what follows it. */
export const block28Samples: readonly Uint8Array[] = [
  surrounding(METADATA, [...OBJECTS, 0, 0, 0, 0, ...NAMES, ...TIMERS]),
];

function surrounding(before: readonly number[], after: readonly number[]): Uint8Array {
  return Uint8Array.from([...big(before.length, 2), ...before, ...after]);
}

type Value = number | string | Uint8Array;

function record(values: readonly Value[]): number[] {
  const kinds = values.map((value) =>
    typeof value === "number" ? 6 : value.length * 2 + (typeof value === "string" ? 13 : 12),
  );
  const types = kinds.flatMap(varint);
  const bodies = values.flatMap((value) =>
    typeof value === "number" ? big(value, 8) : typeof value === "string" ? text(value) : [...value],
  );
  return [types.length + 1, ...types, ...bodies];
}

/** Writes a page of rows that fit; a `next` page takes the end of a row that does not. */
function leaf(pageBytes: number, rows: readonly (readonly number[])[], start: number, next = 0): Uint8Array {
  const page = new Uint8Array(pageBytes);
  const offsets: number[] = [];
  let end = pageBytes;
  for (const [index, payload] of rows.entries()) {
    const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
    const local = least + ((payload.length - least) % (pageBytes - 4));
    const here = payload.length <= pageBytes - 35 ? payload.length : local <= pageBytes - 35 ? local : least;
    const rest = here < payload.length ? big(next, 4) : [];
    const cell = [...varint(payload.length), ...varint(index + 1), ...payload.slice(0, here), ...rest];
    end -= cell.length;
    page.set(cell, end);
    offsets.push(end);
  }
  const head = [0x0d, 0, 0, ...big(offsets.length, 2), ...big(end, 2), 0];
  page.set([...head, ...offsets.flatMap((offset) => big(offset, 2))], start);
  return page;
}

const SQL = "CREATE TABLE `blocks` (`x` INTEGER,`y` INTEGER,`z` INTEGER,`data` BLOB NOT NULL)";

/** Returns a database with the pages of the table `blocks`, whose root is page 2. */
function database(pageBytes: number, pages: readonly Uint8Array[]): Uint8Array {
  const schema = leaf(pageBytes, [record(["table", "blocks", "blocks", 2, SQL])], 100);
  schema.set([...text("SQLite format 3\0"), ...big(pageBytes, 2), 1, 1, 0, 64, 32, 32]);
  schema.set(big(1 + pages.length, 4), 28);
  const file = new Uint8Array(pageBytes * (1 + pages.length));
  for (const [at, page] of [schema, ...pages].entries()) file.set(page, at * pageBytes);
  return file;
}

const WIDE_PAGE = 32_768;
/** Bytes of a page that a row with its head can use. */
const WIDE_ROOM = WIDE_PAGE - 64;
const EMPTY = database(WIDE_PAGE, [new Uint8Array(WIDE_PAGE)]);

/** Returns a database with one block, cut to what a page holds. */
export function databaseOf(block: Uint8Array): Uint8Array {
  const data = block.subarray(0, WIDE_ROOM);
  const types = [6, 6, 6, ...varint(data.length * 2 + 12)];
  const head = [types.length + 1, ...types, ...big(1, 8), ...big(2, 8), ...big(3, 8)];
  const cell = [...varint(head.length + data.length), 1, ...head];
  const offset = WIDE_PAGE - cell.length - data.length;
  const file = EMPTY.slice();
  file.set([0x0d, 0, 0, 0, 1, ...big(offset, 2), 0, ...big(offset, 2)], WIDE_PAGE);
  file.set(cell, WIDE_PAGE + offset);
  file.set(data, WIDE_PAGE + offset + cell.length);
  return file;
}

function smallDatabase(): Uint8Array {
  const page = 512;
  const blocks = zstdSamples.map((frame, at) => record([at, 0, -1, Uint8Array.of(29, ...frame)]));
  const long = record([9, 9, 9, new Uint8Array(700).fill(29)]);
  const least = Math.floor(((page - 12) * 32) / 255) - 23;
  const local = least + ((long.length - least) % (page - 4));
  const here = local <= page - 35 ? local : least;
  const overflow = (at: number, next: number): Uint8Array => {
    const bytes = new Uint8Array(page);
    bytes.set([...big(next, 4), ...long.slice(at, at + page - 4)]);
    return bytes;
  };
  const interior = new Uint8Array(page);
  interior.set([5, 0, 0, 0, 1, 1, 0xf0, 0, ...big(4, 4), ...big(500, 2)]);
  interior.set([...big(3, 4), 9], 500);
  return database(page, [
    interior,
    leaf(page, blocks.slice(0, 3), 0),
    leaf(page, [...blocks.slice(3), long], 0, 5),
    overflow(here, 6),
    overflow(here + page - 4, 0),
  ]);
}

/** Databases with pages of every kind. */
export const sqliteSamples: readonly Uint8Array[] = [smallDatabase()];
