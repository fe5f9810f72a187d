import type { Box, Position, Vector } from "@orthant/core";
import { boxContainsBox, regionBox } from "@orthant/core/lattice";
import type { VisibleEntity } from "@orthant/protocol";
import type { RemotePlayerEvent, SyncServerOptions } from "@orthant/protocol/server";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { accountOf, boxesOf, type SampleClient, Stage, settle } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

/** Regions are 128 tiles wide. */
const A: Position = [0, 0, 0, 0];
const B: Position = [1, 0, 0, 0];
const C: Position = [2, 0, 0, 0];
const FORWARD: Vector = [0, 0, 0, 1];

function at(x: number): {
  readonly kind: "move";
  readonly timeMs: number;
  readonly position: Vector;
  readonly orientation: Vector;
} {
  return { kind: "move", timeMs: 5, position: [x, 5, 0, 0], orientation: FORWARD };
}

function sheep(id: bigint, x: number): VisibleEntity {
  return {
    id,
    entityClass: 2,
    kind: 3,
    scale: 1,
    block: 4,
    name: "",
    position: [x, 0, 0, 0],
    orientation: FORWARD,
    tags: [],
    data: new Uint8Array(0),
  };
}

/** Returns which entities left, entered and moved, and by how many voxels. */
function happenings(client: SampleClient): readonly unknown[] {
  return client.take().flatMap((message): readonly unknown[] => {
    if (message.kind === "entities") {
      const { left, entered } = message;
      return [
        ...left.map((number) => ["left", number]),
        ...entered.map(({ number, position }) => ["entered", number, position[0]]),
      ];
    }
    if (message.kind !== "moves") return [];
    const verb = message.absolute === 0xff ? "is at" : "moved";
    return message.moves.map(({ number, steps }) => [verb, number, steps[0] / 64]);
  });
}

/** Returns the number, the tags and the length of the data of each entity whose details were sent. */
function detailsIn(client: SampleClient): readonly unknown[] {
  return client
    .takeAll("entityDetails")
    .flatMap(({ details }) => details.map(({ number, tags, data }) => [number, tags, data.length]));
}

/** Ada sees A and B; Bo sees C. */
async function two(stage: Stage): Promise<readonly [ada: SampleClient, bo: SampleClient]> {
  const ada = await stage.joinAt(boxesOf(A, B), { clientId: 1n, name: "Ada" });
  const bo = await stage.joinAt(boxesOf(C), { clientId: 2n, name: "Bo" });
  await stage.tick();
  ada.take();
  bo.take();
  return [ada, bo];
}

