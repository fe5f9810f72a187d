import { mkdirSync } from "node:fs";
import { mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Chunk, Position } from "@orthant/core";

/** Loads a package of benchmarks/peers, or throws. */
export const loadPeer: NodeJS.Require = createRequire(
  join(process.cwd(), "benchmarks", "peers", "package.json"),
);

/** Calls `make` with a package of benchmarks/peers. Prints a note and returns nothing without it. */
export function ifInstalled<Peer>(name: string, make: (load: NodeJS.Require) => Peer): Peer | undefined {
  try {
    return make(loadPeer);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : error;
    console.error(`peers: no ${name} here; run npm ci in benchmarks/peers (${reason})`);
    return undefined;
  }
}

/** The chunks for a peer store, and their bytes for stores that do not know voxels. */
export interface PeerWorld {
  readonly chunks: readonly (readonly [position: Position, chunk: Chunk])[];
  bytesOf(chunk: Chunk): Uint8Array;
}

/** A store that benchmarks compare with. */
export interface PeerStore {
  readonly name: string;
  /** Stores all chunks of a world in an existing folder. */
  fill(folder: string, world: PeerWorld): Promise<void>;
  /**
   * Opens the store, reads these chunks and closes it. Stores of bytes hand each value to `use`, by default to take its
   * length. Returns a number that depends on what was read.
   */
  read(folder: string, positions: readonly Position[], use?: UseOfBytes): Promise<number>;
  /** Whether the store holds bytes, which the caller decodes. */
  readonly isBytes: boolean;
  /** Opens a store whose finished `put` survives a power cut; missing for stores without that promise. */
  openDurable?(folder: string): DurableStore;
}

/** Does something with a value that was read. Returns a number that depends on it. */
type UseOfBytes = (value: Uint8Array) => number;

