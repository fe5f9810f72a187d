import type { AddressInfo } from "node:net";
import type { Position } from "@orthant/core";
import { endWithParent } from "../child.ts";
import { loadPeer } from "../peer-stores.ts";
import type { UsageOrder } from "../server/orders.ts";
import { usageOf } from "../server/usage.ts";
import { changedVoxels, keysOfVoxel } from "./changed-voxels.ts";
import { type ChangedSettings, EDIT_MESSAGE, PATCH_MS, ROOM_NAME } from "./orders.ts";

// The process of a Colyseus server. The state of its room is a map of chunks, each a map of its changed voxels: of the layouts
// that we tried, the one with the fewest bytes in a patch and in a join.

interface Chunk {
  readonly voxels: { set(cell: string, block: number): void };
}

interface State {
  readonly chunks: { get(key: string): Chunk | undefined; set(key: string, chunk: Chunk): void };
}

interface Schema {
  readonly schema: <Instance>(fields: object, name: string) => new () => Instance;
  readonly t: { map(type: unknown): unknown };
  readonly Encoder: { BUFFER_SIZE: number };
}

interface Core {
  readonly Server: new (options: {
    readonly transport: object;
    readonly greet: boolean;
  }) => {
    readonly transport: { readonly server: { address(): AddressInfo } };
    define(name: string, room: object): void;
    listen(port: number, host: string): Promise<void>;
  };
  readonly Room: new () => {
    onMessage(type: number, listener: (client: unknown, message: unknown) => void): void;
  };
  readonly matchMaker: { createRoom(name: string, options: object): Promise<unknown> };
}

/** Larger than the state, so that the encoder never has to grow it. */
const BUFFER_BYTES = 1 << 20;
const BLOCK_MAX = 65_535;

endWithParent();

// The copy of the package that the server imports; `require` would load another one.
const schemaPath = loadPeer.resolve("@colyseus/schema").replace(/\.cjs$/, ".mjs");
const { Encoder, schema, t } = (await import(schemaPath)) as Schema;
const { Server, Room, matchMaker } = loadPeer("@colyseus/core") as Core;
const { WebSocketTransport } = loadPeer("@colyseus/ws-transport") as {
  readonly WebSocketTransport: new () => object;
};
Encoder.BUFFER_SIZE = BUFFER_BYTES;

const { changedCount } = JSON.parse(process.argv[2] ?? "") as ChangedSettings;
const ChunkState = schema<Chunk>({ voxels: t.map("number") }, "Chunk");
const WorldState = schema<State>({ chunks: t.map(ChunkState) }, "World");

class WorldRoom extends Room {
  readonly state = new WorldState();
  readonly patchRate = PATCH_MS;
  readonly autoDispose = false;

  onCreate(): void {
    for (const { voxel, block = 0 } of changedVoxels(changedCount)) this.#set(voxel, block);
    this.onMessage(EDIT_MESSAGE, (_client, message) => this.#edit(message));
  }

  /** Checks a message from a client and sets the voxel. */
  #edit(message: unknown): void {
    if (!Array.isArray(message) || message.length !== 5 || !message.every(Number.isSafeInteger)) return;
    const [x, y, z, w, block] = message as [number, number, number, number, number];
    if (block >= 0 && block <= BLOCK_MAX) this.#set([x, y, z, w], block);
  }

  #set(voxel: Position, block: number): void {
    const keys = keysOfVoxel(voxel);
    let chunk = this.state.chunks.get(keys.chunk);
    if (chunk === undefined) {
      chunk = new ChunkState();
      this.state.chunks.set(keys.chunk, chunk);
    }
    chunk.voxels.set(keys.cell, block);
  }
}

const server = new Server({ transport: new WebSocketTransport(), greet: false });
server.define(ROOM_NAME, WorldRoom);
await server.listen(0, "127.0.0.1");
await matchMaker.createRoom(ROOM_NAME, {});

process.on("message", (order: UsageOrder) =>
  process.send?.(usageOf(order, server.transport.server.address().port)),
);
