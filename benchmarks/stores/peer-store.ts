import type { Chunk, Place } from "@orthant/core";
import { ifInstalled } from "../peers.ts";
import { anvilStore } from "./anvil-store.ts";
import {
  type BytesUnderKeys,
  fileDatabase,
  levelDatabase,
  lmdbDatabase,
  sqliteDatabase,
} from "./databases.ts";

/** Chunks that somebody else keeps, and what they are given for each who do not know voxels. */
export interface PeerWorld {
  readonly chunks: readonly (readonly [place: Place, chunk: Chunk])[];
  bytesOf(chunk: Chunk): Uint8Array;
}

/** A store that benchmarks are held against. */
export interface PeerStore {
  readonly name: string;
  /** Keeps all chunks of a world in a folder that is there. */
  fill(folder: string, world: PeerWorld): Promise<void>;
  /** Opens, reads these chunks and closes; gives a number that depends on what was read. */
  read(folder: string, places: readonly Place[]): Promise<number>;
  /** A store in which a put that has returned survives a power cut; those that promise no such thing have none. */
  openDurable?(folder: string): DurableStore;
}

/** See {@link PeerStore.openDurable}. */
export interface DurableStore {
  put(key: string, value: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The peers that are installed, and a file a chunk, which is always there. */
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
      const values = chunks.map(([place, chunk]) => [place.join(), bytesOf(chunk)] as const);
      // In the order of their keys, which is what trees like best.
      await database.putAll([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
      await database.close();
    },
    async read(folder, places) {
      const database = open(folder);
      const bytes = await database.readAll(places.map((place) => place.join()));
      await database.close();
      return bytes;
    },
    openDurable(folder) {
      const database = open(folder);
      return { put: (key, value) => database.putDurably(key, value), close: () => database.close() };
    },
  };
}
