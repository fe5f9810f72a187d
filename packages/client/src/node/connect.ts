import { createSocket, type Socket } from "node:dgram";
import { isIP, isIPv6 } from "node:net";
import { type Dimensions, systemTime } from "@orthant/core";
import {
  callback,
  checkedOptions,
  matching,
  type OptionTable,
  requireWhole,
  whole,
} from "@orthant/core/arguments";
import { U32_MAX } from "@orthant/core/bytes";
import type { TileChunk } from "@orthant/core/chunk";
import { SERVER_FRAME_BYTES_MAX } from "@orthant/protocol";
import { Wire1Client, type Wire1Status } from "@orthant/protocol/wire1";
import { WebSocket } from "ws";
import type { ServingWorker } from "../connection/worker-socket.ts";
import type { ClientWorld } from "../world/client-world.ts";
import { type ConnectOptions, joined } from "../world/connect.ts";
import { connectReplica as connectWith } from "../world/connect-replica.ts";
import type { ReplicaOptions } from "../world/replica-options.ts";
import type { WorldReplica } from "../world/world-replica.ts";

/** Longest delay that a Node timer supports. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * Joins the world of a server like `connect` of `@orthant/client`, with the WebSocket of the `ws` package, which Node 20
 * lacks. The process stays alive until the client is closed, even while it waits to reconnect.
 */
export function connect<D extends Dimensions = Dimensions, Sent = unknown, Received = unknown>(
  server: string | readonly string[] | ServingWorker,
  options: ConnectOptions<D, Sent, Received> = {},
): Promise<ClientWorld<D, Sent, Received>> {
  return joined(options, (replicaOptions) => connectReplica(server, replicaOptions));
}

/** Does the same for a replica with four axes, and returns it before it has joined. */
export function connectReplica(
  server: string | readonly string[] | ServingWorker,
  options: ReplicaOptions = {},
): WorldReplica {
  const socket = (address: string): WebSocket =>
    new WebSocket(address, { maxPayload: SERVER_FRAME_BYTES_MAX, perMessageDeflate: false });
  const world = connectWith(server, { socket, ...options });
  const alive = setInterval(() => undefined, TIMER_MS_MAX);
  world.onStatus((status) => {
    if (status === "closed") clearInterval(alive);
  });
  return world;
}

/** The address of a world of tiles, and the player. */
export interface TileConnection {
  readonly port: number;
  /** An IP address, not a name; this machine by default. */
  readonly host?: string;
  /** From 1 to 2^32 - 1. */
  readonly playerId: number;
  readonly onStatus?: (status: Wire1Status) => void;
  /** A chunk arrived. It may be unchanged. */
  readonly onChunk?: (chunk: TileChunk) => void;
}

/** A Wire v1 client with its socket. */
export interface TileClient {
  /** The client, for reading and editing. */
  readonly client: Wire1Client;
  /** Closes the socket. The server notices the silence. */
  close(): void;
}

const TICK_MS = 50;
const PORT_MAX = 65_535;

const TILE_OPTIONS: OptionTable<TileConnection> = {
  port: whole(1, PORT_MAX),
  host: matching(
    "it is an IP address such as 127.0.0.1, not a name",
    (value) => typeof value === "string" && isIP(value) !== 0,
  ),
  playerId: whole(1, U32_MAX),
  onStatus: callback,
  onChunk: callback,
};

/** Connects to a world of tiles with Wire v1 over UDP, and reconnects by itself. */
export function connectTiles(given: TileConnection): TileClient {
  const connection = checkedOptions("the connection", given, TILE_OPTIONS);
  requireWhole("port", connection.port, 1, PORT_MAX);
  requireWhole("playerId", connection.playerId, 1, U32_MAX);
  const { port, host = "127.0.0.1", playerId, onStatus, onChunk } = connection;
  const socket: Socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  const client = new Wire1Client({
    time: systemTime,
    playerId,
    send: (datagram) => socket.send(datagram, port, host, () => undefined),
    ...(onStatus && { onStatus }),
    ...(onChunk && { onChunk }),
  });
  socket.on("message", (datagram, from) => {
    // Only datagrams from the server's address count.
    if (from.port !== port || from.address !== host) return;
    client.receive(new Uint8Array(datagram.buffer, datagram.byteOffset, datagram.length));
  });
  // Sends fail while the server is unavailable; the client retries later.
  socket.on("error", () => undefined);
  const timer = setInterval(() => client.tick(), TICK_MS);
  client.tick();
  return {
    client,
    close: () => {
      clearInterval(timer);
      socket.close();
    },
  };
}
