import { createRequire } from "node:module";
import { join } from "node:path";

/** A store in which a put that has returned survives a power cut. */
export interface DurablePeer {
  readonly name: string;
  open(folder: string): {
    put(key: string, value: Uint8Array): Promise<void>;
    close(): Promise<void>;
  };
}

interface LmdbDatabase {
  put(key: string, value: Uint8Array): Promise<boolean>;
  readonly flushed: Promise<unknown>;
  close(): Promise<void>;
}

interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void };
  close(): void;
}

/** The peers, where `npm ci` was run in benchmarks/peers; else none. */
export function loadDurablePeers(): readonly DurablePeer[] {
  const load = createRequire(join(process.cwd(), "benchmarks", "peers", "package.json"));
  try {
    return [lmdbPeer(load), sqlitePeer(load)];
  } catch (error) {
    console.error(
      `peers: none here; run npm ci in benchmarks/peers (${error instanceof Error ? error.message : error})`,
    );
    return [];
  }
}

function lmdbPeer(load: NodeJS.Require): DurablePeer {
  const { open } = load("lmdb") as { open(options: { path: string; encoding: "binary" }): LmdbDatabase };
  return {
    name: "lmdb",
    open(folder) {
      const database = open({ path: join(folder, "lmdb"), encoding: "binary" });
      return {
        async put(key, value) {
          await database.put(key, value);
          await database.flushed;
        },
        close: () => database.close(),
      };
    },
  };
}

function sqlitePeer(load: NodeJS.Require): DurablePeer {
  const Database = load("better-sqlite3") as new (path: string) => SqliteDatabase;
  return {
    name: "SQLite, WAL, synchronous full",
    open(folder) {
      const database = new Database(join(folder, "sqlite"));
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      database.exec("CREATE TABLE voxels (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID");
      const insert = database.prepare("INSERT OR REPLACE INTO voxels VALUES (?, ?)");
      return {
        put: async (key, value) => insert.run(key, value),
        close: async () => database.close(),
      };
    },
  };
}
