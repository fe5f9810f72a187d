import { connectReplica } from "@orthant/client/node";
import { AIR, type Position, type VoxelBox } from "@orthant/core";
import { boxBetween, positionsLexicographic } from "@orthant/core/lattice";
import { type BoxMove, moveBox, type VoxelReader } from "@orthant/mesh";
import type { Placed } from "@orthant/protocol";
import type { PlayerInterestEvent, ServerOptions } from "@orthant/server";
import { Prng } from "@orthant/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { flatWorld, serve, until } from "./served-world.ts";

const STONE = 1;
/** As far as a player gets between two messages, at half the highest speed. */
const STEP = 0.15;
const MOVEMENT = { speedMax: 6, size: [0.6, 1.8, 0.6], reach: 4 } as const;

/** A player at [0.5, 1, 0.5] of a flat world with a wall at x = 3 and a step of one voxel at z = 3. */
async function walker(options: Partial<ServerOptions> = { movement: MOVEMENT }) {
  const world = await flatWorld();
  await world.fill(boxBetween([3, 1, -9, 0], [4, 4, 9, 1]), STONE);
  await world.fill(boxBetween([-9, 1, 3, 0], [3, 2, 9, 1]), STONE);
  const server = await serve({ world, ...options });
  const client = connectReplica(server.url, { name: "Ada", random: () => 0n });
  onTestFinished(() => client.close());
  const placed: Placed[] = [];
  client.onPlaced((event) => placed.push(event));
  await client.ready;
  client.setInterest({ center: [0, 0, 0, 0], radiusChunks: 2 });
  await client.complete();
  server.movePlayer(client.playerId, { position: [0.5, 1, 0.5] }, "start");
  await until(() => placed.length === 1);
  let at: readonly [number, number, number] = [0.5, 1, 0.5];
  const position = (): readonly number[] => server.players[0]?.position ?? [];
  /** Asks for a position, and returns why the server refused it. */
  const move = async ([x, y, z]: readonly [number, number, number]): Promise<string | undefined> => {
    const count = placed.length;
    client.move({ position: [x, y, z, 0], orientation: [0, 0, 0, 1] });
    const isNear = () => Math.hypot(...position().map((part, axis) => part - ([x, y, z][axis] ?? 0))) < 0.02;
    await until(() => isNear() || placed.length > count);
    return placed[count]?.reason;
  };
  /** Walks by steps that are slow enough. Returns why the server stopped the player. */
  const walk = async (to: readonly [number, number, number]): Promise<string | undefined> => {
    for (;;) {
      const way = to.map((part, axis) => part - (at[axis] ?? 0));
      const length = Math.hypot(...way);
      if (length < 0.001) return undefined;
      const next = at.map((part, axis) => part + (way[axis] ?? 0) * Math.min(1, STEP / length));
      const reason = await move(next as unknown as typeof at);
      if (reason !== undefined) return reason;
      at = next as unknown as typeof at;
    }
  };
  return { world, server, client, placed, position, move, walk };
}

