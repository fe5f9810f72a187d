import { mkdirSync } from "node:fs";
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A key-value store of bytes, like all of these. */
export interface BytesUnderKeys {
  putAll(values: readonly (readonly [key: string, value: Uint8Array])[]): Promise<void>;
  /** Reads the values one after the other. Returns the number of bytes. */
  readAll(keys: readonly string[]): Promise<number>;
  /** Resolves when a power cut cannot lose the value. */
  putDurably(key: string, value: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

type Opener = (folder: string) => BytesUnderKeys;

interface LmdbDatabase {
  put(key: string, value: Uint8Array): Promise<boolean>;
  get(key: string): Uint8Array;
  readonly flushed: Promise<unknown>;
  close(): Promise<void>;
}

interface LevelDatabase {
  batch(operations: readonly { type: "put"; key: string; value: Uint8Array }[]): Promise<void>;
  put(key: string, value: Uint8Array, options: { sync: true }): Promise<void>;
  get(key: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void; get(...values: unknown[]): { value: Uint8Array } };
  close(): void;
}

export function lmdbDatabase(load: NodeJS.Require): Opener {
  const lmdb = load("lmdb") as { open(options: { path: string; encoding: "binary" }): LmdbDatabase };
  return (folder) => {
    const database = lmdb.open({ path: join(folder, "lmdb"), encoding: "binary" });
    return {
      async putAll(values) {
        await Promise.all(values.map(([key, value]) => database.put(key, value)));
      },
      readAll: async (keys) => keys.reduce((sum, key) => sum + database.get(key).length, 0),
      async putDurably(key, value) {
        await database.put(key, value);
        await database.flushed;
      },
      close: () => database.close(),
    };
  };
}

export function levelDatabase(load: NodeJS.Require): Opener {
  const { ClassicLevel } = load("classic-level") as {
    ClassicLevel: new (path: string, options: { valueEncoding: "view" }) => LevelDatabase;
  };
  return (folder) => {
    const database = new ClassicLevel(join(folder, "level"), { valueEncoding: "view" });
    return {
      putAll: (values) => database.batch(values.map(([key, value]) => ({ type: "put", key, value }))),
      async readAll(keys) {
        let bytes = 0;
        for (const key of keys) bytes += (await database.get(key)).length;
        return bytes;
      },
      putDurably: (key, value) => database.put(key, value, { sync: true }),
      close: () => database.close(),
    };
  };
}

export function sqliteDatabase(load: NodeJS.Require): Opener {
  const Database = load("better-sqlite3") as new (path: string) => SqliteDatabase;
  return (folder) => {
    const database = new Database(join(folder, "sqlite"));
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec("CREATE TABLE IF NOT EXISTS chunks (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
    const insert = database.prepare("INSERT OR REPLACE INTO chunks VALUES (?, ?)");
    const select = database.prepare("SELECT value FROM chunks WHERE key = ?");
    return {
      async putAll(values) {
        database.exec("BEGIN");
        for (const [key, value] of values) insert.run(key, value);
        database.exec("COMMIT");
      },
      readAll: async (keys) => keys.reduce((sum, key) => sum + select.get(key).value.length, 0),
      putDurably: async (key, value) => insert.run(key, value),
      close: async () => database.close(),
    };
  };
}

/** The obvious first design: one file per value, replaced safely. */
export function fileDatabase(parent: string): BytesUnderKeys {
  const folder = join(parent, "files");
  mkdirSync(folder, { recursive: true });
  return {
    async putAll(values) {
      for (const [key, value] of values) await writeFile(join(folder, key), value);
    },
    async readAll(keys) {
      let bytes = 0;
      for (const key of keys) bytes += (await readFile(join(folder, key))).length;
      return bytes;
    },
    async putDurably(key, value) {
      const path = join(folder, key);
      const file = await open(`${path}.tmp`, "w");
      await file.write(value);
      await file.datasync();
      await file.close();
      await rename(`${path}.tmp`, path);
      const directory = await open(folder, "r");
      await directory.sync();
      await directory.close();
    },
    close: async () => {},
  };
}
