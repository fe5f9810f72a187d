import { CUBE_CHUNKS, DEFAULT_BLOCKS } from "@orthant/core";
import { printable } from "@orthant/core/arguments";
import { boxBetween } from "@orthant/core/lattice";
import { CLOCK_NEVER } from "@orthant/core/tree";
import { MemoryDisk } from "@orthant/disk";
import { anonymousPlayerId } from "@orthant/server";
import { writeNamedWorld } from "@orthant/testkit/saves";
import { openWorldEngine } from "@orthant/world/engine";
import { describe, expect, test } from "vitest";
import { PlainClient, requestOrigin } from "./plain-client.ts";
import { closedAfterTest, flatWorld, metric, serve, until } from "./served-world.ts";

const REGION = [0, 0, 0, 0] as const;

describe("a client that joins", () => {
  test("gets a welcome with the world's facts and its own player id", async () => {
    const world = await flatWorld();
    const server = await serve({ world });
    const client = await PlainClient.join(server.url, { clientId: 77n });
    const welcome = await client.next("welcome");
    expect(welcome.worldName).toBe("Plain");
    expect(welcome.worldId).toBe(world.worldId);
    expect(welcome.shape.volume).toBe(world.shape.volume);
    expect(welcome.role).toBe("builder");
    expect(welcome.resumed).toBe(false);
    // The first eight bytes of the SHA-256 of "orthant anonymous" and 4d00000000000000, read little-endian.
    expect(welcome.playerId).toBe(0x93ac11e5b260981cn);
    expect(welcome.playerId).toBe(anonymousPlayerId(77n));
    expect(server.players.map(({ name }) => name)).toEqual(["Ada"]);
  });

  test("gets the results of edits although the timers of a busy server do not run", async () => {
    let nowMs = 1_000_000;
    const never = { cancel: () => undefined };
    const time = { nowMs: () => nowMs, after: () => never, wait: () => never };
    const world = await flatWorld();
    const server = await serve({ world, time });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    const edited = new Promise((resolve) => world.onEdit(resolve));
    client.say({ kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] });
    await edited;
    nowMs += 500;
    client.say();
    expect((await client.next("editResults")).results).toEqual([{ editId: 1, status: "applied" }]);
  });

  test("can also join at /world", async () => {
    const server = await serve();
    const client = await PlainClient.join(`${server.url}/world?from=here`);
    expect((await client.next("welcome")).worldName).toBe("Plain");
  });

  test("receives untouched regions as blank, and an edit as a patch", async () => {
    const world = await flatWorld();
    const server = await serve({ world });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    requestOrigin(client);
    const blank = await client.next("blank");
    expect(blank.content).toBe("generated");
    expect(blank.mask.regions).toEqual([REGION]);

    client.say({ kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] });
    const { patch } = await client.next("patch");
    expect(patch.changes.map((change) => change.region)).toEqual([REGION]);
    expect((await client.next("editResults")).results).toEqual([{ editId: 1, status: "applied" }]);
    expect(await world.get([1, 40, 1, 0])).toBe(3);
    expect(world.clockOf(REGION)).not.toBe(CLOCK_NEVER);
    expect(await metric(server, 'orthant_edits_total{outcome="applied"}')).toBe(1);
    expect(await metric(server, "orthant_patches_total")).toBe(1);
  });

  test("gets durable acknowledgements if the operator asks for that", async () => {
    const world = await flatWorld();
    const server = await serve({ world, acknowledge: "durable" });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    const before = world.generation;
    client.say({ kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] });
    expect((await client.next("editResults")).results).toEqual([{ editId: 1, status: "applied" }]);
    expect(world.generation).toBeGreaterThan(before);
  });

  test("sees entities of the world, and players who join, move and leave", async () => {
    const world = await flatWorld();
    const far = world.entities.spawn({ kind: 7, position: [2, 9, 2, 0], displayName: "é".repeat(100) });
    world.entities.change(far.entityId, { orientation: [0, 0, 0, 4] });
    const server = await serve({ world });
    const ada = await PlainClient.join(server.url, { clientId: 1n });
    await ada.next("welcome");
    requestOrigin(ada);
    const { entities } = await ada.next("allEntities");
    const sheep = entities.find(({ isPlayer }) => !isPlayer);
    expect(sheep?.id).toBe(far.entityId);
    expect(sheep?.name, "as much of its name as fits").toBe("é".repeat(32));
    expect(sheep?.orientation, "scaled into the range of messages").toEqual([0, 0, 0, 1]);

    const bob = await PlainClient.join(server.url, { clientId: 2n, name: "Bob" });
    await bob.next("welcome");
    bob.say({ kind: "move", timeMs: 5, position: [3, 9, 3, 0], orientation: [0, 0, 0, 1] });
    // Bob enters at the spawn, and then moves, or both at once.
    const spawnX = world.spawn[0];
    const isAtThree = (): boolean =>
      ada.entities.some(({ entered }) => entered.some(({ position }) => position[0] === 3)) ||
      ada.moves.some(({ moves }) => moves.some(({ steps }) => steps[0] === (3 - spawnX) * 64));
    await until(isAtThree);
    // The world remembers an anonymous player who edited it.
    bob.say({ kind: "voxels", editId: 1, placements: [{ voxel: [3, 20, 3, 0], block: 1 }] });
    await bob.next("editResults");
    bob.socket.close();
    await until(() => ada.entities.some(({ left }) => left.length > 0));
    await until(() => world.player(anonymousPlayerId(2n)) !== undefined);
    expect(world.player(anonymousPlayerId(2n))?.name).toBe("Bob");
    expect(world.player(anonymousPlayerId(2n))?.position).toEqual([3, 9, 3, 0]);
  });
});