describe("a movement check", () => {
  test("lets a player walk, and puts back one who is too fast", async () => {
    const { walk, move, position, client } = await walker();
    expect(await walk([-1, 1, 0.5])).toBeUndefined();
    expect(await move([9, 1, 0.5])).toBe("too fast");
    expect(position()).toEqual([-1, 1, 0.5]);
    expect(client.pose.position).toEqual([-1, 1, 0.5, 0]);
    expect(await walk([-1.5, 1, 0.5]), "the player goes on from there").toBeUndefined();
  });

  test("stops players at walls and floors, also slow ones", async () => {
    const { walk, move, position } = await walker();
    expect(await walk([2.69, 1, 0.5]), "beside the wall").toBeUndefined();
    expect(await move([2.75, 1, 0.5])).toBe("a wall is in the way");
    expect(await move([2.6, 0, 0.5]), "on the floor").toBeUndefined();
    expect(await move([2.6, -0.2, 0.5])).toBe("a wall is in the way");
    expect(position()[0]).toBeLessThan(2.7);
  });

  test("follows a type of block that becomes solid, or no longer is", async () => {
    const { world, walk, move } = await walker();
    expect(await walk([2.69, 1, 0.5]), "beside the wall").toBeUndefined();
    expect(await move([2.75, 1, 0.5])).toBe("a wall is in the way");
    await world.blocks.change("stone", { solid: false });
    expect(await move([2.8, 1, 0.5])).toBeUndefined();
  });

  test("lets players jump onto a step between two messages, and step down from it", async () => {
    const { walk, move } = await walker();
    expect(await walk([0.5, 1, 2.69])).toBeUndefined();
    expect(await walk([0.5, 1.95, 2.69])).toBeUndefined();
    expect(await move([0.5, 2.05, 2.8]), "up and forward").toBeUndefined();
    expect(await move([0.5, 2, 2.65]), "back").toBeUndefined();
    expect(await move([0.5, 1.9, 2.6]), "back and down").toBeUndefined();
  });

  test("follows the world: a wall that is gone stops no player, and its own question decides what does", async () => {
    const isSolid = (block: number): boolean => block === 5;
    const { world, walk, move } = await walker({ movement: { ...MOVEMENT, isSolid } });
    expect(await walk([2.8, 1, 0.5])).toBeUndefined();
    await world.fill(boxBetween([3, 1, -9, 0], [4, 4, 9, 1]), 5);
    expect(await move([2.65, 1, 0.5])).toBeUndefined();
    expect(await move([2.8, 1, 0.5])).toBe("a wall is in the way");
  });

  test("agrees with the client about the shapes of blocks: steps of slabs, and doors", async () => {
    const { world, client, move } = await walker();
    const panel = [
      [0, 0, 0],
      [0.1875, 1, 1],
    ] as const;
    const { slab, door } = await world.blocks.define({
      slab: {
        shape: [
          [
            [0, 0],
            [1, 0.5],
          ],
        ],
      },
      door: {
        properties: { open: ["no", "yes"] },
        shape: [{ when: { open: "no" }, boxes: [panel] }, { boxes: [] }],
      },
    });
    // A slab before a step of one voxel at z = 3, and on the step a door in a wall at x = -2.
    await world.fill(boxBetween([-9, 1, 3, 0], [3, 2, 9, 1]), AIR);
    await world.fill(boxBetween([-9, 0, 3, 0], [3, 1, 9, 1]), STONE);
    await world.fill(boxBetween([-9, 0, 2, 0], [3, 1, 3, 1]), slab.id());
    await world.fill(boxBetween([-2, 1, 2, 0], [-1, 4, 9, 1]), STONE);
    await world.fill(boxBetween([-2, 1, 4, 0], [-1, 3, 5, 1]), door.id());
    await until(() => client.catalog.hasShapes && client.voxelAt([-2, 2, 4, 0]) === door.id());
    const seen: VoxelReader<3> = {
      dimensions: 3,
      get blocks() {
        return client.catalog;
      },
      voxelAt: ([x, y, z]) => client.voxelAt([x, y, z, 0]),
    };
    let player: BoxMove<3> = moveBox(seen, { position: [0.5, 1, 0.5], size: MOVEMENT.size }, [0, -2, 0]);
    const walk = async (x: number, z: number, steps: number): Promise<readonly number[]> => {
      for (let step = 0; step < steps; step++) {
        player = moveBox(seen, player, [x, -0.1, z], { stepHeight: 0.5 });
        const [px, py, pz] = player.position;
        expect(await move([px, py, pz]), `to ${player.position}`).toBeUndefined();
      }
      return player.position;
    };
    expect(await walk(0, 0.1, 20), "on the slab").toEqual([0.5, 0.5, expect.closeTo(2.5)]);
    expect(await walk(0, 0.1, 20), "on the step").toEqual([0.5, 1, expect.closeTo(4.5)]);
    const stopped = await walk(-0.1, 0, 25);
    expect(stopped, "at the panel of the door").toEqual([
      expect.closeTo(-2 + 0.1875 + 0.3),
      1,
      expect.closeTo(4.5),
    ]);
    expect(await move([-1.65, 1, 4.5])).toBe("a wall is in the way");
    await world.fill(boxBetween([-2, 1, 4, 0], [-1, 3, 5, 1]), door.id({ open: "yes" }));
    await until(() => client.voxelAt([-2, 2, 4, 0]) === door.id({ open: "yes" }));
    expect((await walk(-0.1, 0, 20))[0], "behind the door").toBeLessThan(-3);
  });

  test("rejects edits out of reach, measured from the player's box", async () => {
    const { client } = await walker();
    expect(await client.setVoxel([5, 2, 0, 0], STONE)).toMatchObject({ status: "applied" });
    expect(await client.setVoxel([0, 7, 0, 0], STONE), "above the head").toMatchObject({ status: "applied" });
    expect(await client.setVoxel([7, 2, 0, 0], STONE)).toEqual({
      status: "rejected",
      reason: "reach",
      detail: "voxel [7,2,0,0] is out of reach",
    });
  });

  test("rejects fills and copies of which the farthest voxel is out of reach, also of what a copy reads", async () => {
    const { client, world } = await walker();
    await world.edit([{ voxel: [5_000, 2, 0, 0], block: STONE, data: Uint8Array.of(7) }]);
    const boxFrom = (min: Position, max: Position) => ({ min, max });
    const near = boxFrom([-2, 2, -2, 0], [6, 4, 2, 1]);
    expect(await client.fill(near, STONE)).toMatchObject({ status: "applied" });
    const wide = boxFrom([-2, 2, -2, 0], [7, 4, 2, 1]);
    expect(await client.fill(wide, 5)).toEqual({
      status: "rejected",
      reason: "reach",
      detail: "the box from [-2,2,-2,0] to [7,4,2,1] is out of reach",
    });
    const chest = boxFrom([5_000, 2, 0, 0], [5_001, 3, 1, 1]);
    expect(await client.copy(chest, [1, 2, 1, 0])).toEqual({
      status: "rejected",
      reason: "reach",
      detail: "voxel [5000,2,0,0] is out of reach",
    });
    expect(world.state.dataAt(1, 2, 1, 0)).toBeUndefined();
    const beside = boxFrom([1, 2, 0, 0], [2, 3, 1, 1]);
    expect(await client.copy(beside, [1, 5, 1, 0])).toMatchObject({ status: "applied" });
    expect(await client.copy(beside, [20, 2, 1, 0])).toMatchObject({ reason: "reach" });
  });

  test("measures a box as it would measure each of its voxels", async () => {
    const prng = new Prng(40);
    const { client, server } = await walker({
      movement: MOVEMENT,
      limits: { editsPerSecond: 1e6, editsBurst: 1e6, editChunksPerSecond: 1e6 },
    });
    const [x = 0, y = 0, z = 0] = server.players[0]?.position ?? [];
    /** The distance from the player's box to a voxel, as the reference defines it. */
    const distance = (voxel: readonly number[]): number => {
      const gap = (low: number, high: number, at: number): number => Math.max(0, at - high, low - (at + 1));
      const [vx = 0, vy = 0, vz = 0] = voxel;
      return Math.hypot(gap(x - 0.3, x + 0.3, vx), gap(y, y + 1.8, vy), gap(z - 0.3, z + 0.3, vz));
    };
    let rejected = 0;
    for (let round = 0; round < 60; round++) {
      const min = [prng.between(-6, 3), prng.between(-3, 5), prng.between(-6, 3), 0] as const;
      const max = [
        min[0] + prng.between(1, 4),
        min[1] + prng.between(1, 4),
        min[2] + prng.between(1, 4),
        1,
      ] as const;
      const farthest = Math.max(...Array.from(positionsLexicographic({ min, max }), distance));
      const result = await client.fill({ min, max }, 1 + (round % 5));
      const isRejected = result.status === "rejected";
      expect(isRejected, `round ${round}, [${min}] to [${max}]`).toBe(farthest > MOVEMENT.reach + 1);
      if (isRejected) rejected++;
    }
    expect(rejected).toBeGreaterThan(5);
    expect(rejected).toBeLessThan(55);
  }, 30_000);

  test("asks the game's own rules, too", async () => {
    const rules = { canReach: () => false, beforeMove: () => ({ reject: "Stay." }) };
    const { client, move } = await walker({ movement: MOVEMENT, rules });
    expect(await client.setVoxel([1, 2, 0, 0], STONE)).toMatchObject({ reason: "reach" });
    expect(await move([0.6, 1, 0.5])).toBe("Stay.");
  });

  test("refuses wrong options", async () => {
    const start = (movement: unknown) => serve({ movement: movement as never });
    await expect(start({})).rejects.toThrow(
      "movement.speedMax is undefined; it is a number of voxels per second",
    );
    await expect(start({ speedMax: 0 })).rejects.toThrow("movement.speedMax is 0");
    await expect(start({ speedMax: 6, fallSpeedMax: 999 })).rejects.toThrow("movement.fallSpeedMax is 999");
    await expect(start({ speedMax: 6, size: [0.6, 0] })).rejects.toThrow("movement.size is [0.6, 0]");
    await expect(start({ speedMax: 6, size: [0.6, 1.8] })).rejects.toThrow("movement.size is");
    await expect(start({ speedMax: 6, reach: -1 })).rejects.toThrow("movement.reach is -1");
    await expect(start({ speedMax: 6, speed: 3 })).rejects.toThrow("there is no field speed in movement");
  });
});

