import { OrthantError } from "@orthant/core";
import { decodeUtf8 } from "@orthant/core/bytes";
import type { DiskFile } from "@orthant/disk";
import type { FindingLog } from "../part/finding-log.ts";
import {
  INTERIOR_PAGE,
  LEAF_PAGE,
  localBytesOf,
  SQLITE_HEADER_BYTES,
  SQLITE_MAGIC,
} from "./sqlite-layout.ts";

/** A value of a row; integers beyond 2^53 are not exact. */
export type SqliteValue = null | number | string | Uint8Array;

/** Where a row begins. */
export interface SqliteRowPlace {
  readonly page: number;
  readonly offset: number;
}

/** A row of a table. */
export interface SqliteRow extends SqliteRowPlace {
  readonly rowId: number;
  readonly values: readonly SqliteValue[];
}

/** A table that can be read. */
export interface SqliteTable {
  /** The statement that created it. */
  readonly sql: string;
  /** Reads all rows, page by page. A page or row that is damaged is left out, with a finding. */
  rows(): AsyncGenerator<SqliteRow>;
  /** Reads a row again. `undefined`, with a finding, if it is damaged. */
  rowAt(place: SqliteRowPlace): Promise<SqliteRow | undefined>;
}

const DEPTH_MAX = 32;
/** Maximum bytes of a row. */
const ROW_BYTES_MAX = 16_777_216;

/**
 * Opens a table of an SQLite database to read it from its first row to its last. Every page number and length is compared
 * with the file first. Throws `ORT_MAGIC` if it is no such database, and `ORT_NOT_FOUND` without the table.
 */
export async function openSqliteTable(
  file: DiskFile,
  name: string,
  findings: FindingLog,
): Promise<SqliteTable> {
  const size = await file.size();
  const header = await file.readAt(0, Math.min(size, SQLITE_HEADER_BYTES));
  if (
    size < SQLITE_HEADER_BYTES ||
    String.fromCharCode(...header.subarray(0, SQLITE_MAGIC.length)) !== SQLITE_MAGIC
  ) {
    throw new OrthantError("ORT_MAGIC", "a database of SQLite begins with SQLite format 3");
  }
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const stated = view.getUint16(16);
  const pageBytes = stated === 1 ? 65_536 : stated;
  const usableBytes = pageBytes - (header[20] as number);
  if (pageBytes < 512 || (pageBytes & (pageBytes - 1)) !== 0 || usableBytes < 480) {
    throw new OrthantError("ORT_FOREIGN", `pages of ${pageBytes} bytes, ${usableBytes} of them usable`);
  }
  if (view.getUint32(28) * pageBytes > size) {
    const pages = view.getUint32(28);
    findings.damage("ORT_TRUNCATED", `${size} bytes where ${pages} pages of ${pageBytes} have to be`);
  }
  const pages = new PageReader(file, size, pageBytes, usableBytes, findings);
  for await (const { values } of pages.rows(1)) {
    const [type, rowName, , root, sql] = values;
    if (type === "table" && rowName === name && typeof root === "number") {
      return {
        sql: typeof sql === "string" ? sql : "",
        rows: () => pages.rows(root),
        rowAt: (place) => pages.rowAt(place),
      };
    }
  }
  throw new OrthantError("ORT_NOT_FOUND", `the database has no table ${JSON.stringify(name)}`);
}

/** One pass over a table. */
interface TableWalk {
  readonly seen: Set<number>;
  /** Rows do not overlap: all of a table fit in the file, or some are there twice. */
  rowBytesLeft: number;
}

class PageReader {
  readonly #file: DiskFile;
  readonly #fileBytes: number;
  readonly #pageBytes: number;
  readonly #usableBytes: number;
  readonly #findings: FindingLog;

  constructor(
    file: DiskFile,
    fileBytes: number,
    pageBytes: number,
    usableBytes: number,
    findings: FindingLog,
  ) {
    this.#file = file;
    this.#fileBytes = fileBytes;
    this.#pageBytes = pageBytes;
    this.#usableBytes = usableBytes;
    this.#findings = findings;
  }

  async *rows(root: number, walk: TableWalk = this.#newWalk(), depth = 0): AsyncGenerator<SqliteRow> {
    let cells: PageCells | undefined;
    try {
      if (walk.seen.has(root) || depth > DEPTH_MAX)
        throw new OrthantError("ORT_POINTER", "it is its own descendant");
      walk.seen.add(root);
      cells = readCells(await this.#page(root), root);
    } catch (error) {
      this.#findings.lost(`page ${root} is left out`, error, (root - 1) * this.#pageBytes);
    }
    if (cells === undefined) return;
    const { bytes, view, offsets, right } = cells;
    for (const offset of offsets) {
      if (right === undefined) {
        const row = await this.#row(bytes, offset, root, walk);
        if (row !== undefined) yield row;
      } else if (offset + 4 <= bytes.length) yield* this.rows(view.getUint32(offset), walk, depth + 1);
    }
    if (right !== undefined) yield* this.rows(right, walk, depth + 1);
  }

  async rowAt({ page, offset }: SqliteRowPlace): Promise<SqliteRow | undefined> {
    return this.#row(await this.#page(page), offset, page, this.#newWalk());
  }

  #newWalk(): TableWalk {
    return { seen: new Set(), rowBytesLeft: this.#fileBytes };
  }

  async #row(
    page: Uint8Array,
    offset: number,
    number: number,
    walk: TableWalk,
  ): Promise<SqliteRow | undefined> {
    try {
      const head = new VarintReader(page, offset);
      const length = head.next();
      const rowId = head.next();
      const values = readRecord(await this.#payload(page, head.offset, length, walk));
      return { rowId, values, page: number, offset };
    } catch (error) {
      this.#findings.lost(
        `a row of page ${number} is left out`,
        error,
        (number - 1) * this.#pageBytes + offset,
      );
      return undefined;
    }
  }

