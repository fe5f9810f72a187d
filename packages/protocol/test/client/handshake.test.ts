import { encode } from "@orthant/core/bytes";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { KNOWN_FEATURES, PROTOCOL_VERSION, serverFrameCodec } from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { describe, expect, test } from "vitest";
import { blank, GROUND, heartbeat, SHAPE, SKY, TestClient, WELCOME } from "./sample-client.ts";

test("a client sends a complete hello at once", () => {
  const client = new TestClient({ firstEditId: 9 });
  client.connect();
  expect(client.sent()).toEqual([
    {
      kind: "hello",
      version: PROTOCOL_VERSION,
      generators: DEFAULT_GENERATORS.versionHashes,
      featureBits: KNOWN_FEATURES,
      clientId: 42n,
      token: Uint8Array.of(1, 2, 3),
      name: "ada",
      kept: undefined,
      openEditId: 9,
      blocksHash: 0n,
    },
  ]);
});

test("the client repeats the hello every second until the welcome arrives", () => {
  const client = new TestClient();
  client.connect();
  expect(client.sentOf("hello")).toHaveLength(1);
  client.pass(999);
  expect(client.sent()).toEqual([]);
  client.pass(1);
  expect(client.sentOf("hello")).toHaveLength(1);
  client.receive(WELCOME);
  client.pass(5_000);
  expect(client.sentOf("hello")).toEqual([]);
});

test("a client reports only the first welcome of a connection", () => {
  const client = new TestClient();
  client.connect();
  expect(client.sync.phase).not.toBe("joined");
  client.receive(WELCOME);
  client.receive({ ...WELCOME, worldName: "another" });
  expect(client.welcomes.map(({ worldName }) => worldName)).toEqual(["meadow"]);
  expect(client.sync.world?.worldName).toBe("meadow");
  expect(client.sync.phase).toBe("joined");
});

test("messages before the welcome are ignored", () => {
  const client = new TestClient();
  client.connect();
  client.receive(heartbeat(3), blank(1, "generated", SKY), { kind: "game", payload: Uint8Array.of(1) });
  expect(client.games).toEqual([]);
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  client.receive(WELCOME, blank(1, "generated", GROUND));
  expect(client.sync.replica?.clockOf(GROUND)).toBe(0);
});

test("a welcome that requires an unknown feature ends the connection", () => {
  const client = new TestClient();
  client.connect();
  client.receive({ ...WELCOME, featureBits: 1n << 40n });
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_VERSION"]);
  expect(client.isClosed).toBe(true);
  expect(client.sync.world).toBeUndefined();
});

test.each([
  [31, 0x8000_0000n, "joined", []],
  [32, 0x1_0000_0000n, "closed", ["ORT_VERSION"]],
  [63, 0x8000_0000_0000_0000n, "closed", ["ORT_VERSION"]],
] as const)(
  "a welcome with only the unknown feature bit %i is judged by its half",
  (_bit, featureBits, phase, faults) => {
    const client = new TestClient();
    client.connect();
    client.receive({ ...WELCOME, featureBits });
    expect(client.faults.map((fault) => fault.code)).toEqual(faults);
    expect(client.sync.phase).toBe(phase);
  },
);

test("a welcome in another version ends the connection", () => {
  const client = new TestClient();
  client.connect();
  const frame = encode(serverFrameCodec(undefined), { number: 1, messages: [WELCOME] });
  // After the frame's number and the tag.
  frame[2] = PROTOCOL_VERSION + 1;
  client.sync.receive(frame);
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_VERSION"]);
  expect(client.sync.world).toBeUndefined();
});

test("a welcome with an unknown optional feature is accepted", () => {
  const client = new TestClient();
  client.connect();
  client.receive({ ...WELCOME, featureBits: 1n << 20n });
  expect(client.sync.phase).toBe("joined");
});

test("a client reports a goodbye and neither takes nor sends anything after it", () => {
  const client = TestClient.joined();
  client.receive(
    { kind: "goodbye", reason: "shutdown", detail: "back soon", retryAfterMs: 500 },
    blank(1, "air", SKY),
  );
  expect(client.goodbyes).toEqual([
    { kind: "goodbye", reason: "shutdown", detail: "back soon", retryAfterMs: 500 },
  ]);
  expect(client.isClosed).toBe(true);
  client.receive(blank(1, "air", SKY));
  client.pass(5_000);
  expect(client.sync.replica?.clockOf(SKY)).toBeUndefined();
  expect(client.sent()).toEqual([]);
  expect(client.sync.phase).not.toBe("joined");
  expect(client.sync.sendGame(Uint8Array.of(1))).toBe("offline");
});

test("bytes that are not the protocol end the connection, and the next connection starts over", () => {
  const client = TestClient.joined();
  client.sync.receive(Uint8Array.of(2, 99));
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_TAG"]);
  expect(client.isClosed).toBe(true);
  client.sync.disconnected();
  client.connect();
  expect(client.sentOf("hello")).toHaveLength(1);
  client.receive(WELCOME);
  expect(client.sync.phase).toBe("joined");
});

