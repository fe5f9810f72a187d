import { isDeepStrictEqual } from "node:util";
import { decode, encode } from "@orthant/core/bytes";
import type { TileChunk } from "@orthant/core/chunk";
import { type Wire1Message, wire1Codec } from "@orthant/protocol/internal";
import { Wire1Client, type Wire1Status } from "@orthant/protocol/wire1";
import { FakeTime, LossyNetwork, Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { Wire1Stage } from "./server-stage.ts";

/** A client whose server is the test. */
function clientStage(): {
  readonly time: FakeTime;
  readonly client: Wire1Client;
  readonly sent: Wire1Message[];
  readonly statuses: Wire1Status[];
  pass(ms: number): void;
  receive(message: Wire1Message): void;
} {
  const time = new FakeTime();
  const sent: Wire1Message[] = [];
  const statuses: Wire1Status[] = [];
  const client = new Wire1Client({
    time,
    playerId: 5,
    send: (datagram) => sent.push(decode(wire1Codec, datagram)),
    onStatus: (status) => statuses.push(status),
  });
  return {
    time,
    client,
    sent,
    statuses,
    pass(ms) {
      for (let passed = 0; passed < ms; passed += 50) {
        time.advance(50);
        client.tick();
      }
    },
    receive: (message) => client.receive(encode(wire1Codec, message)),
  };
}

const SYN: Wire1Message = { kind: "control", control: "syn" };
const ACK: Wire1Message = { kind: "control", control: "ack" };
const HEARTBEAT: Wire1Message = { kind: "control", control: "heartbeat" };
const chunkOf = (x: number, y: number, material: number): TileChunk => ({
  x,
  y,
  tiles: new Uint16Array(1_024).fill(material),
});

describe("a Wire v1 client", () => {
  test("[W50] repeats SYNs after half a second, one, two and four, gives up after ten and starts over after two", () => {
    const { time, client, sent, statuses, pass } = clientStage();
    const startMs = time.nowMs();
    const sentMs: number[] = [];
    client.tick();
    for (let step = 0; step < 300; step++) {
      sentMs.push(...sent.splice(0).map(() => time.nowMs() - startMs));
      pass(50);
    }
    expect(sentMs).toEqual([0, 500, 1_500, 3_500, 7_500, 12_050, 12_550, 13_550]);
    expect(statuses).toEqual(["connecting", "disconnected", "connecting"]);
  });

  test.each([SYN, ACK, HEARTBEAT])("[W50] is connected by any control message: %o", (message) => {
    const { client, receive } = clientStage();
    client.tick();
    receive(message);
    expect(client.status).toBe("connected");
  });

  test("[W51] answers each SYN with an ACK, and sends two heartbeats per second until the server is silent for three", () => {
    const { client, sent, statuses, pass, receive } = clientStage();
    client.tick();
    receive(SYN);
    receive(SYN);
    sent.splice(0);
    pass(2_000);
    receive({ kind: "batch", chunks: [] });
    pass(2_900);
    expect(sent.filter(({ kind }) => kind === "control")).toEqual(new Array(9).fill(HEARTBEAT));
    expect(client.status).toBe("connected");
    pass(200);
    expect(statuses).toEqual(["connecting", "connected", "disconnected"]);
  });

  test("[W52] repeats a tile until a chunk shows it", () => {
    const { client, sent, pass, receive } = clientStage();
    client.tick();
    receive(ACK);
    sent.splice(0);
    client.setTile(-1, 3, 8);
    pass(400);
    const sets = sent.splice(0).filter(({ kind }) => kind === "command");
    const command = { kind: "setTile", x: -1, y: 3, material: 8 };
    expect(sets).toEqual(new Array(2).fill({ kind: "command", playerId: 5, command }));
    receive({ kind: "chunk", chunk: chunkOf(-1, 0, 1) });
    expect([client.openCount, client.tileAt(-1, 3)]).toEqual([1, 1]);
    receive({ kind: "batch", chunks: [chunkOf(-1, 0, 8)] });
    expect([client.openCount, client.tileAt(-1, 3)]).toEqual([0, 8]);
  });

  test("[W52] gives up a tile that no chunk shows", () => {
    const { client, sent, pass, receive } = clientStage();
    client.tick();
    receive(ACK);
    sent.splice(0);
    client.setTile(0, 0, 8);
    for (let second = 0; second < 30; second++) {
      pass(1_000);
      receive(HEARTBEAT);
    }
    expect(sent.filter(({ kind }) => kind === "command")).toHaveLength(6);
    expect(client.openCount).toBe(0);
  });

  test("[W52] requests chunks until they arrive, and all of them in the next session", () => {
    const { client, sent, pass, receive } = clientStage();
    client.tick();
    receive(ACK);
    client.loadChunk(4, 4);
    client.loadChunk(5, 4);
    sent.splice(0);
    receive({ kind: "chunk", chunk: chunkOf(4, 4, 1) });
    pass(500);
    const asked = sent.splice(0).flatMap((message) => (message.kind === "command" ? [message.command] : []));
    expect(asked).toEqual([{ kind: "loadChunk", chunkX: 5, chunkY: 4 }]);
    pass(6_000);
    sent.splice(0);
    receive(ACK);
    pass(100);
    expect(sent.filter(({ kind }) => kind === "command")).toHaveLength(2);
  });

  test("[W52] requests chunks again that the server may have dropped: after a SYN, or when none arrived for long", () => {
    const { client, sent, pass, receive } = clientStage();
    const asked = (): number =>
      sent.splice(0).filter((message) => message.kind === "command" && message.command.kind === "loadChunk")
        .length;
    client.tick();
    receive(ACK);
    client.loadChunk(4, 4);
    receive({ kind: "chunk", chunk: chunkOf(4, 4, 1) });
    asked();
    receive(SYN);
    pass(100);
    expect(asked()).toBe(1);
    receive({ kind: "chunk", chunk: chunkOf(4, 4, 1) });
    for (let second = 0; second < 74; second++) {
      pass(1_000);
      receive(HEARTBEAT);
    }
    expect(asked()).toBe(0);
    pass(2_000);
    receive(HEARTBEAT);
    pass(2_500);
    receive(HEARTBEAT);
    pass(2_500);
    expect(asked()).toBeGreaterThan(0);
  });

  test("[W52] repeats that it does not want a chunk when the chunk arrives anyway", () => {
    const { client, sent, receive } = clientStage();
    client.tick();
    receive(ACK);
    receive({ kind: "chunk", chunk: chunkOf(1, 1, 1) });
    client.unloadChunk(1, 1);
    sent.splice(0);
    receive({ kind: "chunk", chunk: chunkOf(1, 1, 2) });
    expect(sent).toEqual([
      { kind: "command", playerId: 5, command: { kind: "unloadChunk", chunkX: 1, chunkY: 1 } },
    ]);
    expect(client.chunkAt(1, 1)).toBeUndefined();
  });

  test("[W41] drops what a server must not send, and holds at most 4,096 chunks", () => {
    const { client, receive } = clientStage();
    receive(ACK);
    client.tick();
    receive(ACK);
    receive({ kind: "command", playerId: 1, command: { kind: "jump" } });
    client.receive(Uint8Array.of(1, 3, 0));
    for (let x = 0; x < 4_100; x++) receive({ kind: "chunk", chunk: chunkOf(x, 0, 1) });
    expect(client.dropped).toMatchObject({ stranger: 1, direction: 1, chunks: 1, full: 4 });
    expect([...client.chunks]).toHaveLength(4_096);
  });
});

test("[W37, W52] twelve clients on a bad network all see the world's contents", async () => {
  const seed = 11;
  const prng = new Prng(seed);
  const stage = new Wire1Stage();
  const network = new LossyNetwork(stage.time, prng, {
    ...RELIABLE_NETWORK,
    loss: 0.2,
    duplication: 0.1,
    reordering: 0.3,
    delayMsMin: 5,
    delayMsMax: 250,
  });
  const clients = Array.from({ length: 12 }, (_, index) => {
    const from = { address: "10.0.0.1", port: 1_000 + index };
    const [near, far] = network.connect().ends;
    const client = new Wire1Client({
      time: stage.time,
      playerId: index + 1,
      send: (datagram) => near.send(datagram),
    });
    near.listen({ receive: (datagram) => client.receive(datagram), disconnected: () => undefined });
    far.listen({
      receive: (datagram) => stage.server.receive(from, datagram),
      disconnected: () => undefined,
    });
    stage.listen(from, (datagram) => far.send(datagram));
    return client;
  });
  const live = async (ticks: number, act: (client: Wire1Client) => void): Promise<void> => {
    for (let tick = 0; tick < ticks; tick++) {
      for (const client of clients) {
        act(client);
        client.tick();
      }
      await stage.tick();
    }
  };
  await live(100, (client) => {
    if (prng.chance(0.2)) client.setTile(prng.between(-64, 95), prng.between(-64, 95), prng.between(1, 5));
    if (prng.chance(0.02)) client.loadChunk(prng.between(-3, 3), prng.between(-3, 3));
  });
  const differences = (): readonly string[] =>
    clients.flatMap((client, index) =>
      [...client.chunks].flatMap(({ x, y, tiles }) => {
        const expected = stage.world.state.realizeChunk(x, y, 0, 0).voxels();
        return isDeepStrictEqual(tiles, expected) ? [] : [`client ${index}, chunk ${x} ${y}`];
      }),
    );
  // One in five is lost, so some are lost several times in a row; eventually all arrive.
  for (let second = 0; second < 180 && differences().length > 0; second += 10) {
    await live(100, () => undefined);
  }
  expect(differences(), `seed ${seed}`).toEqual([]);
  for (const client of clients) expect([...client.chunks].length).toBeGreaterThanOrEqual(25);
  expect(stage.world.edits.length).toBeGreaterThan(100);
  expect(stage.failures).toEqual([]);
});
