import { GeneratorRegistry, OrthantError } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogHash } from "@orthant/core/chunk";
import { flatGenerator } from "@orthant/core/generate";
import type { Hello } from "@orthant/protocol";
import { clientFrameCodec, PROTOCOL_VERSION } from "@orthant/protocol/internal";
import { DEFAULT_SYNC_LIMITS } from "@orthant/protocol/server";
import { fromHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { Stage, settle, TICK_MS } from "./sample-session.ts";

const EPOCH_2 = { number: 2, id: 22n };

describe("a hello", () => {
  test("is answered with everything a client needs to know about the world", async () => {
    const stage = new Stage();
    stage.world.kept.set(1_001n, { position: [1.5, 2, 0, 0], orientation: [0, 0, 1, 0] });
    const client = await stage.join();
    const { world } = stage;
    expect(client.takeAll("welcome")).toEqual([
      {
        kind: "welcome",
        version: PROTOCOL_VERSION,
        featureBits: 21n,
        worldId: world.worldId,
        epoch: world.epoch,
        worldName: "Sample",
        shape: world.shape,
        generators: world.state.generatorMap,
        blocksHash: blockCatalogHash(world.catalog),
        catalog: world.catalog,
        spawn: [4, 4, 0, 0],
        playerId: 1_001n,
        role: "builder",
        resumed: false,
        tickMs: TICK_MS,
        precision: { positionSteps: 64, orientationSteps: 40 },
        limits: expect.objectContaining({
          editsPerSecond: DEFAULT_SYNC_LIMITS.editsPerSecond,
          editVoxelsMax: DEFAULT_SYNC_LIMITS.editVoxelsMax,
        }),
        position: [1.5, 2, 0, 0],
        orientation: [0, 0, 1, 0],
      },
    ]);
    expect(client.frames[0]?.number).toBe(1);
    expect(stage.sync.players.map(({ name }) => name)).toEqual(["Ada"]);
  });

  test("is answered at once, without waiting for a tick", async () => {
    const client = new Stage().connect();
    client.hello();
    await settle();
    expect(client.takeAll("welcome")).toHaveLength(1);
  });

  test("names the limits on voxels that the rules of the game have", async () => {
    const limits = { ruleVoxelsMax: 100 };
    const free = await new Stage({ limits }).join();
    const ruled = await new Stage({ limits, rules: { afterEdit: () => undefined } }).join();
    const named = [free, ruled].map((client) => client.takeAll("welcome")[0]?.limits);
    expect(named.map((each) => [each?.editVoxelsMax, each?.copyVoxelsMax])).toEqual([
      [4_096, 65_536],
      [100, 100],
    ]);
  });

  test("puts a new player at the spawn", async () => {
    const client = await new Stage().join();
    expect(client.takeAll("welcome")[0]).toMatchObject({ position: [4, 4, 0, 0], orientation: [0, 0, 0, 1] });
  });

  test("[N40] starts players in the world, whatever an older save says", async () => {
    const stage = new Stage();
    Object.defineProperty(stage.world, "spawn", { value: [4, 4, 9, -1] });
    stage.world.kept.set(1_001n, { position: [1, 2, 3, 4], orientation: [0, 0, 0, 1] });
    const client = await stage.join();
    expect(client.takeAll("welcome")).toMatchObject([{ spawn: [4, 4, 0, 0], position: [4, 4, 0, 0] }]);
  });

  test("corrects an invalid stored pose", async () => {
    const stage = new Stage();
    stage.world.kept.set(1_001n, { position: [1, 2, 0, 0], orientation: [9, Number.NaN, -9, 0.5] });
    stage.world.kept.set(1_002n, { position: [Number.NaN, 0, 0, 0], orientation: [0, 0, 0, 1] });
    const ada = await stage.join({ clientId: 1n });
    const bo = await stage.join({ clientId: 2n });
    expect(ada.takeAll("welcome")[0]).toMatchObject({ orientation: [1, 0, -1, 64 / 127] });
    expect(bo.takeAll("welcome")[0]).toMatchObject({ position: [4, 4, 0, 0] });
  });

  test("a hello of another version is refused for that reason, whatever else it says", async () => {
    const stage = new Stage();
    const client = stage.connect();
    // acknowledged 0, applied 0, tag 0, "ORTH", version 9, and then something that no version knows
    client.session.receive(fromHex("0000 00 4f525448 09 ffffff"));
    const detail = `this server speaks version ${PROTOCOL_VERSION}, not 9`;
    expect(client.take()).toEqual([{ kind: "goodbye", reason: "version", detail, retryAfterMs: undefined }]);
    expect(client.isClosed).toBe(true);
    expect(stage.sync.sessionCount).toBe(0);
  });

  test("a hello that requires an unknown feature is refused for that reason", async () => {
    const client = new Stage().connect();
    client.hello({ featureBits: 1n << 40n });
    expect(client.take()).toMatchObject([{ kind: "goodbye", reason: "features" }]);
  });

  test.each([
    [31, 0x8000_0000n, "welcome"],
    [32, 0x1_0000_0000n, "goodbye"],
    [63, 0x8000_0000_0000_0000n, "goodbye"],
  ] as const)(
    "a hello with only the unknown feature bit %i gets an answer by its half",
    async (_bit, featureBits, kind) => {
      const client = await new Stage().join({ featureBits });
      expect(client.take()[0]).toMatchObject(
        kind === "welcome" ? { kind, featureBits: 0n } : { kind, reason: "features" },
      );
    },
  );

  test("agrees on the features that both sides know", async () => {
    const client = await new Stage().join({ featureBits: 0b1010n });
    expect(client.takeAll("welcome")[0]?.featureBits).toBe(0n);
  });

  test("a hello without valid credentials is refused with the reason", async () => {
    const authorize = async (): Promise<never> => {
      throw new OrthantError("ORT_ARGUMENT", "the token has expired");
    };
    const client = await new Stage({ authorize }).join();
    const detail = "the token has expired";
    expect(client.take()).toMatchObject([{ kind: "goodbye", reason: "credentials", detail }]);
  });

  test("does not reveal internal errors to an unauthorized client", async () => {
    const authorize = async (): Promise<never> => {
      throw new TypeError("no such table: secrets");
    };
    const [goodbye] = (await new Stage({ authorize }).join()).takeAll("goodbye");
    expect(goodbye?.reason).toBe("credentials");
    expect(goodbye?.detail).not.toContain("secrets");
  });

  test("a hello that is repeated is welcomed again, and nothing restarts", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.hello();
    client.hello();
    await stage.tick();
    expect(client.takeAll("welcome").length).toBe(2);
    expect(client.frames.map(({ number }) => number)).toEqual([1, 2]);
    expect(stage.sync.players.length).toBe(1);
  });

  test("a hello that is repeated before the welcome is authorized once", async () => {
    let asked = 0;
    const authorize = async (hello: Hello) => {
      asked++;
      return { playerId: hello.clientId, role: "builder", name: hello.name } as const;
    };
    const stage = new Stage({ authorize });
    const client = stage.connect();
    client.hello();
    client.hello();
    await settle();
    await stage.tick();
    expect(asked).toBe(1);
    expect(client.takeAll("welcome").length).toBe(1);
  });

  test("a hello with another client id on the same connection ends it", async () => {
    const client = await new Stage().join();
    client.hello({ clientId: 2n });
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "malformed" }]);
  });

  test("must come first", async () => {
    const client = new Stage().connect();
    client.send({ kind: "entitiesLost" });
    expect(client.take()).toMatchObject([{ kind: "goodbye", reason: "malformed" }]);
  });

  test("may follow empty frames", async () => {
    const stage = new Stage();
    const client = stage.connect();
    client.send();
    client.hello();
    await settle();
    await stage.tick();
    expect(client.takeAll("welcome").length).toBe(1);
  });
});