describe("players", () => {
  test("see all present players when they arrive, themselves included", async () => {
    const stage = new Stage();
    await stage.join({ clientId: 1n, name: "Ada" });
    const bo = await stage.joinAt(boxesOf(A), { clientId: 2n, name: "Bo" });
    const [all] = bo.takeAll("allEntities");
    expect(all?.entities).toEqual([
      {
        number: 1,
        isPlayer: true,
        id: 1_001n,
        entityClass: 0,
        kind: 0,
        scale: 1,
        block: 0,
        name: "Ada",
        position: [4, 4, 0, 0],
        orientation: [0, 0, 0, 1],
      },
      expect.objectContaining({ number: 2, id: 1_002n, name: "Bo" }),
    ]);
  });

  test("[N40] stay where they are when a move leaves the axes of the world", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    bo.send({ kind: "move", timeMs: 5, position: [12, 5, 0, 3], orientation: FORWARD });
    await stage.tick();
    expect(happenings(ada)).toEqual([]);
  });

  test("move, and each client that sees the region gets one message per tick", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    bo.send(at(10), at(11), at(12));
    await stage.tick();
    expect(happenings(ada)).toEqual([["moved", 2, 8]]);
    expect(happenings(bo)).toEqual([]);
    await stage.tick();
    expect(happenings(ada)).toEqual([]);
  });

  test("are rounded to 1/64 of a voxel", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    bo.send({ ...at(0), position: [1.01, 2, 0, 0] });
    await stage.tick();
    expect(ada.takeAll("moves")[0]?.moves[0]?.steps.slice(0, 4)).toEqual([
      (1.015_625 - 4) * 64,
      -2 * 64,
      0,
      0,
    ]);
    expect(stage.sync.players[1]?.position).toEqual([1.015_625, 2, 0, 0]);
  });

  test("cross from region to region", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    bo.send(at(130));
    await stage.tick();
    expect(happenings(ada), "so far that no change is sent").toEqual([["is at", 2, 130]]);
    bo.send(at(300));
    await stage.tick();
    expect(happenings(ada)).toEqual([
      ["is at", 2, 300],
      ["left", 2],
    ]);
    expect(happenings(bo)).toEqual([["entered", 2, 300]]);
  });

  test("cross together in one message, however many they are", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    const others: SampleClient[] = [];
    for (let index = 0; index < 20; index++) others.push(await stage.join({ clientId: 3n + BigInt(index) }));
    await stage.tick();
    ada.take();
    bo.take();
    for (const [index, client] of others.entries()) client.send(at(300 + index));
    await stage.tick();
    const numbers = others.map((_, index) => index + 3);
    // Clients take turns, so that entities are in any order.
    const inOrder = (listed: readonly number[]): readonly number[] => [...listed].sort((a, b) => a - b);
    const seen = ada.take().flatMap((message): unknown => {
      if (message.kind === "entities") return { left: inOrder(message.left) };
      return message.kind === "moves" ? { moves: message.moves.map(({ number }) => number) } : [];
    });
    expect(seen).toEqual([{ moves: numbers }, { left: numbers }]);
    const entered = bo.takeAll("entities").map((message) => message.entered.map(({ number }) => number));
    expect(entered.map(inOrder)).toEqual([numbers]);
  });

  test("enter when they arrive and leave when they disconnect", async () => {
    const stage = new Stage();
    const [ada] = await two(stage);
    const cy = await stage.join({ clientId: 3n, name: "Cy" });
    expect(happenings(ada)).toEqual([["entered", 3, 4]]);
    cy.session.disconnected();
    await stage.tick();
    expect(happenings(ada)).toEqual([["left", 3]]);
  });

  test("players that arrive and leave within a tick never enter", async () => {
    const stage = new Stage();
    const [ada] = await two(stage);
    const cy = stage.connect();
    cy.hello({ clientId: 3n });
    await settle();
    cy.session.disconnected();
    await stage.tick();
    expect(happenings(ada)).toEqual([]);
  });

  test("go where the game lets them, but not outside the world", async () => {
    const stage = new Stage({
      rules: {
        beforeMove: ({ to: { orientation } }) => ({ replace: { position: [1, 1, 1, 1], orientation } }),
      },
    });
    const [ada, bo] = await two(stage);
    bo.send(at(100));
    await stage.tick();
    expect(happenings(ada)).toEqual([["moved", 2, -3]]);
    const plain = new Stage();
    const client = await plain.join();
    client.send(at(2 ** 46));
    await plain.tick();
    expect(plain.sync.players[0]?.position).toEqual([4, 4, 0, 0]);
    expect(client.isClosed).toBe(false);
  });

  test("are stored in the world when they leave, and every ten seconds if they moved", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.send(at(50));
    await stage.ticks(50);
    expect(stage.world.kept.size).toBe(0);
    await stage.ticks(60);
    expect(stage.world.kept.get(1_001n)?.position[0]).toBe(50);
    client.send(at(60));
    await stage.tick();
    client.session.disconnected();
    expect(stage.world.kept.get(1_001n)?.position[0]).toBe(60);
  });

  test("are stored at their wanted position when they leave in the middle of a tick", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.send(at(70));
    client.session.disconnected();
    expect(stage.world.kept.get(1_001n)?.position[0]).toBe(70);
  });

  test("are stored with the time since their client was last heard, though they moved before", async () => {
    const stage = new Stage();
    const client = await stage.join();
    client.send(at(70));
    await stage.tick();
    await stage.ticks(9);
    stage.time.advance(900);
    client.session.disconnected();
    expect(stage.world.keptSinceMs).toEqual([900]);
  });

  test("join once the world knows their position or has reported that it cannot", async () => {
    const stage = new Stage();
    const asked: bigint[] = [];
    let known: () => void = () => undefined;
    stage.world.loadPlayer = (playerId) => {
      asked.push(playerId);
      return new Promise((resolve) => {
        known = resolve;
      });
    };
    await stage.join();
    expect([asked, stage.sync.players]).toEqual([[1_001n], []]);
    stage.world.kept.set(1_001n, { position: [30, 5, 0, 0], orientation: FORWARD });
    known();
    await settle();
    expect(stage.sync.players[0]?.position).toEqual([30, 5, 0, 0]);

    const failures: unknown[] = [];
    const broken = new Stage({ events: { onFailure: (error) => failures.push(error) } });
    broken.world.loadPlayer = () => Promise.reject(new Error("on purpose"));
    await broken.join();
    expect([broken.sync.players.length, failures.length]).toEqual([1, 1]);
  });

  test("are not stored if they are anonymous, until they have changed something", async () => {
    const authorize: SyncServerOptions["authorize"] = async (hello) => ({
      ...(await accountOf("builder")(hello)),
      isAnonymous: true,
    });
    const stage = new Stage({ authorize });
    const passer = await stage.join();
    passer.send(at(50));
    await stage.ticks(110);
    passer.session.disconnected();
    expect(stage.world.kept.size).toBe(0);

    const builder = await stage.join();
    builder.set(1, [1, 70, 0, 0], 3);
    await stage.ticks(2);
    builder.session.disconnected();
    expect(stage.world.kept.size).toBe(1);
  });
});

