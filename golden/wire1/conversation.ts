import { createSocket, type Socket } from "node:dgram";
import { on } from "node:events";
import { chunkFromVoxels, type Position, TILE_CHUNKS } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import type { TileChunk } from "@orthant/core/chunk";
import { MemoryDisk } from "@orthant/disk";
import { wire1Codec } from "@orthant/protocol/internal";
import { createServer } from "@orthant/server";
import { fromHex, toHex } from "@orthant/testkit";
import { createWorldEngine } from "@orthant/world/engine";

/** The messages of a client's session, as `live_transcript.json` has them for the original. */
export interface Conversation {
  /** The first answers to its SYN. */
  readonly answers: readonly string[];
  /** The chunks of the initial sync, in the order of their first arrival. */
  readonly chunks: readonly TileChunk[];
  /** The datagram that showed the tile that it set. */
  readonly shown: string;
}

const SYN = "01010101";
const ACK = "01010102";
const TICK_MS = 20;
const SET_TILE_INDEX = 5 * 32 + 5;
const SET_TILE_MATERIAL = 8;

/** Sends our server what the original was sent, over UDP; the server has the original's chunks. */
export async function converse(initialSync: Uint8Array, setTile: string): Promise<Conversation> {
  const sync = decode(wire1Codec, initialSync);
  const chunks = sync.kind === "batch" ? sync.chunks : [];
  const world = await createWorldEngine(new MemoryDisk(), { shape: TILE_CHUNKS }, { autosave: false });
  await world.setChunks(
    chunks.map(({ x, y, tiles }) => [[x, y, 0, 0] as Position, chunkFromVoxels(tiles)] as const),
  );
  const server = await createServer({ world, tickMs: TICK_MS, logger: false, wire1: {}, closeWorld: true });
  const socket = createSocket("udp4");
  try {
    return await talk(socket, server.wire1Port ?? 0, setTile, chunks.length);
  } finally {
    socket.close();
    await server.close();
  }
}

async function talk(
  socket: Socket,
  port: number,
  setTile: string,
  chunkCount: number,
): Promise<Conversation> {
  const send = (hex: string): void => socket.send(fromHex(hex), port, "127.0.0.1");
  const answers: string[] = [];
  const chunks = new Map<string, TileChunk>();
  let hasSet = false;
  send(SYN);
  for await (const [datagram] of on(socket, "message") as AsyncIterable<[Buffer]>) {
    const hex = toHex(datagram);
    if (answers.length < 2) answers.push(hex);
    if (hex === SYN) send(ACK);
    const message = decode(wire1Codec, new Uint8Array(datagram));
    if (message.kind !== "batch") continue;
    for (const chunk of message.chunks) {
      if (hasSet && chunk.tiles[SET_TILE_INDEX] === SET_TILE_MATERIAL && chunk.x === 0 && chunk.y === 0) {
        return { answers, chunks: [...chunks.values()], shown: hex };
      }
      const position = `${chunk.x} ${chunk.y}`;
      if (!chunks.has(position)) chunks.set(position, chunk);
    }
    if (chunks.size === chunkCount && !hasSet) {
      hasSet = true;
      send(setTile);
    }
  }
  throw new Error("the socket closed");
}