describe("a client that reconnects", () => {
  test("replaces its earlier connection and keeps the player's position", async () => {
    const left: bigint[] = [];
    const stage = new Stage({ rules: { onLeave: ({ player }) => left.push(player.playerId) } });
    const first = await stage.join();
    first.send({ kind: "move", timeMs: 5, position: [9, 8, 0, 0], orientation: [0, 0, 0, 1] });
    await stage.tick();
    const second = await stage.join();
    expect(first.takeAll("goodbye")).toMatchObject([{ reason: "replaced", retryAfterMs: undefined }]);
    expect(first.isClosed).toBe(true);
    expect(second.takeAll("welcome")).toMatchObject([{ position: [9, 8, 0, 0] }]);
    expect(stage.sync.sessionCount).toBe(1);
    expect(left).toEqual([1_001n]);
  });

  test("as another player is refused, and the first connection remains", async () => {
    let playerId = 7n;
    const stage = new Stage({ authorize: async ({ name }) => ({ playerId, role: "builder", name }) });
    const first = await stage.join();
    playerId = 8n;
    const second = await stage.join();
    expect(second.take()).toMatchObject([{ kind: "goodbye", reason: "credentials" }]);
    expect(first.isClosed).toBe(false);
    expect(stage.sync.players.map((player) => player.playerId)).toEqual([7n]);
  });

  test.each([
    ["the same world and an epoch that it knows", 0x0123_4567n, EPOCH_2, true],
    ["another world", 1n, EPOCH_2, false],
    ["an epoch that it knows under another id", 0x0123_4567n, { number: 2, id: 23n }, false],
  ])(
    "a client that kept regions resumes only with the same world and epoch: %s",
    async (_name, worldId, epoch, resumed) => {
      const client = await new Stage().join({ kept: { worldId, epoch } });
      expect(client.takeAll("welcome")[0]?.resumed).toBe(resumed);
    },
  );
});