describe("[N53] moves in a far region", () => {
  /** Where the client sees an entity after all messages so far. */
  class Onlooker {
    readonly #client: SampleClient;
    readonly #x = new Map<number, number>();
    /** The ticks in which moves came. */
    readonly news: number[] = [];
    #tick = 0;

    constructor(client: SampleClient) {
      this.#client = client;
    }

    look(): ReadonlyMap<number, number> {
      this.#tick++;
      for (const message of this.#client.take()) {
        if (message.kind === "allEntities") this.#x.clear();
        if (message.kind === "allEntities" || message.kind === "entities") {
          const entered = message.kind === "entities" ? message.entered : message.entities;
          for (const number of message.kind === "entities" ? message.left : []) this.#x.delete(number);
          for (const { number, position } of entered) this.#x.set(number, position[0] * 64);
        }
        if (message.kind !== "moves") continue;
        this.news.push(this.#tick);
        for (const { number, steps } of message.moves) {
          const before = (message.absolute & 1) === 1 ? 0 : this.#x.get(number);
          if (this.#x.has(number)) this.#x.set(number, (before ?? Number.NaN) + steps[0]);
        }
      }
      return this.#x;
    }
  }

  async function watch(...regions: readonly Position[]): Promise<readonly [Stage, Onlooker]> {
    const stage = new Stage();
    const ada = await stage.joinAt(boxesOf(...regions), { clientId: 1n, name: "Ada" });
    await stage.tick();
    const onlooker = new Onlooker(ada);
    onlooker.look();
    return [stage, onlooker];
  }

  test("come every fourth tick, and in every tick from a near one", async () => {
    const [stage, onlooker] = await watch(A, B, C);
    stage.world.put(sheep(7n, 300));
    stage.world.put(sheep(8n, 140));
    await stage.tick();
    expect([...onlooker.look().keys()], "they enter at once").toEqual([1, 2, 3]);
    const seen: unknown[] = [];
    for (let tick = 1; tick <= 12; tick++) {
      stage.world.put(sheep(7n, 300 + tick));
      stage.world.put(sheep(8n, 140 + tick));
      await stage.tick();
      const x = onlooker.look();
      seen.push((x.get(2) ?? 0) / 64);
      expect(x.get(3), `tick ${tick}`).toBe((140 + tick) * 64);
    }
    expect(new Set(seen).size, "about a quarter of the moves").toBeLessThanOrEqual(4);
    stage.world.put(sheep(8n, 100));
    for (let tick = 0; tick < 4; tick++) await stage.tick();
    expect(onlooker.look().get(2), "the last one comes, too").toBe(312 * 64);
  });

  test("leave every client with the pose of the server, however entities and players cross", async () => {
    const far: Position = [3, 0, 0, 0];
    for (let seed = 1; seed <= 20; seed++) {
      const prng = new Prng(seed);
      const [stage, onlooker] = await watch(A, B, C, far);
      const ada = stage.sync.players[0]?.playerId ?? 0n;
      const at = [20, 140, 270, 400, 500, 700];
      for (let tick = 0; tick < 60; tick++) {
        at.forEach((x, index) => {
          if (prng.chance(0.3)) return;
          at[index] = Math.max(0, Math.min(900, x + prng.pick([1, 3, 40, 130]) * (prng.fraction() - 0.5)));
          stage.world.put(sheep(BigInt(10 + index), at[index] ?? 0));
        });
        if (prng.chance(0.1)) stage.sync.movePlayer(ada, { position: [prng.below(500), 5, 0, 0] }, "");
        await stage.tick();
        onlooker.look();
      }
      for (let tick = 0; tick < 4; tick++) await stage.tick();
      const seen = [...onlooker.look().values()].map((x) => x / 64).sort((a, b) => a - b);
      const own = stage.sync.players[0]?.position[0] ?? 0;
      const there = [own, ...at.map((x) => Math.round(x * 64) / 64)].filter((x) => x < 512);
      expect(seen, `seed ${seed}`).toEqual(there.sort((a, b) => a - b));
    }
  });

  test("come in every tick once the player is near, at the latest with the next beat", async () => {
    const [stage, onlooker] = await watch(A, B, C);
    stage.world.put(sheep(7n, 300));
    await stage.ticks(8);
    onlooker.look();
    stage.sync.movePlayer(stage.sync.players[0]?.playerId ?? 0n, { position: [200, 5, 0, 0] }, "");
    await stage.ticks(8);
    onlooker.look();
    stage.world.put(sheep(7n, 301));
    await stage.tick();
    expect(onlooker.look().get(2), "nothing had moved there, so nothing has to be waited for").toBe(301 * 64);
  });
});

describe("[N53] the rate of a kind", () => {
  test("limits how often its entities are sent, and the last pose comes", async () => {
    const stage = new Stage({ entityRates: { 3: 1_000 / 300 } });
    const client = await stage.joinAt(boxesOf(A, B), { clientId: 1n });
    stage.world.put(sheep(7n, 20));
    stage.world.put({ ...sheep(8n, 20), kind: 4 });
    await stage.tick();
    expect(happenings(client).length).toBeGreaterThan(0);
    const seen: unknown[] = [];
    for (let step = 1; step <= 6; step++) {
      if (step < 5) stage.world.put(sheep(7n, 20 + step));
      stage.world.put({ ...sheep(8n, 20 + step), kind: 4 });
      await stage.tick();
      seen.push(
        happenings(client).map((happening) => (happening as readonly unknown[]).slice(1).join(" by ")),
      );
    }
    // A tick is 100 ms.
    expect(seen).toEqual([
      ["2 by 1", "3 by 1"],
      ["3 by 1"],
      ["3 by 1"],
      ["2 by 3", "3 by 1"],
      ["3 by 1"],
      ["3 by 1"],
    ]);
    client.send({ kind: "entitiesLost" });
    stage.world.put(sheep(7n, 29));
    await stage.tick();
    const [all] = client.takeAll("allEntities");
    expect(all?.entities.find(({ id }) => id === 7n)?.position[0]).toBe(29);
  });

  test("does not hold back an entity that crosses to another region", async () => {
    const stage = new Stage({ entityRates: { 3: 0.01 } });
    const client = await stage.joinAt(boxesOf(A, B), { clientId: 1n });
    stage.world.put(sheep(7n, 120));
    await stage.tick();
    stage.world.put(sheep(7n, 121));
    await stage.tick();
    client.take();
    stage.world.put(sheep(7n, 140));
    await stage.tick();
    expect(happenings(client)).toEqual([["moved", 2, 19]]);
  });

  test.each([
    [{ "-1": 3 }, "kind"],
    [{ sheep: 3 }, "kind"],
    [{ 70000: 3 }, "kind"],
    [{ 3: 0 }, "above 0"],
    [{ 3: Number.NaN }, "above 0"],
  ])("is refused if it is not a rate: %o", (entityRates, why) => {
    expect(() => new Stage({ entityRates })).toThrow(why);
  });
});

describe("[N50] the precision of a server", () => {
  test("is in the welcome, and poses are in its steps", async () => {
    const stage = new Stage({ precision: { positionSteps: 4, orientationSteps: 1 } });
    const ada = await stage.joinAt(boxesOf(A), { clientId: 1n });
    expect(ada.takeAll("welcome")[0]?.precision).toEqual({ positionSteps: 4, orientationSteps: 1 });
    stage.world.put({ ...sheep(7n, 20.3), orientation: [0.4, 0.6, 0, 0] });
    await stage.tick();
    const [entered] = ada.takeAll("entities").flatMap((message) => message.entered);
    expect(entered).toMatchObject({ position: [20.25, 0, 0, 0], orientation: [0, 1, 0, 0] });
    stage.world.put({ ...sheep(7n, 20.35), orientation: [0.4, 0.6, 0, 0] });
    await stage.tick();
    expect(ada.takeAll("moves"), "less than a step").toEqual([]);
    stage.world.put({ ...sheep(7n, 20.4), orientation: [0.4, 0.6, 0, 0] });
    await stage.tick();
    expect(ada.takeAll("moves")[0]?.moves).toEqual([{ number: 2, steps: [1, 0, 0, 0, 0, 0, 0, 0] }]);
  });

  test.each([
    [{ positionSteps: 0 }, "positionSteps is 0"],
    [{ positionSteps: 4_097 }, "from 1 to 4096"],
    [{ orientationSteps: 128 }, "from 1 to 127"],
    [{ orientationSteps: 1.5 }, "orientationSteps is 1.5"],
  ])("is refused if no welcome can state it: %o", (precision, why) => {
    expect(() => new Stage({ precision })).toThrow(why);
  });
});

describe("players of other servers", () => {
  function remotePlayer(x: number, name = "Dee"): RemotePlayerEvent {
    const pose = { position: [x, 5, 0, 0], orientation: FORWARD } as const;
    return { kind: "present", player: { key: "there.1", playerId: 77n, name, ...pose } };
  }

  test("look like local players: they enter, move, cross and leave", async () => {
    const stage = new Stage();
    const [ada] = await two(stage);
    for (const [event, happened] of [
      [remotePlayer(10), [["entered", 3, 10]]],
      [remotePlayer(12), [["moved", 3, 2]]],
      [remotePlayer(70), [["moved", 3, 58]]],
      [remotePlayer(130), [["moved", 3, 60]]],
      [{ kind: "gone", key: "there.1" }, [["left", 3]]],
      [{ kind: "gone", key: "there.1" }, []],
    ] as const) {
      stage.world.elsewhere(event);
      await stage.tick();
      expect(happenings(ada)).toEqual(happened);
    }
  });

  test("are new entities when their name changes, and disappear outside the world", async () => {
    const stage = new Stage();
    const [ada] = await two(stage);
    stage.world.elsewhere(remotePlayer(10));
    await stage.tick();
    expect(ada.takeAll("entities")[0]?.entered[0]).toMatchObject({ isPlayer: true, id: 77n, name: "Dee" });
    stage.world.elsewhere(remotePlayer(10, "D".repeat(100)));
    await stage.tick();
    const [change] = ada.takeAll("entities");
    expect([change?.left, change?.entered[0]?.name]).toEqual([[3], "D".repeat(64)]);
    stage.world.elsewhere(remotePlayer(2 ** 46));
    await stage.tick();
    expect(happenings(ada)).toEqual([["left", 4]]);
  });

  test("receive our players, who arrive, move and leave", async () => {
    const stage = new Stage();
    const ada = await stage.join({ clientId: 1n, name: "Ada" });
    ada.send(at(10), at(11));
    await stage.tick();
    await stage.tick();
    ada.session.disconnected();
    expect(stage.world.reported).toEqual([[1, "Ada", 4], [1, "Ada", 11], [1]]);
    await stage.sync.shutdown("done", 0);
    expect(stage.world.listenerCount).toBe(0);
  });
});

describe("a complete list of entities", () => {
  test("all entities are sent again when the client has missed a frame", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    ada.send({ kind: "entitiesLost" });
    bo.send(at(20));
    await stage.tick();
    const messages = ada.take();
    expect(messages.map(({ kind }) => kind)).toEqual(["clock", "allEntities"]);
    expect(messages[1]).toMatchObject({
      entities: [{ name: "Ada" }, { name: "Bo", position: [20, 5, 0, 0] }],
    });
  });

  test("all entities are sent again when the client changes its interest, and then only those in it", async () => {
    const stage = new Stage();
    const [ada, bo] = await two(stage);
    bo.send(at(300));
    await stage.tick();
    ada.take();
    ada.want(boxesOf(B, C));
    await stage.tick();
    expect(ada.takeAll("allEntities").map(({ entities }) => entities.map(({ name }) => name))).toEqual([
      ["Bo"],
    ]);
  });

  test("all entities are sent again when the client was held back", async () => {
    const stage = new Stage({ limits: { inFlightBytesMax: 200 } });
    const [ada, bo] = await two(stage);
    ada.hello();
    await stage.tick();
    ada.take();
    const { acknowledged } = ada;
    bo.send(at(20));
    await stage.tick();
    bo.send(at(21));
    await stage.tick();
    expect(ada.takeAll("entities")).toEqual([]);
    ada.acknowledged = acknowledged;
    ada.send();
    await stage.tick();
    const [all] = ada.takeAll("allEntities");
    expect(all?.entities.map(({ position }) => position[0])).toEqual([4, 21]);
  });
});

describe("entities of the world", () => {
  test("appear as soon as they are in a client's interest", async () => {
    const stage = new Stage({ world: new SampleWorld({ entities: [sheep(7n, 20), sheep(8n, 300)] }) });
    const client = await stage.joinAt(boxesOf(A));
    const seen = client
      .take()
      .flatMap((message) =>
        message.kind === "allEntities"
          ? message.entities
          : message.kind === "entities"
            ? message.entered
            : [],
      );
    expect(seen.filter(({ isPlayer }) => !isPlayer).map(({ id }) => id)).toEqual([7n]);
  });

  test("entities of adjacent regions are queried together, and one by one if that fails", async () => {
    const world = new SampleWorld({ entities: [sheep(7n, 20), sheep(8n, 300)] });
    const asked: Box[] = [];
    const inhabitantsIn = world.entitiesIn.bind(world);
    world.entitiesIn = async (chunks) => {
      asked.push(chunks);
      if (boxContainsBox(chunks, regionBox(B))) throw new Error("damaged");
      return inhabitantsIn(chunks);
    };
    const stage = new Stage({ world });
    const client = await stage.joinAt(boxesOf(A, B, C));
    const [together, ...alone] = asked;
    expect(together).toEqual({ min: [0, 0, 0, 0], max: [12, 4, 4, 4] });
    expect(alone).toEqual(boxesOf(A, B, C));
    client.send({ kind: "entitiesLost" });
    await stage.tick();
    const [all] = client.takeAll("allEntities").slice(-1);
    expect(all?.entities.filter(({ isPlayer }) => !isPlayer).map(({ id }) => id)).toEqual([7n, 8n]);
  });

  test("move, change, cross and disappear", async () => {
    const stage = new Stage({ world: new SampleWorld({ entities: [sheep(7n, 20)] }) });
    const client = await stage.joinAt(boxesOf(A, B));
    await stage.tick();
    client.take();
    stage.world.put(sheep(7n, 21));
    await stage.tick();
    expect(happenings(client)).toEqual([["moved", 2, 1]]);
    stage.world.put({ ...sheep(7n, 80), block: 5 });
    await stage.tick();
    expect(happenings(client)).toEqual([
      ["left", 2],
      ["entered", 3, 80],
    ]);
    stage.world.put({ ...sheep(7n, 140), block: 5 });
    await stage.tick();
    expect(happenings(client)).toEqual([["moved", 3, 60]]);
    stage.world.take(7n);
    await stage.tick();
    expect(happenings(client)).toEqual([["left", 3]]);
  });

  test("[N46] show their details when they come into sight, and again only when those change", async () => {
    const tame = { ...sheep(7n, 20), tags: ["tame"], data: new Uint8Array([1, 2]) };
    const stage = new Stage({ world: new SampleWorld({ entities: [tame, sheep(8n, 30)] }) });
    const client = await stage.joinAt(boxesOf(A, B));
    await stage.tick();
    expect(detailsIn(client)).toEqual([[2, ["tame"], 2]]);
    stage.world.put({ ...tame, position: [21, 0, 0, 0] });
    await stage.tick();
    expect(detailsIn(client)).toEqual([]);
    stage.world.put({ ...tame, tags: [], data: new Uint8Array(0) });
    await stage.tick();
    expect(detailsIn(client)).toEqual([[2, [], 0]]);
    stage.world.put({ ...sheep(8n, 500), tags: ["lost"] });
    await stage.tick();
    expect(detailsIn(client)).toEqual([]);
    stage.world.put({ ...sheep(8n, 130), tags: ["found"] });
    await stage.tick();
    expect(detailsIn(client)).toEqual([[4, ["found"], 0]]);
    client.send({ kind: "entitiesLost" });
    await stage.tick();
    expect(detailsIn(client)).toEqual([[4, ["found"], 0]]);
  });

  test("[N46] entities with much data show it over several ticks", async () => {
    const stage = new Stage({ world: new SampleWorld() });
    const client = await stage.joinAt(boxesOf(A));
    for (let id = 7n; id < 12n; id++) stage.world.put({ ...sheep(id, 20), data: new Uint8Array(6_000) });
    const counts: number[] = [];
    for (let tick = 0; tick < 4; tick++) {
      await stage.tick();
      counts.push(detailsIn(client).length);
    }
    expect(counts).toEqual([2, 2, 1, 0]);
  });

  test("[N40] entities on an axis that the world does not have are hidden until they come back", async () => {
    const hidden = { ...sheep(8n, 30), position: [30, 0, 0, 3] as const };
    const stage = new Stage({ world: new SampleWorld({ entities: [sheep(7n, 20), hidden] }) });
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    client.send({ kind: "entitiesLost" });
    await stage.tick();
    const ids = client.takeAll("allEntities").flatMap(({ entities }) => entities.map(({ id }) => id));
    expect(ids).toContain(7n);
    expect(ids).not.toContain(8n);
    stage.world.put(sheep(8n, 31));
    await stage.tick();
    expect(happenings(client)).toEqual([["entered", 3, 31]]);
    stage.world.put(hidden);
    await stage.tick();
    expect(happenings(client)).toEqual([["left", 3]]);
  });

  test("[N57] show a velocity that the game states, until it states none", async () => {
    const moving = { ...sheep(7n, 20), velocity: [1.5, 0, -0.25, 0] as const };
    const stage = new Stage({ world: new SampleWorld({ entities: [moving, sheep(8n, 30)] }) });
    const client = await stage.joinAt(boxesOf(A, B));
    await stage.tick();
    const motions = (): readonly unknown[] =>
      client
        .takeAll("motions")
        .flatMap(({ motions: list }) => list.map(({ number, velocity }) => [number, ...velocity]));
    expect(motions()).toEqual([[2, 96, 0, -16, 0]]);
    stage.world.put({ ...moving, position: [21.5, 0, 0, 0] });
    await stage.tick();
    expect(motions(), "the same").toEqual([]);
    client.send({ kind: "entitiesLost" });
    await stage.tick();
    expect(motions(), "again with all entities").toEqual([[2, 96, 0, -16, 0]]);
    stage.world.put(sheep(7n, 22));
    await stage.tick();
    expect(motions()).toEqual([[2, 0, 0, 0, 0]]);
  });

  test("entities that walk out of sight disappear, and reappear when they return", async () => {
    const stage = new Stage({ world: new SampleWorld({ entities: [sheep(7n, 20)] }) });
    const client = await stage.joinAt(boxesOf(A));
    await stage.tick();
    client.take();
    stage.world.put(sheep(7n, 500));
    await stage.tick();
    expect(happenings(client)).toEqual([["left", 2]]);
    stage.world.put(sheep(7n, 30));
    await stage.tick();
    expect(happenings(client)).toEqual([["entered", 3, 30]]);
  });

  test("entities with events newer than the query result have the newer state", async () => {
    const stage = new Stage({ world: new SampleWorld({ entities: [sheep(7n, 20), sheep(8n, 20)] }) });
    const client = await stage.join();
    client.want(boxesOf(A));
    // The query is pending.
    stage.world.put(sheep(7n, 99));
    stage.world.take(8n);
    await stage.ticks(2);
    client.send({ kind: "entitiesLost" });
    await stage.tick();
    const all = client.takeAll("allEntities").at(-1);
    expect(all?.entities.map(({ id, position }) => [id, position[0]])).toEqual([
      [1_001n, 4],
      [7n, 99],
    ]);
  });
});
