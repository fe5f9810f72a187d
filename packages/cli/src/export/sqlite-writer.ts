/** A row of a table of numbers and bytes. */
export interface SqliteBlob {
  readonly key: bigint;
  readonly data: Uint8Array;
}

const PAGE_BYTES = 4_096;
const HEADER_BYTES = 100;
const ROOT = 2;
const LEAF = 0x0d;
const INTERIOR = 0x05;
/** Longest row that lies in one page, and the least that does of a longer one. */
const LOCAL_MAX = PAGE_BYTES - 35;
const LOCAL_MIN = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
const OVERFLOW_BYTES = PAGE_BYTES - 4;
const SQLITE_VERSION = 3_040_001;

/**
 * Writes a database of SQLite with one table, whose first column is its `INTEGER PRIMARY KEY` and whose second one is a
 * blob. Rows are sorted by key, and no key is there twice.
 */
export function writeSqlite(table: string, sql: string, rows: readonly SqliteBlob[]): Uint8Array {
  const pages = new PageList();
  let level = pages.leaves(rows);
  while (level.length > 1) level = pages.interiors(level);
  pages.setRoot(level[0]?.page ?? new Uint8Array(0));
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const values = [text("table"), text(table), text(table), Uint8Array.of(ROOT), text(sql)];
  const types = values.flatMap((value, at) => [...varint(at === 3 ? 1n : BigInt(value.length * 2 + 13))]);
  const payload = Buffer.concat([Uint8Array.of(types.length + 1, ...types), ...values]);
  const schema = leafPage(
    [Buffer.concat([varint(BigInt(payload.length)), varint(1n), payload])],
    HEADER_BYTES,
  );
  writeHeader(schema, pages.count);
  return Buffer.concat([schema, ...pages.list]);
}

interface Child {
  readonly page: Uint8Array;
  readonly lastKey: bigint;
}

/** Pages from the second one on, which is kept free for the root. */
class PageList {
  readonly list: Uint8Array[] = [new Uint8Array(PAGE_BYTES)];
  readonly #numbers = new Map<Uint8Array, number>();

  /** All pages of the file, the first one among them. */
  get count(): number {
    return this.list.length + 1;
  }

  setRoot(page: Uint8Array): void {
    // It was added last.
    this.list.pop();
    this.list[0] = page;
  }

  leaves(rows: readonly SqliteBlob[]): readonly Child[] {
    const made: Child[] = [];
    let cells: Uint8Array[] = [];
    let bytes = 8;
    let lastKey = 0n;
    const finish = (): void => {
      made.push({ page: this.#add(leafPage(cells, 0)), lastKey });
      cells = [];
      bytes = 8;
    };
    for (const { key, data } of rows) {
      const cell = this.#cell(key, data);
      if (bytes + cell.length + 2 > PAGE_BYTES) finish();
      cells.push(cell);
      bytes += cell.length + 2;
      lastKey = key;
    }
    finish();
    return made;
  }

  interiors(children: readonly Child[]): readonly Child[] {
    const made: Child[] = [];
    // A cell has four bytes of page, at most nine of key, and two of place.
    const each = Math.floor((PAGE_BYTES - 12) / 15);
    for (let start = 0; start < children.length; start += each + 1) {
      const own = children.slice(start, start + each + 1);
      const last = own.at(-1) as Child;
      const cells = own
        .slice(0, -1)
        .map(({ page, lastKey }) => Buffer.concat([u32(this.#numberOf(page)), varint(lastKey)]));
      const page = pageOf(INTERIOR, cells, 0, 12);
      page.set(u32(this.#numberOf(last.page)), 8);
      made.push({ page: this.#add(page), lastKey: last.lastKey });
    }
    return made;
  }

  #cell(key: bigint, data: Uint8Array): Uint8Array {
    const types = [0, ...varint(BigInt(data.length * 2 + 12))];
    const payload = Buffer.concat([Uint8Array.of(types.length + 1, ...types), data]);
    const head = Buffer.concat([varint(BigInt(payload.length)), varint(key)]);
    if (payload.length <= LOCAL_MAX) return Buffer.concat([head, payload]);
    const local = LOCAL_MIN + ((payload.length - LOCAL_MIN) % OVERFLOW_BYTES);
    const here = local <= LOCAL_MAX ? local : LOCAL_MIN;
    const first = this.count + 1;
    for (let at = here; at < payload.length; at += OVERFLOW_BYTES) {
      const page = new Uint8Array(PAGE_BYTES);
      page.set(u32(at + OVERFLOW_BYTES < payload.length ? this.count + 2 : 0));
      page.set(payload.subarray(at, at + OVERFLOW_BYTES), 4);
      this.#add(page);
    }
    return Buffer.concat([head, payload.subarray(0, here), u32(first)]);
  }

  #add(page: Uint8Array): Uint8Array {
    this.#numbers.set(page, this.count + 1);
    this.list.push(page);
    return page;
  }

  #numberOf(page: Uint8Array): number {
    return this.#numbers.get(page) ?? 0;
  }
}

function leafPage(cells: readonly Uint8Array[], start: number): Uint8Array {
  return pageOf(LEAF, cells, start, 8);
}

/** Cells lie at the end of a page, their places at its start. */
function pageOf(type: number, cells: readonly Uint8Array[], start: number, headBytes: number): Uint8Array {
  const page = new Uint8Array(PAGE_BYTES);
  const view = new DataView(page.buffer);
  let end = PAGE_BYTES;
  for (const [at, cell] of cells.entries()) {
    end -= cell.length;
    page.set(cell, end);
    view.setUint16(start + headBytes + at * 2, end);
  }
  page[start] = type;
  view.setUint16(start + 3, cells.length);
  view.setUint16(start + 5, end);
  return page;
}

function writeHeader(page: Uint8Array, pageCount: number): void {
  const view = new DataView(page.buffer);
  page.set(new TextEncoder().encode("SQLite format 3\0"));
  view.setUint16(16, PAGE_BYTES);
  page.set([1, 1, 0, 64, 32, 32], 18);
  view.setUint32(24, 1);
  view.setUint32(28, pageCount);
  view.setUint32(40, 1);
  view.setUint32(44, 4);
  view.setUint32(56, 1);
  view.setUint32(92, 1);
  view.setUint32(96, SQLITE_VERSION);
}

/** Seven bits a byte, the highest first; a ninth byte has eight, which negative numbers need. */
function varint(value: bigint): Uint8Array {
  const unsigned = BigInt.asUintN(64, value);
  if (unsigned >= 2n ** 56n) {
    const bytes = [Number(unsigned & 0xffn)];
    for (let rest = unsigned >> 8n, at = 0; at < 8; at++, rest >>= 7n)
      bytes.unshift(Number(rest & 0x7fn) | 0x80);
    return Uint8Array.from(bytes);
  }
  const bytes = [Number(unsigned & 0x7fn)];
  for (let rest = unsigned >> 7n; rest > 0n; rest >>= 7n) bytes.unshift(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from(bytes);
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}