test("a game respawns a player with one call", async () => {
  const { server, world, client, placed, position } = await walker({});
  const [x, y, z] = world.spawn;
  server.movePlayer(client.playerId, { position: [x, y, z] }, "respawn");
  await until(() => placed.length === 2);
  expect(placed[1]).toMatchObject({ position: [x, y, z, 0], reason: "respawn" });
  expect(position()).toEqual([x, y, z]);
});

test("[onInterest] a game learns which boxes a client sees from now on, and which no longer", async () => {
  const events: PlayerInterestEvent[] = [];
  const { client } = await walker({ rules: { onInterest: (event) => void events.push(event) } });
  const holds = (boxes: readonly VoxelBox[], x: number): boolean =>
    boxes.some(({ min, max }) => min[0] <= x && x < max[0]);
  expect(events.length).toBe(1);
  expect(events[0]?.player.name).toBe("Ada");
  expect(events[0]?.left).toEqual([]);
  expect([holds(events[0]?.entered ?? [], 0), holds(events[0]?.entered ?? [], 500)]).toEqual([true, false]);
  client.setInterest({ center: [600, 0, 0, 0], radiusChunks: 2 });
  await client.complete();
  expect(events.length).toBe(2);
  expect(events[1]?.left).toEqual(events[0]?.entered);
  expect([holds(events[1]?.entered ?? [], 0), holds(events[1]?.entered ?? [], 600)]).toEqual([false, true]);
});
