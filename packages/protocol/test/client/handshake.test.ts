import { DEFAULT_GENERATORS, encode } from "@orthant/core";
import { KNOWN_FEATURES, PROTOCOL_VERSION, serverFrameCodec } from "@orthant/protocol/internal";
import { expect, test } from "vitest";
import { blank, GROUND, heartbeat, SHAPE, SKY, Visit, WELCOME } from "./sample-client.ts";

test("a client sends a complete hello at once", () => {
  const visit = new Visit({ firstEditId: 9 });
  visit.connect();
  expect(visit.said()).toEqual([
    {
      kind: "hello",
      version: PROTOCOL_VERSION,
      generatorsHash: DEFAULT_GENERATORS.generatorsHash,
      featureBits: KNOWN_FEATURES,
      clientId: 42n,
      token: Uint8Array.of(1, 2, 3),
      name: "ada",
      kept: undefined,
      openEditId: 9,
    },
  ]);
});

test("the client repeats the hello every second until the welcome arrives", () => {
  const visit = new Visit();
  visit.connect();
  expect(visit.saidOf("hello")).toHaveLength(1);
  visit.pass(999);
  expect(visit.said()).toEqual([]);
  visit.pass(1);
  expect(visit.saidOf("hello")).toHaveLength(1);
  visit.hear(WELCOME);
  visit.pass(5_000);
  expect(visit.saidOf("hello")).toEqual([]);
});

test("a client reports only the first welcome of a connection", () => {
  const visit = new Visit();
  visit.connect();
  expect(visit.guest.phase).not.toBe("joined");
  visit.hear(WELCOME);
  visit.hear({ ...WELCOME, worldName: "another" });
  expect(visit.welcomes.map(({ worldName }) => worldName)).toEqual(["meadow"]);
  expect(visit.guest.world?.worldName).toBe("meadow");
  expect(visit.guest.phase).toBe("joined");
});

test("messages before the welcome are ignored", () => {
  const visit = new Visit();
  visit.connect();
  visit.hear(heartbeat(3), blank(1, "generated", SKY), { kind: "game", payload: Uint8Array.of(1) });
  expect(visit.games).toEqual([]);
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  visit.hear(WELCOME, blank(1, "generated", GROUND));
  expect(visit.guest.clockOf(GROUND)).toBe(0);
});

test("a welcome that requires an unknown feature ends the connection", () => {
  const visit = new Visit();
  visit.connect();
  visit.hear({ ...WELCOME, featureBits: 1n << 40n });
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_VERSION"]);
  expect(visit.isClosed).toBe(true);
  expect(visit.guest.world).toBeUndefined();
});

test("a welcome in another version ends the connection", () => {
  const visit = new Visit();
  visit.connect();
  const frame = encode(serverFrameCodec(undefined), { number: 1, messages: [WELCOME] });
  // After the frame's number and the tag.
  frame[2] = PROTOCOL_VERSION + 1;
  visit.guest.receive(frame);
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_VERSION"]);
  expect(visit.guest.world).toBeUndefined();
});

test("a welcome with an unknown optional feature is accepted", () => {
  const visit = new Visit();
  visit.connect();
  visit.hear({ ...WELCOME, featureBits: 1n << 20n });
  expect(visit.guest.phase).toBe("joined");
});

test("a client reports a goodbye and neither takes nor sends anything after it", () => {
  const visit = Visit.begun();
  visit.hear(
    { kind: "goodbye", reason: "shutdown", detail: "back soon", retryAfterMs: 500 },
    blank(1, "air", SKY),
  );
  expect(visit.goodbyes).toEqual([
    { kind: "goodbye", reason: "shutdown", detail: "back soon", retryAfterMs: 500 },
  ]);
  expect(visit.isClosed).toBe(true);
  visit.hear(blank(1, "air", SKY));
  visit.pass(5_000);
  expect(visit.guest.clockOf(SKY)).toBeUndefined();
  expect(visit.said()).toEqual([]);
  expect(visit.guest.phase).not.toBe("joined");
  expect(visit.guest.sendGame(Uint8Array.of(1))).toBe(false);
});

test("bytes that are not the protocol end the connection, and the next connection starts over", () => {
  const visit = Visit.begun();
  visit.guest.receive(Uint8Array.of(2, 99));
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_TAG"]);
  expect(visit.isClosed).toBe(true);
  visit.guest.disconnected();
  visit.connect();
  expect(visit.saidOf("hello")).toHaveLength(1);
  visit.hear(WELCOME);
  expect(visit.guest.phase).toBe("joined");
});

test("a patch before the welcome ends the connection", () => {
  const visit = new Visit();
  visit.connect();
  const patch = {
    patchSeq: 1,
    changes: [{ region: SKY, base: "air", next: 0, piece: 0, leaves: [], edits: [] }],
  } as const;
  visit.guest.receive(
    encode(serverFrameCodec(SHAPE.volume), { number: 1, messages: [{ kind: "patch", patch }] }),
  );
  expect(visit.faults.map((fault) => fault.code)).toEqual(["ORT_MESSAGE"]);
});

test("an idle client sends a frame every second, which acknowledges", () => {
  const visit = Visit.begun();
  visit.hear(heartbeat(0));
  visit.hear(heartbeat(0), blank(1, "air", SKY));
  visit.pass(500);
  expect(visit.frames).toEqual([]);
  visit.pass(500);
  expect(visit.frames).toEqual([{ acknowledged: 3, applied: 1, messages: [] }]);
});

test("a client acknowledges a large amount of received data at the next tick", () => {
  const visit = Visit.begun();
  const payload = new Uint8Array(16_384);
  for (let count = 0; count < 3; count++) visit.hear({ kind: "game", payload });
  visit.pass(50);
  expect(visit.frames).toEqual([]);
  visit.hear({ kind: "game", payload });
  visit.pass(50);
  expect(visit.frames).toEqual([{ acknowledged: 5, applied: 0, messages: [] }]);
});

test("messages wait for the next tick, or leave at once when there are many", () => {
  const visit = Visit.begun();
  const payload = new Uint8Array(16_000);
  expect(visit.guest.sendGame(payload)).toBe(true);
  visit.guest.sendGame(payload);
  expect(visit.frames).toEqual([]);
  visit.guest.sendGame(payload);
  expect(visit.frames.map(({ messages }) => messages.length)).toEqual([3]);
  visit.guest.sendGame(Uint8Array.of(5));
  visit.guest.tick();
  expect(visit.frames.map(({ messages }) => messages.length)).toEqual([3, 1]);
});

test("a client sends only the latest pose, rounded as the server will see it", () => {
  const visit = Visit.begun();
  visit.guest.move({ position: [1, 2, 3, 4], orientation: [0, 0, 0, 1] });
  visit.guest.move({ position: [5.01, 6, 7, 8], orientation: [0, 0, 0, 1] });
  visit.pass(50);
  visit.pass(50);
  expect(visit.saidOf("move")).toEqual([
    { kind: "move", position: [5.015625, 6, 7, 8], orientation: [0, 0, 0, 1] },
  ]);
});

test("a game message arrives once, however often its frame does", () => {
  const visit = Visit.begun();
  visit.hearAs(2, { kind: "game", payload: Uint8Array.of(7) });
  visit.hearAs(2, { kind: "game", payload: Uint8Array.of(7) });
  expect(visit.games).toEqual([[7]]);
});
