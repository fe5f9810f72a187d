import { createSocket } from "node:dgram";
import { once } from "node:events";
import { TILE_CHUNKS } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { MemoryDisk } from "@orthant/disk";
import { wire1Codec } from "@orthant/protocol/internal";
import { readWire1Recording } from "@orthant/protocol/wire1";
import type { OrthantServer, Wire1Options } from "@orthant/server";
import { codeOfRejection, toHex } from "@orthant/testkit";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { describe, expect, onTestFinished, test } from "vitest";
import { closedAfterTest, flatWorld, metric, serve, until } from "./served-world.ts";
import { UdpPeer } from "./udp-peer.ts";

const SYN = "01010101";
const ACK = "01010102";

async function tileWorld(): Promise<WorldEngine> {
  const world = await createWorldEngine(new MemoryDisk(), { shape: TILE_CHUNKS }, { autosave: false });
  return closedAfterTest(world);
}

async function serveTiles(world: WorldEngine, wire1: Wire1Options = {}): Promise<OrthantServer> {
  return serve({ world, wire1 });
}

/** Returns a peer whose session has begun. */
async function joined({ wire1Port = 0 }: OrthantServer): Promise<UdpPeer> {
  const peer = await UdpPeer.open(wire1Port);
  peer.send(SYN);
  await peer.hear((datagram) => (toHex(datagram) === SYN ? true : undefined));
  peer.send(ACK);
  return peer;
}

describe("a server that listens for Wire v1", () => {
  test("[W42] does so only when it is configured", async () => {
    expect((await serve({ world: await tileWorld() })).wire1Port).toBeUndefined();
  });

  test.each<[why: string, wire1: Wire1Options]>([
    ["the whole network without a list", { host: "0.0.0.0" }],
    ["the whole network of IPv6 without a list", { host: "::" }],
    ["a list with something else in it", { allow: ["everybody"] }],
    ["a network with too many bits", { allow: ["10.0.0.0/33"] }],
    ["an empty number of bits", { allow: ["10.0.0.0/"] }],
  ])("[W42] rejects %s", async (_why, wire1) => {
    const world = await tileWorld();
    expect(await codeOfRejection(serveTiles(world, wire1))).toBe("ORT_ARGUMENT");
  });

  test("[W42] rejects a world with another chunk shape, and a port in use", async () => {
    expect(await codeOfRejection(serve({ world: await flatWorld(), wire1: {} }))).toBe("ORT_ARGUMENT");
    const socket = createSocket("udp4");
    socket.bind(0, "127.0.0.1");
    await once(socket, "listening");
    onTestFinished(() => void socket.close());
    const { port } = socket.address();
    expect(await codeOfRejection(serveTiles(await tileWorld(), { port }))).toBe("ORT_LISTEN");
  });

  test("[W42] needs a role when players without a token may not join", async () => {
    const world = await tileWorld();
    const auth = { secret: "x".repeat(32), anonymous: false } as const;
    expect(await codeOfRejection(serve({ world, auth, wire1: {} }))).toBe("ORT_ARGUMENT");
    expect((await serve({ world, auth, wire1: { role: "viewer" } })).wire1Port).toBeGreaterThan(0);
  });

  test("[W42] accepts datagrams only from the addresses on its list", async () => {
    const server = await serveTiles(await tileWorld(), { allow: ["127.0.0.2", "::1"] });
    const port = server.wire1Port ?? 0;
    const stranger = await UdpPeer.open(port, "127.0.0.3");
    stranger.send(SYN);
    const friend = await UdpPeer.open(port, "127.0.0.2");
    friend.send(SYN);
    await friend.hear((datagram) => (toHex(datagram) === ACK ? true : undefined));
    expect(await metric(server, 'orthant_wire1_dropped_total{reason="stranger"}')).toBe(1);
  });

  test("[W30, W35, W37] behaves over UDP as the original did", async () => {
    const world = await tileWorld();
    const server = await serveTiles(world);
    const peer = await joined(server);
    const positions = new Set<string>();
    await peer.hear((_datagram, message) => {
      if (message.kind === "batch") for (const { x, y } of message.chunks) positions.add(`${x} ${y}`);
      return positions.size === 25 ? true : undefined;
    });
    peer.send("010206010a030a0a08");
    const shown = await peer.hear((datagram, message) => {
      const [chunk] = message.kind === "batch" ? message.chunks : [];
      return chunk?.tiles[5 * 32 + 5] === 8 ? datagram : undefined;
    });
    const tiles = new Uint16Array(1_024);
    tiles[5 * 32 + 5] = 8;
    expect(toHex(shown)).toBe(toHex(encode(wire1Codec, { kind: "batch", chunks: [{ x: 0, y: 0, tiles }] })));
    expect(await world.get([5, 5, 0, 0])).toBe(8);
    expect(server.players).toMatchObject([{ name: "tile player 1", role: "builder" }]);
    expect(await metric(server, "orthant_wire1_sessions")).toBe(1);
    expect(await metric(server, 'orthant_edits_total{outcome="applied"}')).toBe(1);
  });

  test("[W34] leaves the last word about its players to the game", async () => {
    const world = await tileWorld();
    const server = await serve({
      world,
      wire1: { role: "builder" },
      authorize: ({ account }) => account && { ...account, role: "viewer", name: "guest" },
    });
    const peer = await joined(server);
    peer.send("010206010a030a0a08");
    await until(() => server.players.length === 1);
    expect(server.players).toMatchObject([{ name: "guest", role: "viewer" }]);
    while ((await metric(server, 'orthant_edits_total{outcome="role"}')) !== 1);
    expect(await world.get([5, 5, 0, 0])).toBe(0);
  });

  test("[W60] records datagrams from allowed senders, and its ticks", async () => {
    const pieces: Uint8Array[] = [];
    const server = await serveTiles(await tileWorld(), { record: (bytes) => pieces.push(bytes) });
    const peer = await joined(server);
    peer.send("010206010a030a0a08");
    await until(() => server.players.length === 1);
    const events = () => [...readWire1Recording(Buffer.concat(pieces))];
    await until(() => events().some(({ kind }) => kind === "tick"));
    expect(events().flatMap((event) => (event.kind === "datagram" ? [toHex(event.datagram)] : []))).toEqual([
      SYN,
      ACK,
      "010206010a030a0a08",
    ]);
  });

  test("continues when its recording fails, and reports that once", async () => {
    let calls = 0;
    const record = (): void => {
      if (++calls > 1) throw new Error("no space left on device");
    };
    const server = await serveTiles(await tileWorld(), { record });
    const peer = await joined(server);
    peer.send("010206010a030a0a08");
    await until(() => server.players.length === 1);
    expect([calls, await metric(server, "orthant_errors_total")]).toEqual([2, 1]);
  });

  test("[W34] ends the session of a revoked player, who can do nothing more", async () => {
    const world = await tileWorld();
    const server = await serveTiles(world);
    const peer = await joined(server);
    peer.send("010206010a030a0a08");
    await until(() => server.players.length === 1);
    const playerId = server.players[0]?.playerId ?? 0n;
    server.revoke({ playerId, reason: "griefing" });
    expect(server.players).toEqual([]);
    while ((await metric(server, "orthant_wire1_sessions")) !== 0);
    const again = await joined(server);
    again.send("010206010a030c0c08");
    while ((await metric(server, 'orthant_goodbyes_total{reason="kicked",limit=""}')) !== 2);
    expect(server.players).toEqual([]);
    expect(await world.get([6, 6, 0, 0])).toBe(0);
  });
});
