import { encode } from "@orthant/core/bytes";
import {
  type ClientMessage,
  clientFrameCodec,
  GAME_BYTES_MAX,
  type ServerMessage,
} from "@orthant/protocol/internal";
import type { SyncLimits } from "@orthant/protocol/server";
import { codeOf, fromHex, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxesOf, type SampleClient, Stage, settle } from "./sample-session.ts";

const GAME: ClientMessage = { kind: "game", payload: new Uint8Array(100) };

/** Repeats an action of a client until it is disconnected, at most a hundred times. */
async function persist(
  limits: Partial<SyncLimits>,
  act: (client: SampleClient, turn: number) => void,
): Promise<{
  readonly last: ServerMessage | undefined;
  readonly goodbyes: readonly unknown[];
  readonly turns: number;
}> {
  const goodbyes: unknown[] = [];
  const stage = new Stage({ limits, events: { onGoodbye: (...reported) => goodbyes.push(reported) } });
  const client = await stage.join();
  let turns = 0;
  while (turns < 100 && !client.isClosed) act(client, turns++);
  return { last: client.take().at(-1), goodbyes, turns };
}

describe("a client that exceeds", () => {
  test.each<
    [limit: keyof SyncLimits, value: Partial<SyncLimits>, turns: number, message: readonly ClientMessage[]]
  >([
    // The hello takes one frame and about 50 bytes.
    ["framesPerSecond", { framesPerSecond: 5, framesBurst: 5 }, 5, []],
    ["bytesPerSecond", { bytesPerSecond: 600, bytesBurst: 600 }, 6, [GAME]],
    ["frameBytesMax", { frameBytesMax: 90 }, 1, [GAME]],
    ["gameMessagesPerSecond", { gameMessagesPerSecond: 3 }, 4, [GAME]],
    [
      "interestsPerSecond",
      { interestsPerSecond: 3 },
      4,
      [
        {
          kind: "interest",
          interestId: 1,
          center: [0, 0, 0, 0],
          motion: [0, 0, 0, 0],
          boxes: [],
          held: [],
          heldBlank: [],
        },
      ],
    ],
  ])("%s gets a goodbye that names it", async (limit, limits, turns, messages) => {
    const reported = await persist(limits, (client) => client.send(...messages));
    expect(reported.turns).toBe(turns);
    expect(reported.last).toMatchObject({ kind: "goodbye", reason: "limit", retryAfterMs: 5_000 });
    expect(reported.last).toMatchObject({ detail: expect.stringContaining(limit) });
    expect(reported.goodbyes).toEqual([["limit", limit]]);
  });

  test("bytesBeforeWelcome gets a goodbye that names it", async () => {
    const stage = new Stage({
      limits: { bytesBeforeWelcome: 100 },
      authorize: () => new Promise(() => undefined),
    });
    const client = stage.connect();
    client.hello();
    expect(client.isClosed).toBe(false);
    client.hello();
    expect(client.take()).toMatchObject([{ reason: "limit", detail: "bytesBeforeWelcome is 100" }]);
  });

  test("handshakeMs without sending anything useful gets a goodbye that names it", async () => {
    const stage = new Stage();
    const client = stage.connect();
    for (let index = 0; index < 99; index++) {
      client.send();
      await stage.tick();
    }
    expect(client.isClosed).toBe(false);
    await stage.tick();
    expect(client.take()).toMatchObject([{ reason: "limit", detail: "handshakeMs is 10000" }]);
  });

  test("handshakeMs only because the world looks up the player stays connected", async () => {
    const stage = new Stage();
    stage.world.loadPlayer = () => new Promise(() => undefined);
    const client = stage.connect();
    client.hello();
    for (let index = 0; index < 150; index++) {
      client.send();
      await stage.tick();
    }
    expect(client.isClosed).toBe(false);
  });

  test("idleMs by sending nothing at all gets a goodbye that names it", async () => {
    const goodbyes: unknown[] = [];
    const stage = new Stage({ events: { onGoodbye: (...reported) => goodbyes.push(reported) } });
    const client = await stage.join();
    for (let index = 0; index < 148; index++) await stage.tick();
    expect(client.isClosed).toBe(false);
    await stage.tick();
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "idle", detail: "idleMs is 15000" }]);
    expect(goodbyes).toEqual([["idle", "idleMs"]]);
  });

  test("idleMs or handshakeMs only because the server was paused stays connected", async () => {
    const stage = new Stage();
    const joined = await stage.join();
    const joining = stage.connect();
    await stage.tick(60_000);
    expect([joined.isClosed, joining.isClosed]).toEqual([false, false]);
    for (let index = 0; index < 149; index++) await stage.tick();
    expect([joined.isClosed, joining.isClosed]).toEqual([true, true]);
  });

  test("framesPerSecond only with what it sent while the server was paused stays connected", async () => {
    const stage = new Stage({ limits: { framesPerSecond: 5, framesBurst: 5 } });
    const client = await stage.join();
    await stage.tick(20_000);
    for (let index = 0; index < 100; index++) client.send();
    expect(client.isClosed).toBe(false);
    for (let index = 0; index < 10; index++) client.send();
    expect(client.take().at(-1)).toMatchObject({ reason: "limit", detail: "framesPerSecond is 5" });
  });

  test("no rate on average stays connected, because budgets refill", async () => {
    const stage = new Stage({ limits: { gameMessagesPerSecond: 2 } });
    const client = await stage.join();
    for (let second = 0; second < 5; second++) {
      client.send(GAME, GAME);
      await stage.tick(1_000);
    }
    expect(client.isClosed).toBe(false);
  });
});

