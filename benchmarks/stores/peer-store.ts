import type { Chunk, Position } from "@orthant/core";
import { ifInstalled } from "../peers.ts";
import { anvilStore } from "./anvil-store.ts";
import {
  type BytesUnderKeys,
  fileDatabase,
  levelDatabase,
  lmdbDatabase,
  sqliteDatabase,
} from "./databases.ts";

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
  /** Opens the store, reads these chunks and closes it. Returns a number that depends on what was read. */
  read(folder: string, positions: readonly Position[]): Promise<number>;
  /** Opens a store whose finished `put` survives a power cut; missing for stores without that promise. */
  openDurable?(folder: string): DurableStore;
}

/** See {@link PeerStore.openDurable}. */
export interface DurableStore {
  put(key: string, value: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Returns the installed peers, and one file per chunk, which is always available. */
export function loadPeers(): readonly PeerStore[] {
  const installed = [
    ifInstalled("lmdb", (load) => bytesStore("lmdb", lmdbDatabase(load))),
    ifInstalled("classic-level", (load) => bytesStore("classic-level", levelDatabase(load))),
    ifInstalled("better-sqlite3", (load) => bytesStore("better-sqlite3", sqliteDatabase(load))),
    ifInstalled("prismarine-provider-anvil", anvilStore),
  ];
  const stores = installed.filter((store) => store !== undefined);
  return [...stores, bytesStore("a file a chunk", fileDatabase)];
}

function bytesStore(name: string, open: (folder: string) => BytesUnderKeys): PeerStore {
  return {
    name,
    async fill(folder, { chunks, bytesOf }) {
      const database = open(folder);
      const values = chunks.map(([position, chunk]) => [position.join(), bytesOf(chunk)] as const);
      // In the order of keys, which suits trees best.
      await database.putAll([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
      await database.close();
    },
    async read(folder, positions) {
      const database = open(folder);
      const bytes = await database.readAll(positions.map((position) => position.join()));
      await database.close();
      return bytes;
    },
    openDurable(folder) {
      const database = open(folder);
      return { put: (key, value) => database.putDurably(key, value), close: () => database.close() };
    },
  };
}