describe("the end", () => {
  test("the end of a server is announced to all clients, with the time to reconnect", async () => {
    const stage = new Stage();
    const clients = [await stage.join({ clientId: 1n }), stage.connect()];
    await stage.sync.shutdown("a new version", 3_000);
    const late = stage.connect();
    for (const client of [...clients, late]) {
      const goodbye = { kind: "goodbye", reason: "shutdown", detail: "a new version", retryAfterMs: 3_000 };
      expect(client.take().at(-1)).toEqual(goodbye);
      expect(client.isClosed).toBe(true);
    }
    expect(stage.sync.sessionCount).toBe(0);
    expect(stage.world.listenerCount).toBe(0);
  });

  test("the end of a player's session can be requested by the game", async () => {
    const stage = new Stage();
    const client = await stage.join();
    expect(stage.sync.kick(5n, "not here")).toBe(false);
    expect(stage.sync.kick(1_001n, "rude")).toBe(true);
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "kicked", detail: "rude" }]);
  });

  test("the end of a connection leaves nothing behind", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.session.disconnected();
    client.session.disconnected();
    client.session.receive(encode(clientFrameCodec, { acknowledged: 0, applied: 0, messages: [] }));
    expect(stage.sync.sessionCount).toBe(0);
    expect(stage.sync.players).toEqual([]);
  });
});

test("different generators switch to concrete mode instead of failing the handshake", async () => {
  const { versionHashes: generators } = new GeneratorRegistry([flatGenerator]);
  const client = await new Stage().join({ generators });
  expect(client.takeAll("welcome").length).toBe(1);
});

describe("an invalid account", () => {
  const revoked = { reason: "kicked", detail: "no" } as const;

  test("is refused at the join, even if it was revoked while the world looked up the player", async () => {
    const stage = new Stage({ checkAccount: ({ playerId }) => (playerId === 1_002n ? revoked : undefined) });
    const [ada, bo] = [await stage.join({ clientId: 1n }), await stage.join({ clientId: 2n })];
    expect(ada.takeAll("welcome").length).toBe(1);
    expect(bo.take()).toMatchObject([{ kind: "goodbye", ...revoked }]);
    expect(stage.sync.players.map(({ playerId }) => playerId)).toEqual([1_001n]);
  });

  test("loses its connections within a second, or at once when the server is asked to check", async () => {
    const invalid = new Set<bigint>();
    const stage = new Stage({
      checkAccount: ({ playerId }) => (invalid.has(playerId) ? revoked : undefined),
    });
    const clients = await Promise.all([1n, 2n, 3n].map((clientId) => stage.join({ clientId })));
    invalid.add(1_001n);
    // The stage has a tick every 100 ms.
    for (let tick = 0; tick < 10; tick++) await stage.tick();
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, false, false]);
    invalid.add(1_002n);
    stage.sync.checkAccounts();
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, true, false]);
    expect(stage.sync.players.map(({ playerId }) => playerId)).toEqual([1_003n]);
  });
});

describe("a name that terminals, logs or pages would interpret", () => {
  const detail = expect.stringContaining("the name has the character U+001B, which is not shown");

  test("[N35] a hello whose name terminals, logs or pages would interpret is refused, and the player learns which character is the reason", async () => {
    const stage = new Stage();
    const client = await stage.join({ name: "Ada\u001b[2J" });
    expect(client.take()).toMatchObject([{ kind: "goodbye", reason: "malformed", detail }]);
    expect(stage.sync.players).toEqual([]);
  });

  test("[N35] an account whose name terminals, logs or pages would interpret is refused in the same way, wherever it comes from", async () => {
    const authorize = async () => ({ playerId: 1n, role: "builder", name: "Ada\u001b[2J" }) as const;
    const client = await new Stage({ authorize }).join({ name: "Ada" });
    expect(client.take()).toMatchObject([{ kind: "goodbye", reason: "malformed", detail }]);
  });
});
