import { createRequire } from "node:module";
import { join } from "node:path";

/** A store of bytes under keys that is opened from disk and read. */
export interface PeerStore {
  readonly name: string;
  fill(folder: string, values: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** Opens, reads these keys and closes; gives the bytes read. */
  read(folder: string, keys: readonly string[]): Promise<number>;
}

interface LevelDatabase {
  batch(operations: readonly { type: "put"; key: string; value: Uint8Array }[]): Promise<void>;
  get(key: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void; get(...values: unknown[]): { value: Uint8Array } };
  close(): void;
}

interface LmdbDatabase {
  put(key: string, value: Uint8Array): Promise<boolean>;
  get(key: string): Uint8Array;
  close(): Promise<void>;
}

/** The peers, where `npm ci` was run in benchmarks/peers; else none. */
export function loadPeers(): readonly PeerStore[] {
  const load = createRequire(join(process.cwd(), "benchmarks", "peers", "package.json"));
  try {
    return [lmdbStore(load), levelStore(load), sqliteStore(load)];
  } catch (error) {
    console.error(
      `peers: none here; run npm ci in benchmarks/peers (${error instanceof Error ? error.message : error})`,
    );
    return [];
  }
}

function lmdbStore(load: NodeJS.Require): PeerStore {
  const { open } = load("lmdb") as { open(options: { path: string; encoding: "binary" }): LmdbDatabase };
  return {
    name: "lmdb",
    async fill(folder, values) {
      const database = open({ path: join(folder, "lmdb"), encoding: "binary" });
      await Promise.all(Array.from(values, ([key, value]) => database.put(key, value)));
      await database.close();
    },
    async read(folder, keys) {
      const database = open({ path: join(folder, "lmdb"), encoding: "binary" });
      const bytes = keys.reduce((sum, key) => sum + database.get(key).length, 0);
      await database.close();
      return bytes;
    },
  };
}

function levelStore(load: NodeJS.Require): PeerStore {
  const { ClassicLevel } = load("classic-level") as {
    ClassicLevel: new (path: string, options: { valueEncoding: "view" }) => LevelDatabase;
  };
  const open = (folder: string): LevelDatabase =>
    new ClassicLevel(join(folder, "level"), { valueEncoding: "view" });
  return {
    name: "classic-level",
    async fill(folder, values) {
      const database = open(folder);
      await database.batch(Array.from(values, ([key, value]) => ({ type: "put", key, value })));
      await database.close();
    },
    async read(folder, keys) {
      const database = open(folder);
      let bytes = 0;
      for (const key of keys) bytes += (await database.get(key)).length;
      await database.close();
      return bytes;
    },
  };
}

function sqliteStore(load: NodeJS.Require): PeerStore {
  const Database = load("better-sqlite3") as new (path: string) => SqliteDatabase;
  return {
    name: "better-sqlite3",
    async fill(folder, values) {
      const database = new Database(join(folder, "sqlite"));
      database.exec("CREATE TABLE chunks (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID; BEGIN");
      const insert = database.prepare("INSERT INTO chunks VALUES (?, ?)");
      for (const [key, value] of values) insert.run(key, value);
      database.exec("COMMIT");
      database.close();
    },
    async read(folder, keys) {
      const database = new Database(join(folder, "sqlite"));
      const select = database.prepare("SELECT value FROM chunks WHERE key = ?");
      const bytes = keys.reduce((sum, key) => sum + select.get(key).value.length, 0);
      database.close();
      return bytes;
    },
  };
}
