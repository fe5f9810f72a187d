import { createSocket, type Socket } from "node:dgram";
import { isIPv6 } from "node:net";
import { systemClock, type TileChunk } from "@orthant/core";
import { type Wire1Status, Wire1Visitor } from "@orthant/protocol";

/** Where a world of tiles is, and who visits it. */
export interface TileConnection {
  readonly port: number;
  /** An address, not a name; this machine unless given. */
  readonly host?: string;
  /** Who speaks, from 1 to 2^32 - 1. */
  readonly playerId: number;
  readonly onStatus?: (status: Wire1Status) => void;
  /** A chunk came; it may be as it was before. */
  readonly onChunk?: (chunk: TileChunk) => void;
}

/** A visitor with a socket. */
export interface TileClient {
  /** What there is to see and to do. */
  readonly visitor: Wire1Visitor;
  /** Falls silent; the server finds out by that. */
  close(): void;
}

const TICK_MS = 50;

/** Visits a world of tiles by Wire v1, over UDP, and comes back by itself when the connection is lost. */
export function connectTiles(connection: TileConnection): TileClient {
  const { port, host = "127.0.0.1", playerId, onStatus, onChunk } = connection;
  const socket: Socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  const visitor = new Wire1Visitor({
    clock: systemClock,
    playerId,
    send: (datagram) => socket.send(datagram, port, host, () => undefined),
    ...(onStatus && { onStatus }),
    ...(onChunk && { onChunk }),
  });
  socket.on("message", (datagram, from) => {
    // Only the server's own words count, as far as anybody can tell.
    if (from.port !== port || from.address !== host) return;
    visitor.receive(new Uint8Array(datagram.buffer, datagram.byteOffset, datagram.length));
  });
  // A server that is not there makes sends fail; the visitor tries again in its time.
  socket.on("error", () => undefined);
  const timer = setInterval(() => visitor.tick(), TICK_MS);
  visitor.tick();
  return {
    visitor,
    close: () => {
      clearInterval(timer);
      socket.close();
    },
  };
}
