import { encodeUtf8, joinBytes } from "@orthant/core/bytes";
import { bigWords } from "../format/number-bytes.ts";
import {
  INTERIOR_PAGE,
  LEAF_PAGE,
  localBytesOf,
  SQLITE_HEADER_BYTES,
  SQLITE_MAGIC,
} from "./sqlite-layout.ts";

/** A row of a table of numbers and bytes. */
export interface SqliteBlob {
  readonly key: bigint;
  readonly data: Uint8Array;
}

const PAGE_BYTES = 4_096;
const ROOT = 2;
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
  const values = [
    encodeUtf8("table"),
    encodeUtf8(table),
    encodeUtf8(table),
    Uint8Array.of(ROOT),
    encodeUtf8(sql),
  ];
  const types = values.flatMap((value, at) => [...varint(at === 3 ? 1n : BigInt(value.length * 2 + 13))]);
  const payload = joinBytes([Uint8Array.of(types.length + 1, ...types), ...values]);
  const schema = leafPage(
    [joinBytes([varint(BigInt(payload.length)), varint(1n), payload])],
    SQLITE_HEADER_BYTES,
  );
  writeHeader(schema, pages.count);
  return joinBytes([schema, ...pages.list]);
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
        .map(({ page, lastKey }) => joinBytes([bigWords(this.#numberOf(page)), varint(lastKey)]));
      const page = pageOf(INTERIOR_PAGE, cells, 0, 12);
      page.set(bigWords(this.#numberOf(last.page)), 8);
      made.push({ page: this.#add(page), lastKey: last.lastKey });
    }
    return made;
  }

  #cell(key: bigint, data: Uint8Array): Uint8Array {
    const types = [0, ...varint(BigInt(data.length * 2 + 12))];
    const payload = joinBytes([Uint8Array.of(types.length + 1, ...types), data]);
    const head = joinBytes([varint(BigInt(payload.length)), varint(key)]);
    const here = localBytesOf(payload.length, PAGE_BYTES);
    if (here === payload.length) return joinBytes([head, payload]);
    const first = this.count + 1;
    for (let at = here; at < payload.length; at += OVERFLOW_BYTES) {
      const page = new Uint8Array(PAGE_BYTES);
      page.set(bigWords(at + OVERFLOW_BYTES < payload.length ? this.count + 2 : 0));
      page.set(payload.subarray(at, at + OVERFLOW_BYTES), 4);
      this.#add(page);
    }
    return joinBytes([head, payload.subarray(0, here), bigWords(first)]);
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
  return pageOf(LEAF_PAGE, cells, start, 8);
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
  page.set(encodeUtf8(SQLITE_MAGIC));
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
