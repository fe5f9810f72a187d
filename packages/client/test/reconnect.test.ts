import { connectReplica } from "@orthant/client/replica";
import { cubeAt } from "@orthant/core/lattice";
import type { Goodbye, GoodbyeReason } from "@orthant/protocol";
import { codeOf, codeOfRejection, Prng } from "@orthant/testkit";
import { describe, expect, test, vi } from "vitest";
import { fakeSockets } from "./fake-socket.ts";
import { ScriptedServer, settled } from "./scripted-server.ts";

function goodbye(reason: GoodbyeReason, retryAfterMs?: number): Goodbye {
  return { kind: "goodbye", reason, detail: "because", retryAfterMs };
}

describe("a client that connects", () => {
  test("says hello, and is ready when it is welcomed", async () => {
    const server = new ScriptedServer({ name: "Ada", token: "secret" });
    await settled();
    expect(server.world.status).toBe("connecting");
    expect(codeOf(() => server.world.shape)).toBe("ORT_NOT_HELD");
    expect(server.world.voxelAt([0, 0, 0, 0])).toBeUndefined();
    await server.join();
    await server.world.ready;
    expect(server.received()).toMatchObject([
      { kind: "hello", name: "Ada", token: new TextEncoder().encode("secret"), openEditId: 1 },
    ]);
    expect(server.statuses()).toEqual(["joined"]);
    const { name, spawn, playerId, role, pose, shape } = server.world;
    expect({ name, spawn, playerId, role, pose }).toEqual({
      name: "Valley",
      spawn: [0, 4, 0, 0],
      playerId: 5n,
      role: "builder",
      pose: { position: [1, 2, 3, 4], orientation: [0, 0, 0, 1] },
    });
    expect(shape.volume).toBe(4096);
  });

  test("says what it wants as soon as it is welcomed, without waiting for a tick", async () => {
    const server = new ScriptedServer({ interest: { boxes: [cubeAt([0, 0, 0, 0], 4)] } });
    await server.join();
    expect(server.received().map(({ kind }) => kind)).toEqual(["hello", "interest"]);
  });

  test("tries several addresses in turn, beginning with any, and waits less for each", async () => {
    const urls = ["ws://a", "ws://b", "ws://c"];
    const server = new ScriptedServer({ random: () => 1n }, urls);
    await settled();
    server.socket.fail("refused");
    await server.pass(60_000);
    // The second one does not answer.
    await server.pass(5_100);
    await server.pass(60_000);
    expect(server.sockets.map(({ url }) => url).slice(0, 4)).toEqual([
      "ws://b",
      "ws://c",
      "ws://a",
      "ws://b",
    ]);
    expect(server.reports.find(([, { error }]) => error?.detail.includes("ws://c"))?.[1].error?.detail).toBe(
      "no welcome from ws://c within 5000 ms",
    );
  });

  test("throws where there is no WebSocket", () => {
    // Node 20 has none; later versions do.
    vi.stubGlobal("WebSocket", undefined);
    try {
      expect(codeOf(() => connectReplica("ws://test"))).toBe("ORT_PLATFORM");
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("refuses a name that no server accepts", () => {
    expect(
      codeOf(() => connectReplica("ws://test", { name: "é".repeat(33), socket: fakeSockets().open })),
    ).toBe("ORT_LIMIT");
  });

  test("is closed at once when the address is invalid", async () => {
    const server = new ScriptedServer({
      socket: () => {
        throw new SyntaxError("no address");
      },
    });
    expect(await codeOfRejection(server.world.ready)).toBe("ORT_ARGUMENT");
    expect(server.statuses()).toEqual(["closed"]);
  });
});

describe("a client that lost its connection", () => {
  test("waits longer each time, at random up to a limit that grows to 5 s", async () => {
    const server = new ScriptedServer();
    await settled();
    const waits: unknown[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      server.socket.fail("refused");
      const last = server.reports.at(-1);
      expect(last?.[0]).toBe("waiting");
      expect(last?.[1].error?.message).toBe("ORT_DISCONNECTED: refused");
      waits.push(last?.[1].retryInMs);
      await server.pass((last?.[1].retryInMs ?? 0) - 1);
      expect(server.sockets.length).toBe(attempt + 1);
      await server.pass(1);
      expect(server.sockets.length).toBe(attempt + 2);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 2500, 2500, 2500, 2500, 2500]);
  });

  test("spreads its attempts over the whole wait", async () => {
    const prng = new Prng(1);
    const waits: number[] = [];
    for (let client = 0; client < 200; client++) {
      const server = new ScriptedServer({ random: () => (BigInt(prng.u32()) << 32n) | BigInt(prng.u32()) });
      await settled();
      server.socket.lose();
      waits.push(server.reports.at(-1)?.[1].retryInMs ?? -1);
    }
    const quarters = [0, 1, 2, 3].map(
      (quarter) => waits.filter((ms) => Math.floor(ms / 125) === quarter).length,
    );
    expect(quarters.reduce((sum, count) => sum + count)).toBe(200);
    for (const count of quarters) expect(count).toBeGreaterThan(25);
  });

  test("returns to short waits only after a connection that lasted", async () => {
    const server = new ScriptedServer();
    const waitAfter = async (joinedMs: number): Promise<number> => {
      await server.join();
      for (let ms = 0; ms < joinedMs; ms += 1000) {
        await server.pass(1000);
        server.say({ kind: "heartbeat", interestId: 0, complete: false, sent: 0 });
      }
      server.socket.lose();
      const retryInMs = server.reports.at(-1)?.[1].retryInMs ?? -1;
      await server.pass(retryInMs);
      return retryInMs;
    };
    expect([await waitAfter(0), await waitAfter(0), await waitAfter(5000)]).toEqual([250, 500, 1000]);
    expect([await waitAfter(10_000), await waitAfter(0)]).toEqual([250, 500]);
  });

  test("waits at least as long as the server asks for, but at most ten minutes", async () => {
    const server = new ScriptedServer();
    await server.join();
    server.say(goodbye("shutdown", 7000));
    expect(server.reports.at(-1)).toMatchObject([
      "waiting",
      { retryInMs: 7250, goodbye: { reason: "shutdown" } },
    ]);
    expect(server.socket.isClosed).toBe(true);
    await server.pass(7250);
    await server.join();
    server.say(goodbye("shutdown", 1e12));
    expect(server.reports.at(-1)?.[1].retryInMs).toBe(600_500);
  });

  test("ignores events of a socket that it has given up", async () => {
    const server = new ScriptedServer();
    await server.join();
    const old = server.socket;
    server.say(goodbye("idle", 0));
    old.lose();
    old.receiveText("still here");
    await server.pass(250);
    await server.join();
    old.lose();
    expect(server.world.status).toBe("joined");
    expect(server.sockets.length).toBe(2);
  });

  test("gives up a server that does not welcome it within 15 s, or that is silent for 6 s", async () => {
    const server = new ScriptedServer();
    await settled();
    await server.pass(15_000);
    expect(server.world.status).toBe("connecting");
    await server.pass(50);
    expect(server.reports.at(-1)?.[1].error?.message).toContain("no welcome from ws://test within 15000 ms");
    await server.pass(250);
    await server.join();
    await server.pass(6_000);
    expect(server.world.status).toBe("joined");
    await server.pass(50);
    expect(server.reports.at(-1)?.[1].error?.message).toContain("said nothing for 6000 ms");
  });

  test("listens again after its own sleep before it treats the server as silent", async () => {
    const server = new ScriptedServer();
    await server.join();
    server.time.sleep(60_000);
    await server.pass(2_000);
    expect(server.world.status).toBe("joined");
    await server.pass(100);
    expect(server.world.status).toBe("waiting");
  });

  test("drops a connection that delivers text or nonsense, and tries again", async () => {
    const server = new ScriptedServer();
    await server.join();
    server.socket.receiveText("hello");
    expect(server.world.status).toBe("waiting");
    await server.pass(250);
    await server.join();
    server.socket.receive(new Uint8Array([2, 250, 250]));
    expect(server.world.status).toBe("waiting");
    expect(server.reports.at(-1)?.[1].goodbye).toBeUndefined();
    await server.pass(500);
    expect(server.sockets.length).toBe(3);
  });
});

describe("a goodbye with reason", () => {
  test.each<[GoodbyeReason, string, string]>([
    ["version", "ORT_VERSION", "update this program or the server"],
    ["features", "ORT_VERSION", "update the older one"],
    ["replaced", "ORT_CLOSED", "joined again elsewhere"],
    ["kicked", "ORT_CLOSED", "did not let this player join"],
    ["credentials", "ORT_CREDENTIALS", "connect with a fresh token"],
    ["malformed", "ORT_CLOSED", "ended the connection for good: malformed"],
  ])("%s closes the client with an error that says what to do", async (reason, code, advice) => {
    const server = new ScriptedServer({ token: "old" });
    await settled();
    server.socket.open();
    server.say(goodbye(reason));
    expect(server.reports.at(-1)).toMatchObject(["closed", { goodbye: { reason }, error: { code } }]);
    expect(server.reports.at(-1)?.[1].error?.message).toContain(advice);
    expect(server.reports.at(-1)?.[1].error?.message).toMatch(/[(:] ?because/);
    expect(await codeOfRejection(server.world.ready)).toBe(code);
    await server.pass(60_000);
    expect(server.sockets.length).toBe(1);
  });

  test.each<GoodbyeReason>(["limit", "idle", "slow", "shutdown", "failure"])(
    "%s and a retry time makes the client reconnect",
    async (reason) => {
      const server = new ScriptedServer();
      await server.join();
      server.say(goodbye(reason, 0));
      expect(server.world.status).toBe("waiting");
      await server.pass(250);
      expect(server.sockets.length).toBe(2);
    },
  );
});

describe("text that terminals interpret", () => {
  test("[N35] is refused as a player's name before anything is sent", () => {
    const options = { name: "Ada\u202e", socket: (): never => expect.fail("must not connect") };
    expect(codeOf(() => connectReplica("ws://127.0.0.1:1", options))).toBe("ORT_ARGUMENT");
  });

  test("is escaped in the error that says why the server ended the connection", async () => {
    const server = new ScriptedServer();
    await server.join();
    server.say({ ...goodbye("kicked"), detail: "\u001b[2Jenough" });
    expect(server.reports.at(-1)?.[1].error?.message).toContain("player: \\u001b[2Jenough");
  });
});

describe("the token", () => {
  test("is requested before each connection", async () => {
    let count = 0;
    const server = new ScriptedServer({ token: async () => `token ${++count}` });
    await server.join();
    server.socket.lose();
    await server.pass(250);
    await server.join();
    expect(server.received()).toMatchObject([{ token: new TextEncoder().encode("token 2") }]);
  });

  test("is tried again when it is fresh, at most three times", async () => {
    let count = 0;
    const server = new ScriptedServer({ token: () => new Uint8Array([++count]) });
    for (let attempt = 1; attempt <= 3; attempt++) {
      await settled();
      expect(server.sockets.length).toBe(attempt);
      server.socket.open();
      server.say(goodbye("credentials"));
      await server.pass(1000);
    }
    expect(server.sockets.length).toBe(3);
    expect(await codeOfRejection(server.world.ready)).toBe("ORT_CREDENTIALS");
  });

  test("is not sent a second time after it was refused", async () => {
    const server = new ScriptedServer({ token: () => "same" });
    await settled();
    server.socket.open();
    server.say(goodbye("credentials"));
    expect(server.world.status).toBe("waiting");
    await server.pass(1000);
    expect(server.sockets.length).toBe(1);
    expect(await codeOfRejection(server.world.ready)).toBe("ORT_CREDENTIALS");
  });

  test("the token that expires during play is replaced at once, without the wait after a lost connection", async () => {
    let count = 0;
    const server = new ScriptedServer({ token: async () => `token ${++count}` });
    await server.join();
    for (let passedMs = 0; passedMs < 10_000; passedMs += 5_000) {
      await server.pass(5_000);
      server.say({ kind: "heartbeat", interestId: 0, complete: false, sent: 0 });
    }
    server.say(goodbye("credentials"));
    expect(server.reports.at(-1)).toMatchObject(["waiting", { retryInMs: 0 }]);
    await server.pass(1);
    expect(server.sockets.length).toBe(2);
    await server.join();
    expect(server.received()).toMatchObject([{ kind: "hello", token: new TextEncoder().encode("token 2") }]);
    expect(server.world.status).toBe("joined");
  });

  test("may fail to arrive, and is requested again later", async () => {
    let isAway = true;
    const server = new ScriptedServer({
      token: async () => {
        if (isAway) throw new Error("the token office is closed");
        return "token";
      },
    });
    await settled();
    expect(server.reports.at(-1)?.[1].error?.message).toContain("the token office is closed");
    isAway = false;
    await server.pass(250);
    await server.join();
    expect(server.world.status).toBe("joined");
  });
});

describe("a client that is closed", () => {
  test("refuses everything and opens no more sockets", async () => {
    const server = new ScriptedServer({ interest: { center: [0, 0, 0, 0], radiusChunks: 1 } });
    await server.join();
    const waiting = server.world.get([0, 0, 0, 0]);
    const edit = server.world.setVoxel([0, 0, 0, 0], 3);
    const complete = server.world.complete();
    const closing = server.world.close();
    expect(await codeOfRejection(waiting)).toBe("ORT_CLOSED");
    expect(await codeOfRejection(edit)).toBe("ORT_CLOSED");
    expect(await codeOfRejection(complete)).toBe("ORT_CLOSED");
    await closing;
    await server.world.close();
    expect(server.statuses()).toEqual(["joined", "closed"]);
    expect(server.socket.isClosed).toBe(true);
    expect(await codeOfRejection(server.world.setVoxel([0, 0, 0, 0], 3))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(server.world.get([0, 0, 0, 0]))).toBe("ORT_CLOSED");
    expect(await codeOfRejection(server.world.complete())).toBe("ORT_CLOSED");
    expect(codeOf(() => server.world.move({ position: [0, 0, 0, 0], orientation: [0, 0, 0, 1] }))).toBe(
      "ORT_CLOSED",
    );
    expect(codeOf(() => server.world.send(new Uint8Array(1)))).toBe("ORT_CLOSED");
    await server.pass(60_000);
    expect(server.sockets.length).toBe(1);
  });

  test("may be closed before it has started, while it waits, and by its own listeners", async () => {
    const early = new ScriptedServer();
    await early.world.close();
    await settled();
    expect(early.sockets.length).toBe(0);
    expect(await codeOfRejection(early.world.ready)).toBe("ORT_CLOSED");

    const waiting = new ScriptedServer();
    await settled();
    waiting.socket.lose();
    await waiting.world.close();
    await waiting.pass(60_000);
    expect(waiting.sockets.length).toBe(1);

    const inside = new ScriptedServer();
    inside.world.onMessage(() => void inside.world.close());
    await inside.join();
    inside.say({ kind: "game", payload: new Uint8Array([0, 1]) });
    expect(inside.world.status).toBe("closed");
    expect(inside.socket.isClosed).toBe(true);
  });
});
