import { isOrthantError, OrthantError } from "@orthant/core";
import { requireText } from "@orthant/core/arguments";
import type { Disk, DiskFile } from "@orthant/disk";
import { type Finding, fileSize, requireDisk } from "@orthant/disk/files";
import { FindingLog } from "../part/finding-log.ts";
import type { Triple } from "../part/voxel-part.ts";
import {
  openSqliteTable,
  type SqliteRow,
  type SqliteRowPlace,
  type SqliteTable,
  type SqliteValue,
} from "../sqlite/sqlite-table.ts";
import { type LuantiBlock, readLuantiBlock } from "./luanti-block.ts";

/** Blocks of a world lie within 2,048 of the origin. */
const BLOCK_MAX = 2_048;

/** Where a block lies, and where the file has it. */
export interface LuantiBlockPlace {
  /** In blocks. */
  readonly place: Triple;
  readonly row: SqliteRowPlace;
}

/** The map of a world of Luanti or Minetest in `map.sqlite`, opened by {@link openLuanti}. */
export class LuantiWorld {
  readonly #file: DiskFile;
  readonly #table: SqliteTable;
  readonly #columns: readonly string[];
  readonly #log: FindingLog;

  /** Use {@link openLuanti}. */
  constructor(file: DiskFile, table: SqliteTable, log: FindingLog) {
    this.#file = file;
    this.#table = table;
    this.#columns = columnsOf(table.sql);
    this.#log = log;
  }

  /** Everything that was found wrong so far. */
  get findings(): readonly Finding[] {
    return this.#log.list();
  }

  /** Reads all blocks that can be read, in the order of the file. */
  async *blocks(): AsyncGenerator<LuantiBlock> {
    for await (const row of this.#table.rows()) {
      const block = this.#block(row);
      if (block !== undefined) yield block;
    }
  }

  /** Lists where blocks lie, in the order of the file, without reading what is in them. */
  async *places(): AsyncGenerator<LuantiBlockPlace> {
    for await (const row of this.#table.rows()) {
      const place = this.#placeOf(row);
      if (place !== undefined) yield { place, row: { page: row.page, offset: row.offset } };
      else this.#log.damage("ORT_FOREIGN", `the block in row ${row.rowId} has no place, and is left out`);
    }
  }

  /** Reads a block that {@link places} has listed. `undefined`, with a finding, if it is damaged. */
  async readBlock({ row }: LuantiBlockPlace): Promise<LuantiBlock | undefined> {
    const found = await this.#table.rowAt(row);
    return found && this.#block(found);
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #block(row: SqliteRow): LuantiBlock | undefined {
    const place = this.#placeOf(row);
    const data = this.#value(row, "data");
    const name = place === undefined ? `the block in row ${row.rowId}` : `block [${place.join(", ")}]`;
    if (place === undefined || !(data instanceof Uint8Array)) {
      this.#log.damage("ORT_FOREIGN", `${name} has no place or no data, and is left out`);
      return undefined;
    }
    try {
      const block = readLuantiBlock(data, place);
      if (block.nameless > 0) {
        this.#log.damage(
          "ORT_FOREIGN",
          `${block.nameless} nodes of ${name} have no name, and are not stored`,
        );
      }
      return block;
    } catch (error) {
      this.#log.lost(`${name} is left out`, error);
      return undefined;
    }
  }

  /** Since 5.12 three columns have the place; before, one number has. */
  #placeOf(row: SqliteRow): Triple | undefined {
    const stated = this.#columns.includes("pos")
      ? decodePosition(this.#value(row, "pos") ?? row.rowId)
      : ([this.#value(row, "x"), this.#value(row, "y"), this.#value(row, "z")] as const);
    const isPlace = stated.every(
      (at) => typeof at === "number" && Number.isInteger(at) && Math.abs(at) <= BLOCK_MAX,
    );
    return isPlace ? (stated as Triple) : undefined;
  }

  #value({ values }: SqliteRow, column: string): SqliteValue | undefined {
    return values[this.#columns.indexOf(column)];
  }
}

/**
 * Opens the map of a world, `map.sqlite`, without SQLite: page by page, so that memory does not grow with the file, and a
 * damaged page costs only its own blocks. Throws `ORT_FOREIGN` if the engine has left changes in a journal beside it.
 */
export async function openLuanti(disk: Disk, path: string): Promise<LuantiWorld> {
  requireDisk("disk", disk);
  requireText("path", path);
  const file = await disk.open(path, "read");
  try {
    for (const suffix of ["-wal", "-journal"]) await requireNoJournal(disk, path + suffix);
    const log = new FindingLog(path);
    return new LuantiWorld(file, await openSqliteTable(file, "blocks", log), log);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function requireNoJournal(disk: Disk, path: string): Promise<void> {
  try {
    if ((await fileSize(disk, path)) === 0) return;
  } catch (error) {
    if (isOrthantError(error, "ORT_NOT_FOUND")) return;
    throw error;
  }
  throw new OrthantError(
    "ORT_FOREIGN",
    "the database has a journal: start and stop the server once, which applies it",
    {
      path,
    },
  );
}

/** Returns the names of the columns in a statement that creates a table. */
function columnsOf(sql: string): readonly string[] {
  const inside = sql.slice(sql.indexOf("(") + 1);
  return inside.split(",").map((column) => /^[\s`"[]*(\w+)/.exec(column)?.[1]?.toLowerCase() ?? "");
}

/** The number is z * 2^24 + y * 2^12 + x, with signed coordinates. */
function decodePosition(position: SqliteValue): readonly unknown[] {
  if (typeof position !== "number" || !Number.isSafeInteger(position)) return [undefined];
  const x = signed12(position);
  const y = signed12((position - x) / 4_096);
  const z = ((position - x) / 4_096 - y) / 4_096;
  return [x, y, z];
}

function signed12(value: number): number {
  const low = ((value % 4_096) + 4_096) % 4_096;
  return low < 2_048 ? low : low - 4_096;
}