test("a patch before the welcome ends the connection", () => {
  const client = new TestClient();
  client.connect();
  const patch = {
    patchSeq: 1,
    changes: [{ region: SKY, base: "air", next: 0, piece: 0, leaves: [], edits: [], data: [] }],
  } as const;
  client.sync.receive(
    encode(serverFrameCodec(SHAPE.volume), { number: 1, messages: [{ kind: "patch", patch }] }),
  );
  expect(client.faults.map((fault) => fault.code)).toEqual(["ORT_MESSAGE"]);
});

test("an idle client sends a frame every second, which acknowledges", () => {
  const client = TestClient.joined();
  client.receive(heartbeat(0));
  client.receive(heartbeat(0), blank(1, "air", SKY));
  client.pass(500);
  expect(client.frames).toEqual([]);
  client.pass(500);
  expect(client.frames).toEqual([{ acknowledged: 3, applied: 1, messages: [] }]);
});

test("a client acknowledges a large amount of received data at the next tick", () => {
  const client = TestClient.joined();
  const payload = new Uint8Array(16_384);
  for (let count = 0; count < 3; count++) client.receive({ kind: "game", payload });
  client.pass(50);
  expect(client.frames).toEqual([]);
  client.receive({ kind: "game", payload });
  client.pass(50);
  expect(client.frames).toEqual([{ acknowledged: 5, applied: 0, messages: [] }]);
});

test("messages wait for the next tick, or leave at once when there are many", () => {
  const client = TestClient.joined();
  const payload = new Uint8Array(16_000);
  expect(client.sync.sendGame(payload)).toBe("sent");
  client.sync.sendGame(payload);
  expect(client.frames).toEqual([]);
  client.sync.sendGame(payload);
  expect(client.frames.map(({ messages }) => messages.length)).toEqual([3]);
  client.sync.sendGame(Uint8Array.of(5));
  client.sync.tick();
  expect(client.frames.map(({ messages }) => messages.length)).toEqual([3, 1]);
});

test("game messages beyond what the server takes are not sent", () => {
  const client = TestClient.joined({}, { limits: { ...DEFAULT_SYNC_LIMITS, gameMessagesPerSecond: 10 } });
  const send = () => client.sync.sendGame(Uint8Array.of(1));
  expect(Array.from({ length: 11 }, send)).toEqual([...new Array(9).fill("sent"), "rate", "rate"]);
  client.pass(120);
  expect([send(), send()]).toEqual(["sent", "rate"]);
  expect(client.sentOf("game").length).toBe(9);
});

test("a client sends only the latest pose, rounded as the server will see it", () => {
  const client = TestClient.joined();
  client.sync.move({ position: [1, 2, 3, 4], orientation: [0, 0, 0, 1] });
  client.sync.move({ position: [5.01, 6, 7, 8], orientation: [0, 0, 0, 1] });
  client.pass(50);
  client.pass(50);
  expect(client.sentOf("move")).toEqual([
    { kind: "move", timeMs: 1, position: [5.015625, 6, 7, 8], orientation: [0, 0, 0, 1] },
  ]);
});

test("a game message arrives once, however often its frame does", () => {
  const client = TestClient.joined();
  client.receiveAs(2, { kind: "game", payload: Uint8Array.of(7) });
  client.receiveAs(2, { kind: "game", payload: Uint8Array.of(7) });
  expect(client.games).toEqual([[7]]);
});

describe("[N41] a pose that the server sets", () => {
  const orientation = [0, 0, 0, 1] as const;
  const placed = (number: number) =>
    ({
      kind: "placed",
      number,
      position: [number, 0, 0, 0],
      orientation,
      moveMs: 0,
      reason: "home",
    }) as const;
  const move = { position: [7, 8, 9, 0], orientation } as const;

  function placedClient() {
    const seen: number[] = [];
    const client = TestClient.joined({ events: { onPlaced: ({ number }) => seen.push(number) } });
    client.sent();
    return { client, seen };
  }

  test("voids moves that were not sent, and is confirmed before the next", () => {
    const { client, seen } = placedClient();
    client.sync.move({ position: [1, 1, 1, 0], orientation });
    client.receive(placed(5));
    client.sync.move(move);
    client.pass(50);
    expect(seen).toEqual([5]);
    expect(client.sent()).toEqual([
      { kind: "placedSeen", number: 5 },
      { kind: "move", timeMs: 1, ...move },
    ]);
  });

  test("is taken once and confirmed again, with the last move since", () => {
    const { client, seen } = placedClient();
    client.receive(placed(5));
    client.sync.move(move);
    client.pass(50);
    client.sent();
    client.receive(placed(5));
    client.pass(50);
    expect(seen).toEqual([5]);
    expect(client.sent()).toEqual([
      { kind: "placedSeen", number: 5 },
      { kind: "move", timeMs: 1, ...move },
    ]);
  });

  test("counts with any other number, and is confirmed once a tick however many come", () => {
    const { client, seen } = placedClient();
    client.receive(placed(5), placed(3), placed(4));
    client.pass(50);
    expect(seen).toEqual([5, 3, 4]);
    expect(client.sent()).toEqual([{ kind: "placedSeen", number: 4 }]);
  });
});