  /** Reads the bytes of a row, whose end may lie in pages of its own. */
  async #payload(page: Uint8Array, start: number, length: number, walk: TableWalk): Promise<Uint8Array> {
    if (length < 0 || length > ROW_BYTES_MAX || length > walk.rowBytesLeft)
      throw new OrthantError("ORT_LIMIT", `a row of ${length} bytes`);
    walk.rowBytesLeft -= length;
    const usable = this.#usableBytes;
    const here = localBytesOf(length, usable);
    if (here > Math.min(usable, page.length) - start)
      throw new OrthantError("ORT_TRUNCATED", `${here} bytes at ${start} of a page`);
    if (here === length) return page.subarray(start, start + length);
    const payload = new Uint8Array(length);
    payload.set(page.subarray(start, start + here));
    let next = wordAt(page, start + here);
    for (let end = here; end < length; ) {
      const more = await this.#page(next);
      const bytes = Math.min(length - end, usable - 4);
      if (bytes > more.length - 4) throw new OrthantError("ORT_TRUNCATED", `page ${next} is cut`);
      payload.set(more.subarray(4, 4 + bytes), end);
      end += bytes;
      next = wordAt(more, 0);
    }
    return payload;
  }

  async #page(number: number): Promise<Uint8Array> {
    const offset = (number - 1) * this.#pageBytes;
    if (number < 1 || offset >= this.#fileBytes) {
      throw new OrthantError("ORT_POINTER", `page ${number} is beyond the file`);
    }
    // The last page of a file that was cut still has whole rows.
    return this.#file.readAt(offset, Math.min(this.#pageBytes, this.#fileBytes - offset));
  }
}

function wordAt(page: Uint8Array, offset: number): number {
  if (page.length - offset < 4) throw new OrthantError("ORT_TRUNCATED", "a page is cut");
  return new DataView(page.buffer, page.byteOffset).getUint32(offset);
}

interface PageCells {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly offsets: readonly number[];
  /** The last page below; `undefined` for a page of rows. */
  readonly right: number | undefined;
}

function readCells(bytes: Uint8Array, number: number): PageCells {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = number === 1 ? SQLITE_HEADER_BYTES : 0;
  if (bytes.length - start < 12) throw new OrthantError("ORT_TRUNCATED", `${bytes.length} bytes of a page`);
  const type = bytes[start];
  if (type !== LEAF_PAGE && type !== INTERIOR_PAGE)
    throw new OrthantError("ORT_TAG", `a page of type ${type}`);
  const count = view.getUint16(start + 3);
  const first = start + (type === LEAF_PAGE ? 8 : 12);
  if (count > (bytes.length - first) / 2) throw new OrthantError("ORT_LIMIT", `${count} cells in a page`);
  const offsets = Array.from({ length: count }, (_, index) => view.getUint16(first + index * 2));
  return { bytes, view, offsets, right: type === LEAF_PAGE ? undefined : view.getUint32(start + 8) };
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];

function readRecord(payload: Uint8Array): readonly SqliteValue[] {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const head = new VarintReader(payload, 0);
  const headBytes = head.next();
  let offset = headBytes;
  const values: SqliteValue[] = [];
  while (head.offset < headBytes) {
    const type = head.next();
    const length = type >= 12 ? Math.floor((type - 12) / 2) : type === 7 ? 8 : (INTEGER_BYTES[type] ?? 0);
    if (length > payload.length - offset)
      throw new OrthantError("ORT_TRUNCATED", `a value of ${length} bytes`);
    values.push(readValue(payload, view, offset, type, length));
    offset += length;
  }
  return values;
}

function readValue(
  payload: Uint8Array,
  view: DataView,
  offset: number,
  type: number,
  length: number,
): SqliteValue {
  if (type === 0) return null;
  if (type === 7) return view.getFloat64(offset);
  if (type === 8 || type === 9) return type - 8;
  if (type >= 12) {
    return type % 2 === 0
      ? payload.slice(offset, offset + length)
      : (decodeUtf8(payload, offset, length) ?? "");
  }
  let value = length === 0 ? 0 : view.getInt8(offset);
  for (let at = 1; at < length; at++) value = value * 256 + (payload[offset + at] as number);
  return value;
}

class VarintReader {
  readonly #bytes: Uint8Array;
  offset: number;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.offset = offset;
  }

  /** Returns the last nine bytes as one number. */
  #nine(): bigint {
    let value = 0n;
    for (let at = this.offset - 9; at < this.offset - 1; at++) {
      value = (value << 7n) | BigInt((this.#bytes[at] as number) & 0x7f);
    }
    return (value << 8n) | BigInt(this.#bytes[this.offset - 1] as number);
  }

  /** Reads up to nine bytes, the highest first; beyond 2^53 not exactly. */
  next(): number {
    let value = 0;
    for (let count = 0; count < 9; count++) {
      const byte = this.#bytes[this.offset++];
      if (byte === undefined) throw new OrthantError("ORT_TRUNCATED", "a number is cut");
      // Only a ninth byte makes a number negative.
      if (count === 8) return Number(BigInt.asIntN(64, this.#nine()));
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
    return value;
  }
}
