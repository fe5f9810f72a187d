import { indexedDbCache } from "@orthant/client/browser";
import {
  connectReplica,
  type ReplicaCache,
  type WebSocketLike,
  type WorldReplica,
} from "@orthant/client/replica";
import type { Position } from "@orthant/core";
import { brokenPromises } from "./cache-contract.ts";

declare const WebSocket: new (url: string) => WebSocketLike;

/** Functions that a test calls in the page. Values cross as JSON, so there are no bigints. */
export interface ClientPage {
  /** Joins with a cache of this name. Returns the bytes received until everything had arrived. */
  join(url: string, cacheName: string): Promise<number>;
  setVoxel(position: Position, block: number): Promise<string>;
  voxelAt(position: Position): number | undefined;
  status(): string;
  playerId(): string;
  close(): Promise<void>;
  /** Resolves when regions have been stored in the cache. */
  stored(): Promise<void>;
  /** Returns the parts of the cache contract that a cache in this browser breaks. */
  brokenPromises(): Promise<readonly string[]>;
}

let client: WorldReplica | undefined;

function joined(): WorldReplica {
  if (client === undefined) throw new Error("join first");
  return client;
}

let tellStored: () => void = () => undefined;
const stored = new Promise<void>((resolve) => {
  tellStored = resolve;
});

function watched(cache: ReplicaCache): ReplicaCache {
  return {
    claim: () => cache.claim(),
    load: () => cache.load(),
    async store(changes) {
      await cache.store(changes);
      if (changes.some(({ key }) => key.startsWith("region"))) tellStored();
    },
    release: () => cache.release(),
  };
}

const page: ClientPage = {
  async join(url, cacheName) {
    let bytes = 0;
    client = connectReplica(url, {
      interest: { center: [0, 33, 0, 0], radiusChunks: 3 },
      cache: watched(indexedDbCache(cacheName)),
      onCacheFailure(error) {
        throw error;
      },
      socket(address) {
        const socket = new WebSocket(address);
        socket.addEventListener("message", ({ data }) => {
          if (data instanceof ArrayBuffer) bytes += data.byteLength;
        });
        return socket;
      },
    });
    await client.complete();
    return bytes;
  },
  setVoxel: async (position, block) => (await joined().setVoxel(position, block)).status,
  voxelAt: (position) => joined().voxelAt(position),
  status: () => joined().status,
  playerId: () => String(joined().playerId),
  close: () => joined().close(),
  stored: () => stored,
  brokenPromises: () => brokenPromises(() => indexedDbCache("contract")),
};

Object.assign(globalThis, { page });
