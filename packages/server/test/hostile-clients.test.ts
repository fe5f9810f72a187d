import { connect as connectSocket } from "node:net";
import { FakeTime, fromHex, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { helloOf, PlainClient, requestOrigin } from "./plain-client.ts";
import { ask, metric, serve, until } from "./served-world.ts";

const refused = (name: string): string => `orthant_refusals_total{name="${name}"}`;
const goodbye = (reason: string, limit = ""): string =>
  `orthant_goodbyes_total{reason="${reason}",limit="${limit}"}`;

/** Returns how a connection ended for the client. */
async function endOf(client: PlainClient): Promise<readonly [code: number, reason: string | undefined]> {
  const code = await client.closed;
  const last = client.messages.find((message) => message.kind === "goodbye");
  return [code, last?.kind === "goodbye" ? last.reason : undefined];
}

describe("a hostile client", () => {
  test("a client that sends text is disconnected", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    client.socket.send("hello");
    expect(await endOf(client)).toEqual([1002, "malformed"]);
    expect(await metric(server, goodbye("malformed"))).toBe(1);
  });

  test("a client that sends meaningless bytes is disconnected", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    client.socket.send(fromHex("ff ff ff ff"));
    expect(await endOf(client)).toEqual([1002, "malformed"]);
  });

  test("a client that speaks another version is disconnected", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    // Nothing acknowledged, nothing applied; tag 0, "ORTH", version 9, and content of that version.
    client.socket.send(fromHex("00 00 00 4f525448 09 aabbcc"));
    expect(await endOf(client)).toEqual([1008, "version"]);
    expect(await metric(server, goodbye("version"))).toBe(1);
  });

  test("a client whose message is too large is disconnected before it is read", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    client.socket.send(new Uint8Array(65_537));
    expect(await endOf(client)).toEqual([1009, undefined]);
    expect(await metric(server, refused("frameBytesMax"))).toBe(1);
  });

  test("a client whose message grows too large by fragments is disconnected", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    for (let index = 0; index < 70; index++) client.socket.send(new Uint8Array(1_000), { fin: false });
    expect(await endOf(client)).toEqual([1009, undefined]);
    expect(await metric(server, refused("frameBytesMax"))).toBe(1);
  });

  test("a client whose message comes in too many fragments is disconnected", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    for (let index = 0; index < 300; index++) client.socket.send(new Uint8Array(1), { fin: false });
    expect(await endOf(client)).toEqual([1008, undefined]);
    expect(await metric(server, refused("fragmentsMax"))).toBe(1);
  });

  test("a client that floods the server with pings or unsolicited pongs is disconnected", async () => {
    const server = await serve({ time: new FakeTime() });
    for (const flood of ["ping", "pong"] as const) {
      const client = await PlainClient.connect(server.url);
      let answers = 0;
      client.socket.on("pong", () => answers++);
      for (let index = 0; index < 11; index++) client.socket[flood]();
      expect(await client.closed, flood).toBe(1008);
      expect(answers, flood).toBe(flood === "ping" ? 10 : 0);
    }
    expect(await metric(server, refused("pingsPerSecond"))).toBe(2);
  });

  test("a client that violates the WebSocket protocol is disconnected", async () => {
    const server = await serve();
    const client = await PlainClient.connect(server.url);
    const raw = client.socket as unknown as { readonly _socket: { write(bytes: Uint8Array): void } };
    raw._socket.write(fromHex("82 01 00")); // a frame of a client must be masked
    expect(await endOf(client)).toEqual([1002, undefined]);
    expect(await metric(server, refused("webSocket"))).toBe(1);
  });

  test("a client that never says hello is disconnected", async () => {
    const time = new FakeTime();
    const server = await serve({ time, limits: { idleMs: 60_000 } });
    const client = await PlainClient.connect(server.url);
    await until(() => server.connectionCount === 1);
    time.advance(9_990);
    expect(server.connectionCount).toBe(1);
    time.advance(10);
    expect(await endOf(client)).toEqual([1008, "limit"]);
    expect(await metric(server, goodbye("limit", "handshakeMs"))).toBe(1);
  });

  test("a client that begins a message and never ends it is disconnected, whatever pings it sends", async () => {
    const time = new FakeTime();
    const server = await serve({ time });
    const client = await PlainClient.join(server.url);
    await until(() => server.players.length === 1);
    client.socket.send(new Uint8Array(10), { fin: false });
    const pong = new Promise((resolve) => client.socket.once("pong", resolve));
    client.socket.ping();
    await pong;
    time.advance(15_000);
    expect(await endOf(client)).toEqual([1000, "idle"]);
    expect(await metric(server, goodbye("idle", "idleMs"))).toBe(1);
    expect(server.players).toEqual([]);
  });

  test("a client that sends too many frames is disconnected", async () => {
    const server = await serve({ time: new FakeTime(), limits: { framesBurst: 5 } });
    const client = await PlainClient.join(server.url);
    await until(() => server.players.length === 1);
    for (let index = 0; index < 5; index++) client.say();
    expect(await endOf(client)).toEqual([1008, "limit"]);
    expect(await metric(server, goodbye("limit", "framesPerSecond"))).toBe(1);
  });

  test("a client whose interest is too large is disconnected", async () => {
    const server = await serve({ limits: { interestRegionsMax: 1 } });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    requestOrigin(client, { boxes: [{ min: [0, 0, 0, 0], max: [8, 4, 4, 1] }] });
    expect(await endOf(client)).toEqual([1008, "limit"]);
    expect(await metric(server, goodbye("limit", "interestRegionsMax"))).toBe(1);
  });

  test("a client that lets more bytes wait for it than its memory limit is disconnected", async () => {
    const limits = { sendBacklogBytesMax: 65_536, inFlightBytesMax: 2 ** 30 };
    const server = await serve({ limits, tickMs: 1 });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    client.socket.pause();
    await until(() => {
      server.broadcast(new Uint8Array(16_383));
      return server.connectionCount === 0;
    });
    expect(await metric(server, refused("sendBacklogBytesMax"))).toBe(1);
  });
});

