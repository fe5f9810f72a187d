import { connectReplica } from "@orthant/client/node";
import { memoryCache, type Status, type WorldReplica } from "@orthant/client/replica";
import { GeneratorRegistry, type Position } from "@orthant/core";
import { DEFAULT_GENERATORS, flatGenerator } from "@orthant/core/generate";
import { boxBetween, positionsLexicographic } from "@orthant/core/lattice";
import type { OrthantServer } from "@orthant/server";
import type { WorldEngine } from "@orthant/world/engine";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { builtWorld, countingSockets, serve, serveAtOwnPort } from "./served-world.ts";

const INTEREST = { center: [0, 33, 0, 0] as Position, radiusChunks: 3 };
const IN_SIGHT = boxBetween([-3, 1, -3, -3], [4, 7, 4, 4]);

/** Resolves when a client has this status. */
function status(client: WorldReplica, wanted: Status): Promise<void> {
  return new Promise((resolve) => {
    const stop = client.onStatus((now) => {
      if (now !== wanted) return;
      stop();
      resolve();
    });
  });
}

/** Resolves when a client sees a block at a position. */
function seen(client: WorldReplica, position: Position, block: number): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (client.voxelAt(position) !== block) return;
      stop();
      resolve();
    };
    const stop = client.onChange(check);
    check();
  });
}

async function expectEqual(client: WorldReplica, world: WorldEngine): Promise<void> {
  const ours = await client.region(IN_SIGHT);
  const theirs = await world.region(IN_SIGHT);
  for (const position of positionsLexicographic(IN_SIGHT)) {
    expect(client.chunkAt(position)?.equals(await world.chunk(position)), `chunk ${position}`).toBe(true);
  }
  expect(ours.equals(theirs)).toBe(true);
}