/** See {@link PeerStore.openDurable}. */
interface DurableStore {
  put(key: string, value: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Returns the installed peers, and one file per chunk, which is always available. */
export function loadPeers(): readonly PeerStore[] {
  const installed = [
    ifInstalled("lmdb", (load) => bytesStore("lmdb", lmdbDatabase(load))),
    ifInstalled("classic-level", (load) => {
      const { ClassicLevel } = load("classic-level") as { ClassicLevel: LevelConstructor };
      return bytesStore("classic-level", levelDatabase(ClassicLevel, "level"));
    }),
    ifInstalled("rocksdb", (load) => {
      const { RocksLevel } = load("@nxtedition/rocksdb") as { RocksLevel: LevelConstructor };
      return bytesStore("rocksdb", levelDatabase(RocksLevel, "rocks"));
    }),
    ifInstalled("better-sqlite3", (load) => bytesStore("better-sqlite3", sqliteDatabase(load))),
    ifInstalled("prismarine-provider-anvil", anvilStore),
  ];
  const stores = installed.filter((store) => store !== undefined);
  return [...stores, bytesStore("a file a chunk", fileDatabase)];
}

function bytesStore(name: string, open: (folder: string) => BytesUnderKeys): PeerStore {
  return {
    name,
    isBytes: true,
    async fill(folder, { chunks, bytesOf }) {
      const database = open(folder);
      const values = chunks.map(([position, chunk]) => [position.join(), bytesOf(chunk)] as const);
      // In the order of keys, which suits trees best.
      await database.putAll([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
      await database.close();
    },
    async read(folder, positions, use = (value) => value.length) {
      const database = open(folder);
      const sum = await database.readAll(
        positions.map((position) => position.join()),
        use,
      );
      await database.close();
      return sum;
    },
    openDurable(folder) {
      const database = open(folder);
      return { put: (key, value) => database.putDurably(key, value), close: () => database.close() };
    },
  };
}

const VERSION = "1.18.2";
const LOWEST_VOXEL = -64;
const HEIGHT_VOXELS = 384;
const SECTIONS = HEIGHT_VOXELS / 16;
/** Columns between slices of the fourth dimension, and between storeys above the height of one column. */
const SLICE_COLUMNS = 4_096;
const STOREY_COLUMNS = 64 * SLICE_COLUMNS;

interface Column {
  setBlockStateId(at: BlockPosition, state: number): void;
  getBlockStateId(at: BlockPosition): number;
}

interface BlockPosition {
  x: number;
  y: number;
  z: number;
}

interface AnvilFolder {
  save(x: number, z: number, column: Column): Promise<void>;
  load(x: number, z: number): Promise<Column | null>;
  close(): Promise<unknown>;
}

interface Registry {
  readonly blocksArray: readonly { readonly defaultState: number }[];
}

/** Position of a chunk in a Minecraft world: a section of a column. */
interface Section {
  readonly columnX: number;
  readonly columnZ: number;
  readonly section: number;
}

/**
 * The region files of Minecraft 1.18. A chunk of 4,096 voxels is a section of 16^3 blocks, and chunks above
 * each other share a column of 24 sections around height 0. Blocks are the first blocks of the game.
 * Everything else stays air, without light and heights: a real world stores more. Nothing is ever synced.
 */
function anvilStore(load: NodeJS.Require): PeerStore {
  const { Anvil } = load("prismarine-provider-anvil") as {
    Anvil(version: string): new (path: string) => AnvilFolder;
  };
  const registry = (load("prismarine-registry") as (version: string) => Registry)(VERSION);
  const NewColumn = (
    load("prismarine-chunk") as (
      registry: Registry,
    ) => new (options: {
      minY: number;
      worldHeight: number;
    }) => Column
  )(registry);
  const Folder = Anvil(VERSION);
  const states = registry.blocksArray.map(({ defaultState }) => defaultState);
  return {
    name: "Anvil (prismarine)",
    isBytes: false,
    async fill(parent, { chunks }) {
      const folder = join(parent, "anvil");
      await mkdir(folder, { recursive: true });
      const anvil = new Folder(folder);
      for (const { columnX, columnZ, sections } of columnsOf(chunks)) {
        const column = new NewColumn({ minY: LOWEST_VOXEL, worldHeight: HEIGHT_VOXELS });
        for (const [section, chunk] of sections) setSection(column, section, chunk, states);
        await anvil.save(columnX, columnZ, column);
      }
      await anvil.close();
    },
    async read(parent, positions) {
      const anvil = new Folder(join(parent, "anvil"));
      // A game keeps a loaded column.
      const loaded = new Map<string, Column>();
      let sum = 0;
      for (const position of positions) {
        const { columnX, columnZ, section } = sectionOf(position);
        const key = `${columnX},${columnZ}`;
        const column = loaded.get(key) ?? (await anvil.load(columnX, columnZ));
        if (column === null) throw new Error(`Anvil has no column ${key}`);
        loaded.set(key, column);
        sum += column.getBlockStateId({ x: 0, y: LOWEST_VOXEL + section * 16, z: 0 });
      }
      await anvil.close();
      return sum;
    },
  };
}

function sectionOf([x, y, z, w]: Position): Section {
  const level = y + SECTIONS / 2;
  const storey = Math.floor(level / SECTIONS);
  return {
    columnX: x,
    columnZ: z + w * SLICE_COLUMNS + storey * STOREY_COLUMNS,
    section: level - storey * SECTIONS,
  };
}

function columnsOf(
  chunks: readonly (readonly [Position, Chunk])[],
): Iterable<Pick<Section, "columnX" | "columnZ"> & { readonly sections: [number, Chunk][] }> {
  const columns = new Map<string, { columnX: number; columnZ: number; sections: [number, Chunk][] }>();
  for (const [position, chunk] of chunks) {
    const { columnX, columnZ, section } = sectionOf(position);
    const key = `${columnX},${columnZ}`;
    const column = columns.get(key) ?? { columnX, columnZ, sections: [] };
    column.sections.push([section, chunk]);
    columns.set(key, column);
  }
  return columns.values();
}

function setSection(column: Column, section: number, chunk: Chunk, states: readonly number[]): void {
  const at: BlockPosition = { x: 0, y: 0, z: 0 };
  for (const [cell, block] of chunk.voxels().entries()) {
    if (block === 0) continue;
    at.x = cell & 15;
    at.y = LOWEST_VOXEL + section * 16 + ((cell >> 4) & 15);
    at.z = cell >> 8;
    column.setBlockStateId(at, states[block % states.length] ?? 1);
  }
}

/** A key-value store of bytes, like all of these. */
interface BytesUnderKeys {
  putAll(values: readonly (readonly [key: string, value: Uint8Array])[]): Promise<void>;
  /** Reads the values one after the other. Returns the sum of what `use` returns for each. */
  readAll(keys: readonly string[], use: UseOfBytes): Promise<number>;
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
  batch(
    operations: readonly { type: "put"; key: string; value: Uint8Array }[],
    options?: { sync: true },
  ): Promise<void>;
  get(key: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

type LevelConstructor = new (path: string, options: { valueEncoding: "view" }) => LevelDatabase;

interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void; get(...values: unknown[]): { value: Uint8Array } };
  close(): void;
}

function lmdbDatabase(load: NodeJS.Require): Opener {
  const lmdb = load("lmdb") as { open(options: { path: string; encoding: "binary" }): LmdbDatabase };
  return (folder) => {
    const database = lmdb.open({ path: join(folder, "lmdb"), encoding: "binary" });
    return {
      async putAll(values) {
        await Promise.all(values.map(([key, value]) => database.put(key, value)));
        await database.flushed;
      },
      readAll: async (keys, use) => keys.reduce((sum, key) => sum + use(database.get(key)), 0),
      async putDurably(key, value) {
        await database.put(key, value);
        await database.flushed;
      },
      close: () => database.close(),
    };
  };
}

/** LevelDB and RocksDB have packages with the same methods. */
function levelDatabase(Database: LevelConstructor, name: string): Opener {
  return (folder) => {
    const database = new Database(join(folder, name), { valueEncoding: "view" });
    return {
      putAll: (values) => database.batch(values.map(([key, value]) => ({ type: "put", key, value }))),
      async readAll(keys, use) {
        let sum = 0;
        for (const key of keys) sum += use(await database.get(key));
        return sum;
      },
      // RocksDB's package ignores the options of a single put.
      putDurably: (key, value) => database.batch([{ type: "put", key, value }], { sync: true }),
      close: () => database.close(),
    };
  };
}

function sqliteDatabase(load: NodeJS.Require): Opener {
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
      readAll: async (keys, use) => keys.reduce((sum, key) => sum + use(select.get(key).value), 0),
      putDurably: async (key, value) => insert.run(key, value),
      close: async () => database.close(),
    };
  };
}

/** The obvious first design: one file per value, replaced safely. */
function fileDatabase(parent: string): BytesUnderKeys {
  const folder = join(parent, "files");
  mkdirSync(folder, { recursive: true });
  return {
    async putAll(values) {
      for (const [key, value] of values) await writeFile(join(folder, key), value);
    },
    async readAll(keys, use) {
      let sum = 0;
      for (const key of keys) sum += use(await readFile(join(folder, key)));
      return sum;
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