describe("hostile frames", () => {
  test.each([
    ["nothing", ""],
    ["an unknown message", "0000 63"],
    ["half a varint", "80"],
    ["a frame that was never sent", "05 00"],
    ["a stream number that was never sent", "00 05"],
    ["an edit of no voxels", "0000 02 01 00"],
  ])("hostile frames of %s end the connection of a joined client", async (_name, hex) => {
    const client = await new Stage().join();
    client.session.receive(fromHex(hex));
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "malformed", retryAfterMs: undefined }]);
    expect(client.isClosed).toBe(true);
  });

  test("never throw and never affect others", async () => {
    const prng = new Prng(20_261_115);
    const stage = new Stage();
    const good = await stage.joinAt(boxesOf([0, 0, 0, 0]), { clientId: 77n });
    const messages: readonly ClientMessage[] = [
      { kind: "move", timeMs: 5, position: [1, 2, 3, 4], orientation: [0, 0, 0, 1] },
      { kind: "voxels", editId: 1, placements: [{ voxel: [1, 2, 0, 0], block: 3 }] },
      { kind: "resync", expected: 1, regions: [{ region: [0, 0, 0, 0], clock: 0 }] },
      { kind: "entitiesLost" },
      GAME,
      {
        kind: "interest",
        interestId: 1,
        center: [0, 0, 0, 0],
        motion: [0, 0, 0, 0],
        boxes: boxesOf([0, 0, 0, 0], [1, 0, 0, 0]),
        held: [],
        heldBlank: [],
      },
    ];
    const seed = encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages });
    let client = await stage.join();
    for (let round = 0; round < 1_500; round++) {
      const frame = seed.slice(0, prng.chance(0.2) ? prng.below(seed.length + 1) : seed.length);
      for (let flips = prng.below(4); flips >= 0; flips--) {
        if (frame.length > 0) frame[prng.below(frame.length)] = prng.below(256);
      }
      client.session.receive(frame);
      if (prng.chance(0.1)) await stage.tick();
      if (client.isClosed) {
        client = stage.connect();
        if (prng.chance(0.7)) client.hello();
        await settle();
      }
      good.send();
      stage.time.advance(20);
    }
    stage.world.change([{ voxel: [1, 1, 0, 0], block: 9 }]);
    await stage.tick();
    expect(good.isClosed).toBe(false);
    expect(good.agrees([0, 0, 0, 0])).toBe(true);
    expect(stage.sync.sessionCount).toBe(2);
  });
});

describe("game messages", () => {
  test("go both ways", async () => {
    const received: unknown[] = [];
    const stage = new Stage({
      rules: { onMessage: ({ player: { name }, payload }) => received.push([name, payload]) },
    });
    const client = await stage.join();
    client.take();
    client.send({ kind: "game", payload: new Uint8Array([1, 2]) });
    expect(received).toEqual([["Ada", new Uint8Array([1, 2])]]);
    expect(stage.sync.send(1_001n, new Uint8Array([3]))).toBe("sent");
    expect(stage.sync.send(5n, new Uint8Array([4]))).toBe("offline");
    expect(stage.sync.broadcast(new Uint8Array([5]))).toBe(1);
    await stage.tick();
    expect(client.take()).toEqual([
      { kind: "game", payload: new Uint8Array([3]) },
      { kind: "game", payload: new Uint8Array([5]) },
    ]);
  });

  test("wait for a client that does not acknowledge, up to a limit", async () => {
    const stage = new Stage({ limits: { inFlightBytesMax: 1 } });
    const client = await stage.join();
    client.take();
    const payload = new Uint8Array(GAME_BYTES_MAX);
    const taken = Array.from({ length: 20 }, () => stage.sync.send(1_001n, payload));
    expect(taken.filter((result) => result === "sent").length).toBe(15);
    expect(taken.at(-1)).toBe("full");
    await stage.tick();
    expect(client.take()).toEqual([]);
    client.send();
    await stage.tick();
    expect(client.takeAll("game").length).toBe(15);
  });

  test("have a maximum length", async () => {
    const stage = new Stage();
    expect(codeOf(() => stage.sync.broadcast(new Uint8Array(GAME_BYTES_MAX + 1)))).toBe("ORT_LIMIT");
  });

  test("game messages that make the game throw end that connection and no other", async () => {
    const onMessage = (): never => {
      throw new TypeError("a bug in a game");
    };
    const stage = new Stage({ rules: { onMessage } });
    const [bad, good] = [await stage.join({ clientId: 1n }), await stage.join({ clientId: 2n })];
    bad.send(GAME);
    const [goodbye] = bad.takeAll("goodbye");
    expect(goodbye?.reason).toBe("failure");
    expect(goodbye?.detail).not.toContain("bug");
    expect(good.isClosed).toBe(false);
  });
});

test("a name that is too long is cut between characters", async () => {
  const name = `${"x".repeat(63)}\u00e4`;
  const stage = new Stage({ authorize: async () => ({ playerId: 1n, role: "builder", name }) });
  await stage.join();
  expect(stage.sync.players.map((player) => player.name)).toEqual(["x".repeat(63)]);
});

test("each tick is reported", async () => {
  const reports: unknown[] = [];
  const stage = new Stage({ events: { onTick: (report) => reports.push(report) } });
  const client = await stage.joinAt(boxesOf([0, 0, 0, 0]));
  client.send();
  reports.length = 0;
  stage.world.change([{ voxel: [1, 1, 0, 0], block: 9 }]);
  await stage.tick();
  await stage.tick();
  expect(reports).toEqual([
    { frames: 1, bytes: expect.any(Number), patches: 1, heldBack: 0, workMs: 0, isWorkCut: false },
    { frames: 0, bytes: 0, patches: 0, heldBack: 0, workMs: 0, isWorkCut: false },
  ]);
});