describe("hostile clients", () => {
  test("find no message that harms the server or another client", async () => {
    const server = await serve({ limits: { httpRequestsBurst: 1_000, connectionsPerAddress: 500 } });
    const witness = await PlainClient.join(server.url, { clientId: 1n });
    await witness.next("welcome");
    requestOrigin(witness);
    const random = new Prng(5);
    for (let round = 0; round < 60; round++) {
      const client = await PlainClient.connect(server.url);
      if (round % 2 === 0) {
        client.say(helloOf({ clientId: 2n + BigInt(round) }));
        await client.next("welcome");
      }
      const bytes = Uint8Array.from({ length: random.below(200) }, () => random.below(256));
      client.socket.send(bytes);
      expect((await endOf(client))[1], `round ${round}`).toBeOneOf(["malformed", "version"]);
    }
    witness.say({ kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] });
    expect((await witness.next("patch")).patch.changes).toHaveLength(1);
    expect(await metric(server, "orthant_errors_total")).toBe(0);
    expect(await metric(server, goodbye("failure"))).toBe(0);
  });

  test("cannot send an endless head", async () => {
    const server = await serve();
    const socket = connectSocket(server.port, "127.0.0.1");
    const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
    socket.on("error", () => undefined);
    socket.write(`GET / HTTP/1.1\r\nHost: here\r\nX-Long: ${"a".repeat(9_000)}`);
    expect(await answer).toMatch(/^HTTP\/1\.1 431 /);
    socket.destroy();
    expect((await ask(server, "/healthz")).status).toBe(200);
  });

  test("cannot send a head slowly", async () => {
    const server = await serve({ limits: { httpHeaderMs: 1_000 } });
    const socket = connectSocket(server.port, "127.0.0.1");
    const ended = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.resume();
    socket.write("GET / HTTP/1.1\r\nHost:");
    await ended;
    expect((await ask(server, "/healthz")).status).toBe(200);
  });
});
