import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { systemTime } from "@orthant/core";
import { TILE_CHUNK_EDGE } from "@orthant/core/chunk";
import { Wire1Client } from "@orthant/protocol/wire1";
import type { LossyNetwork, Prng } from "@orthant/testkit";

/** Radius, in chunks, that a player sees around its home. */
const RADIUS_CHUNKS = 2;
const MATERIALS = 9;

/** Yields the chunks that a player must see in the end: those around its home. */
export function* chunksSeenBy(number: number): Generator<readonly [x: number, y: number]> {
  const [homeX, homeY] = homeOf(number);
  for (let x = homeX - RADIUS_CHUNKS; x <= homeX + RADIUS_CHUNKS; x++) {
    for (let y = homeY - RADIUS_CHUNKS; y <= homeY + RADIUS_CHUNKS; y++) yield [x, y];
  }
}

/** Returns the home chunk of a player. Neighbours see some of the same chunks. */
function homeOf(number: number): readonly [x: number, y: number] {
  return [(number % 20) * 3 - 30, Math.floor(number / 20) * 3 - 15];
}

/** A Wire v1 player with a real socket, whose datagrams pass through a simulated lossy network both ways. */
export class CrowdPlayer {
  readonly client: Wire1Client;
  readonly #prng: Prng;
  readonly #number: number;
  setCount = 0;

  private constructor(socket: Socket, port: number, network: LossyNetwork, prng: Prng, number: number) {
    this.#prng = prng;
    this.#number = number;
    const [near, far] = network.connect().ends;
    this.client = new Wire1Client({
      time: systemTime,
      playerId: number + 1,
      send: (datagram) => near.send(datagram),
    });
    near.listen({ receive: (datagram) => this.client.receive(datagram), disconnected: () => undefined });
    far.listen({
      receive: (datagram) => socket.send(datagram, port, "127.0.0.1", () => undefined),
      disconnected: () => undefined,
    });
    socket.on("message", (datagram) => far.send(new Uint8Array(datagram)));
    for (const [x, y] of chunksSeenBy(number)) this.client.loadChunk(x, y);
  }

  /** Opens a player that connects to `port` on this machine. */
  static async open(port: number, network: LossyNetwork, prng: Prng, number: number): Promise<CrowdPlayer> {
    const socket = createSocket({ type: "udp4", recvBufferSize: 1_048_576 });
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    return new CrowdPlayer(socket, port, network, prng, number);
  }

  /** Sets a tile around the home once connected. Sometimes loads or unloads a chunk a little farther away. */
  act(): void {
    if (this.client.status !== "connected") return;
    const [homeX, homeY] = homeOf(this.#number);
    if (this.#prng.chance(0.05)) {
      const chunkX = homeX + this.#prng.between(-RADIUS_CHUNKS - 1, RADIUS_CHUNKS + 1);
      const chunkY = homeY + this.#prng.between(-RADIUS_CHUNKS - 1, RADIUS_CHUNKS + 1);
      const isNear = Math.max(Math.abs(chunkX - homeX), Math.abs(chunkY - homeY)) <= RADIUS_CHUNKS;
      if (this.#prng.chance(0.5)) this.client.loadChunk(chunkX, chunkY);
      else if (!isNear) this.client.unloadChunk(chunkX, chunkY);
    }
    const reach = (RADIUS_CHUNKS + 1) * TILE_CHUNK_EDGE;
    this.client.setTile(
      homeX * TILE_CHUNK_EDGE + this.#prng.between(-reach, reach),
      homeY * TILE_CHUNK_EDGE + this.#prng.between(-reach, reach),
      this.#prng.below(MATERIALS),
    );
    this.setCount++;
  }

  /** Describes the chunks that the player lacks or sees wrongly, given the bytes of all tiles. */
  faults(tiles: ReadonlyMap<string, Uint8Array>): readonly string[] {
    const { status, openCount } = this.client;
    const name = `player ${this.#number}`;
    if (status !== "connected" || openCount > 0) return [`${name} is ${status} and waits for ${openCount}`];
    return [...chunksSeenBy(this.#number)].flatMap(([x, y]) => {
      const seen = this.client.chunkAt(x, y)?.tiles;
      const expected = tiles.get(`${x} ${y}`) ?? new Uint8Array(0);
      const isSame = seen !== undefined && Buffer.compare(new Uint8Array(seen.buffer), expected) === 0;
      return isSame ? [] : [`${name}, chunk ${x} ${y} is ${seen === undefined ? "missing" : "another"}`];
    });
  }
}