describe("a game", () => {
  test("sends and receives its own messages", async () => {
    const received: string[] = [];
    const server = await serve({
      rules: {
        onMessage: ({ player: { name }, message }) => {
          received.push(`${name}: ${JSON.stringify(message)}`);
        },
      },
    });
    const client = await PlainClient.join(server.url, { clientId: 5n });
    await client.next("welcome");
    client.say({ kind: "game", payload: Buffer.from("no message") });
    client.say({ kind: "game", payload: Buffer.from('\u0001{"ready":true}') });
    await until(() => received.length > 0);
    expect(received).toEqual(['Ada: {"ready":true}']);
    expect(server.send(anonymousPlayerId(5n), { type: "go" })).toBe("sent");
    expect(Buffer.from((await client.next("game")).payload).toString()).toBe('\u0001{"type":"go"}');
    expect(server.send(1n, "go")).toBe("offline");
    expect(server.broadcast(Buffer.from("all"))).toBe(1);
    expect(Buffer.from((await client.next("game")).payload).toString()).toBe("\u0000all");
  });

  test("can kick a player", async () => {
    const server = await serve();
    const client = await PlainClient.join(server.url, { clientId: 5n });
    await client.next("welcome");
    expect(server.kick(anonymousPlayerId(5n), "no digging here")).toBe(true);
    expect(server.kick(anonymousPlayerId(6n), "nor here")).toBe(false);
    expect(await client.next("goodbye")).toMatchObject({ reason: "kicked", detail: "no digging here" });
    expect(await client.closed).toBe(1008);
    expect(await metric(server, 'orthant_goodbyes_total{reason="kicked",limit=""}')).toBe(1);
  });

  test("can reject an edit with its own reason", async () => {
    const world = await flatWorld();
    const server = await serve({
      world,
      rules: { beforeEdit: async () => ({ reject: "this is a museum" }) },
    });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    client.say({ kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] });
    expect((await client.next("editResults")).results).toEqual([
      { editId: 1, status: "rejected", reason: "vetoed", detail: "this is a museum" },
    ]);
    expect(await world.get([1, 40, 1, 0])).toBe(0);
    expect(await metric(server, 'orthant_edits_total{outcome="vetoed"}')).toBe(1);
  });

  test("a game whose rules throw loses only their decisions", async () => {
    const world = await flatWorld();
    const fail = (): never => {
      throw new Error("a bug in the game");
    };
    const rules = { beforeEdit: fail, beforeMove: fail, onMessage: fail, onJoin: fail, onLeave: fail };
    const server = await serve({ world, rules });
    const client = await PlainClient.join(server.url);
    const { position } = await client.next("welcome");
    client.say(
      { kind: "voxels", editId: 1, placements: [{ voxel: [1, 40, 1, 0], block: 3 }] },
      { kind: "move", timeMs: 5, position: [9, 9, 9, 0], orientation: [0, 0, 0, 1] },
      { kind: "game", payload: new Uint8Array(1) },
    );
    expect((await client.next("editResults")).results[0]).toMatchObject({ reason: "vetoed" });
    expect(server.players[0]?.position).toEqual(position.slice(0, 3));
    client.socket.close();
    await until(() => server.connectionCount === 0);
    expect(await metric(server, "orthant_errors_total"), "joining, editing, moving, a message, leaving").toBe(
      5,
    );
  });

  test("decides who reaches a voxel, and a rule that throws denies it", async () => {
    const server = await serve({
      rules: {
        canReach({ position: [x] }) {
          if (x === 2) throw new Error("a bug in the game");
          return x === 1;
        },
      },
    });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    for (const x of [1, 2, 3]) {
      client.say({ kind: "voxels", editId: x, placements: [{ voxel: [x, 40, 1, 0], block: 3 }] });
    }
    await until(() => client.results.length === 3);
    expect(client.results.map((result) => ("reason" in result ? result.reason : result.status))).toEqual([
      "applied",
      "reach",
      "reach",
    ]);
  });
});

describe("a world that is edited by the game itself", () => {
  test("is updated for clients", async () => {
    const world = await flatWorld();
    const server = await serve({ world });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    requestOrigin(client);
    await client.next("blank");
    await world.fill(boxBetween([0, 40, 0, 0], [2, 42, 2, 1]), 3);
    const { patch } = await client.next("patch");
    expect(patch.changes[0]?.next).toBe(world.clockOf(REGION));
  });
});

describe("a log", () => {
  test("[N35] contains nothing that a terminal acts on, and keeps its meaning", async () => {
    const lines: string[] = [];
    const disk = new MemoryDisk();
    const name = "Plain\u009b2J \u202eniatnuoM\u0007";
    await writeNamedWorld(disk, CUBE_CHUNKS, { name, catalog: DEFAULT_BLOCKS });
    const world = closedAfterTest(await openWorldEngine(disk, { autosave: false }));
    const streamWrite = (line: string): string => {
      lines.push(line);
      return "";
    };
    const server = await serve({ world, logger: { hooks: { streamWrite } } });
    const client = await PlainClient.join(server.url);
    await client.next("welcome");
    server.kick(server.players[0]?.playerId ?? 0n, "enough\u202e");
    await client.closed;
    await until(() => lines.some((line) => line.includes("connection closed")));
    for (const line of lines) expect(printable(line.slice(0, -1))).toBe(line.slice(0, -1));
    const logged = lines.map(
      (line) => JSON.parse(line) as { readonly world?: string; readonly detail?: string },
    );
    expect(logged.find(({ world }) => world !== undefined)?.world).toBe(world.name);
    expect(logged.find(({ detail }) => detail !== undefined)?.detail).toBe("enough\u202e");
  });
});