describe("clients of a real server", () => {
  let world: WorldEngine;
  let server: OrthantServer;

  beforeAll(async () => {
    world = await builtWorld();
    server = await serve(world, {
      rules: {
        beforeEdit: ({ changes }) =>
          changes.some(({ block }) => block === 15) ? { reject: "no lava here" } : undefined,
        onMessage: ({ player, message }) => {
          server.send(
            player.playerId,
            message instanceof Uint8Array ? message.map((byte) => byte + 1) : { echo: message },
          );
        },
      },
    });
  });

  afterAll(async () => {
    await server.close();
    await world.close();
  });

  function join(...[options]: readonly [Parameters<typeof connectReplica>[1]?]): WorldReplica {
    const client = connectReplica(server.url, { interest: INTEREST, ...options });
    onTestFinished(() => client.close());
    return client;
  }

  test("see the tags and the data of an entity, and how they change", async () => {
    const client = join();
    await client.ready;
    /** Resolves when the client sees the sheep with this data. */
    const shown = (data: readonly number[]): Promise<readonly string[]> =>
      new Promise((resolve) => {
        const check = (): void => {
          const sheep = client.entities.find(({ kind }) => kind === 77);
          if (sheep === undefined || sheep.data.join() !== data.join()) return;
          stop();
          resolve(sheep.tags);
        };
        const stop = client.onEntities(check);
        check();
      });
    const { entityId } = world.entities.spawn({
      kind: 77,
      position: [0.5, 33, 0.5, 0.5],
      tags: ["tame"],
      payload: new Uint8Array([1, 2]),
    });
    expect(await shown([1, 2])).toEqual(["tame"]);
    world.entities.change(entityId, { payload: new Uint8Array([3]), tags: ["tame", "shorn"] });
    expect(await shown([3])).toEqual(["tame", "shorn"]);
    world.entities.despawn(entityId);
  });

  test("know the clocks of the regions they hold, and count what arrived", async () => {
    const client = join();
    expect(client.counts).toEqual({ patches: 0, resyncs: 0, heldRegions: 0 });
    expect(client.clockOf([0, 1, 0, 0])).toBeUndefined();
    await client.complete();
    const { patches, resyncs, heldRegions } = client.counts;
    expect([patches > 0, resyncs, heldRegions]).toEqual([true, 0, 16]);
    const before = client.clockOf([0, 1, 0, 0]) ?? 0;
    expect(before).toBe(world.clockOf([0, 1, 0, 0]));
    expect(client.clockOf([100, 1, 0, 0]), "outside the interest").toBeUndefined();
    await client.setVoxel([3, 40, 3, 3], 9);
    await seen(client, [3, 40, 3, 3], 9);
    expect(client.clockOf([0, 1, 0, 0])).toBe(world.clockOf([0, 1, 0, 0]));
    expect(client.clockOf([0, 1, 0, 0])).toBeGreaterThan(before);
    expect(client.counts.patches).toBe(patches + 1);
  });

  test("hold exactly the server's voxels", async () => {
    const client = join();
    await client.complete();
    expect(client.name).toBe("Isles");
    await expectEqual(client, world);
  });

  test("hold the same without the generator, when everything arrives as voxels", async () => {
    const client = join({ generators: new GeneratorRegistry([flatGenerator]) });
    await client.complete();
    await expectEqual(client, world);
  });

  test("see each other's edits, and each other", async () => {
    const [ada, bob] = [join({ name: "Ada" }), join({ name: "Bob" })];
    await Promise.all([ada.complete(), bob.complete()]);
    const met = new Promise<string>((resolve) => {
      const stop = bob.onEntities(({ entered, changed }) => {
        const found = [...entered, ...changed].find(
          ({ name, position }) => name === "Ada" && position[1] === 50,
        );
        if (found === undefined) return;
        stop();
        resolve(found.name);
      });
    });
    ada.move({ position: [1, 50, 1, 1], orientation: [0, 0, 0, 1] });
    expect(await met).toBe("Ada");
    expect(await ada.setVoxel([2, 50, 2, 2], 13)).toEqual({ status: "applied" });
    await seen(bob, [2, 50, 2, 2], 13);
    expect(await bob.setVoxel([2, 50, 2, 2], 13)).toEqual({ status: "unchanged" });
    expect(await world.get([2, 50, 2, 2])).toBe(13);
  });

  test("get the reason when an edit is refused, and undo it", async () => {
    const client = join();
    await client.complete();
    const edit = client.setVoxel([3, 50, 3, 3], 15);
    expect(client.voxelAt([3, 50, 3, 3])).toBe(15);
    expect(await edit).toEqual({ status: "rejected", reason: "vetoed", detail: "no lava here" });
    expect(client.voxelAt([3, 50, 3, 3])).toBe(0);
  });

  test("exchange game messages with the server", async () => {
    const client = join();
    await client.ready;
    const answer = new Promise((resolve) => client.onMessage(resolve));
    expect(client.send(new Uint8Array([1, 2, 3]))).toBe("sent");
    expect(await answer).toEqual(new Uint8Array([2, 3, 4]));
  });

  test("get messages that arrived before they listened, once", async () => {
    const client = join();
    await client.ready;
    const arrived = join();
    await arrived.ready;
    server.send(client.playerId, "early");
    // What the server sends later has overtaken nothing.
    const later = new Promise((resolve) => arrived.onMessage(resolve));
    server.send(arrived.playerId, "later");
    await later;
    const edited = await client.setVoxel([5, 50, 5, 3], 2);
    expect(edited.status).toBe("applied");
    const received: unknown[] = [];
    client.onMessage((message) => received.push(`first: ${message}`));
    client.onMessage((message) => received.push(`second: ${message}`));
    expect(received).toEqual([]);
    await Promise.resolve();
    expect(received).toEqual(["first: early", "second: early"]);
    const removed = client.onMessage(() => undefined);
    removed();
    await Promise.resolve();
    expect(received).toHaveLength(2);
  });

  test("receive what their new interest covers", async () => {
    const client = join();
    await client.complete();
    client.setInterest({ boxes: [boxBetween([20, 4, 0, 0], [21, 5, 1, 1])] });
    await client.complete();
    expect(client.chunkAt([0, 4, 0, 0])).toBeUndefined();
    expect(client.chunkAt([20, 4, 0, 0])?.equals(await world.chunk([20, 4, 0, 0]))).toBe(true);
  });

  test("are closed permanently when they are kicked", async () => {
    const client = join();
    await client.ready;
    const closed = status(client, "closed");
    server.kick(client.playerId, "enough");
    await closed;
    await expect(client.complete()).rejects.toThrow("the server disconnected this player: enough");
  });

  test("return with a cache and fetch only what changed", async () => {
    const cache = memoryCache();
    const first = countingSockets();
    const client = join({ cache, socket: first.socket });
    await client.complete();
    await client.close();
    await world.set([4, 50, 4, 4], 13);
    const second = countingSockets();
    const again = join({ cache, socket: second.socket });
    await again.complete();
    expect(again.voxelAt([4, 50, 4, 4])).toBe(13);
    await expectEqual(again, world);
    expect(first.bytes()).toBeGreaterThan(8_000);
    expect(second.bytes()).toBeLessThan(first.bytes() / 8);
  });

  test("hold the world symbolically with the generators it needs", async () => {
    const client = join();
    await client.complete();
    const tree = await client.region(IN_SIGHT, "symbolic");
    expect(tree.equals(await world.region(IN_SIGHT, "symbolic"))).toBe(true);
    expect(DEFAULT_GENERATORS.ids.length).toBeGreaterThan(0);
  });
});

test("a client survives a restart of its server, and its edits are applied once", async () => {
  const world = await builtWorld();
  const before = await serveAtOwnPort(world);
  const { socket, bytes } = countingSockets();
  const client = connectReplica(before.url, { interest: INTEREST, socket, random: () => 0n });
  await client.complete();
  const joinBytes = bytes();

  const waiting = status(client, "waiting");
  await before.close({ retryAfterMs: 0 });
  await waiting;
  const edit = client.setVoxel([5, 50, 5, 5], 13);
  expect(client.voxelAt([5, 50, 5, 5])).toBe(13);
  await world.set([6, 50, 6, 6], 13);

  const after = await serve(world, { port: before.port });
  expect(await edit).toEqual({ status: "applied" });
  await client.complete();
  expect(client.voxelAt([6, 50, 6, 6])).toBe(13);
  await expectEqual(client, world);
  expect(bytes() - joinBytes).toBeLessThan(joinBytes / 8);
  await client.close();
  await after.close();
  await world.close();
});

test("a client with several addresses goes on at another when its server is gone", async () => {
  const world = await builtWorld();
  const [first, second] = [await serve(world), await serve(world)];
  const client = connectReplica([first.url, second.url], { interest: INTEREST, random: () => 0n });
  await client.complete();
  const waiting = status(client, "waiting");
  await first.close({ retryAfterMs: 0 });
  await waiting;
  expect(await client.setVoxel([5, 50, 5, 5], 13)).toEqual({ status: "applied" });
  expect(await world.get([5, 50, 5, 5])).toBe(13);
  await client.close();
  await second.close();
  await world.close();
});
