import type { Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import { PlayerBudgets } from "@orthant/protocol/internal";
import {
  DEFAULT_SYNC_LIMITS,
  type SyncLimits,
  type SyncServerOptions,
  type SyncWorld,
} from "@orthant/protocol/server";
import { describe, expect, test, vi } from "vitest";
import { boxesOf, oneAccount, row, type SampleClient, Stage, settle } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const anonymous: SyncServerOptions["authorize"] = async ({ clientId, name }) => ({
  playerId: clientId,
  role: "builder",
  name,
  isAnonymous: true,
});

/** Sends edits and returns their results. */
async function editsOf(stage: Stage, client: SampleClient, count: number): Promise<readonly string[]> {
  for (let editId = 1; editId <= count; editId++)
    client.set(editId, [editId, editId % 4, 0, 0], 1 + (editId % 9));
  await stage.ticks(2);
  return client
    .takeAll("editResults")
    .flatMap(({ results }) => results)
    .map((result) => (result.status === "rejected" ? result.reason : "made"));
}

function made(outcomes: readonly string[]): number {
  return outcomes.filter((outcome) => outcome === "made").length;
}

function goodbyeOf(client: SampleClient): string | undefined {
  return client.takeAll("goodbye")[0]?.detail;
}

describe("the clients of one player share", () => {
  test("editsPerSecond, whatever ids they have", async () => {
    const stage = new Stage({ authorize: oneAccount, limits: { editsPerSecond: 1, editsBurst: 5 } });
    const outcomes: string[] = [];
    for (let id = 1n; id <= 6n; id++) {
      const client = await stage.join({ clientId: id });
      outcomes.push(...(await editsOf(stage, client, 4)));
      client.session.disconnected();
    }
    // Those of the initial burst, and one for each second that passed. The others get no answer yet.
    expect(outcomes).toEqual(new Array(6).fill("made"));
    const other = await stage.join({ clientId: 99n, name: "Bert" });
    expect(made(await editsOf(stage, other, 4))).toBe(4);
  });

  test("editChunksPerSecond", async () => {
    const limits = { editChunksPerSecond: 0.001, editChunksMax: 3 };
    const stage = new Stage({ authorize: oneAccount, limits });
    const [first, second] = [await stage.join({ clientId: 1n }), await stage.join({ clientId: 2n })];
    const outcomes = [...(await editsOf(stage, first, 2)), ...(await editsOf(stage, second, 2))].sort();
    expect(outcomes).toEqual(["made", "made", "made"]);
  });

  test("editDataBytesPerSecond, in which data of no bytes counts for 8", async () => {
    const limits = { editDataBytesPerSecond: 0.001, editDataBytesMax: 24 };
    const stage = new Stage({ authorize: oneAccount, limits });
    const placements = [0, 1].map((y) => ({ voxel: [1, y, 0, 0] as Position, data: new Uint8Array(0) }));
    const outcomes: string[] = [];
    for (let id = 1n; id <= 3n; id++) {
      const client = await stage.join({ clientId: id });
      client.send({ kind: "voxels", editId: 1, placements: placements.slice(0, id === 1n ? 2 : 1) });
      await stage.ticks(2);
      outcomes.push(
        ...client.takeAll("editResults").flatMap(({ results }) => results.map((one) => one.status)),
      );
    }
    // The third gets no answer yet.
    expect(outcomes).toEqual(["applied", "unchanged"]);
  });

  test("1 MiB of data in a minute by default, however they divide it", () => {
    const budgets = new PlayerBudgets(DEFAULT_SYNC_LIMITS);
    let taken = 0;
    for (let nowMs = 0; nowMs < 60_000; nowMs += 20) {
      const budget = budgets.of({ playerId: 7n, role: "builder", name: "Ada" }, undefined);
      while (budget.take("editData", 1_000, nowMs)) taken += 1_000;
    }
    expect(taken).toBeGreaterThan(1_000_000);
    expect(taken).toBeLessThanOrEqual(1_048_576);
  });

  test("clientsPerPlayer, the number of connections", async () => {
    const goodbyes: unknown[] = [];
    const events = { onGoodbye: (...reported: unknown[]) => goodbyes.push(reported) };
    const stage = new Stage({ authorize: oneAccount, limits: { clientsPerPlayer: 2 }, events });
    const first = await stage.join({ clientId: 1n });
    const second = await stage.join({ clientId: 2n });
    const third = await stage.join({ clientId: 3n });
    expect(goodbyeOf(third)).toBe("clientsPerPlayer is 2");
    expect(goodbyes).toEqual([["limit", "clientsPerPlayer"]]);
    // The same client replaces its earlier connection.
    const again = await stage.join({ clientId: 2n });
    expect(goodbyeOf(second)).toBe("the client has connected again");
    expect(again.isClosed).toBe(false);
    first.session.disconnected();
    expect((await stage.join({ clientId: 4n })).isClosed).toBe(false);
    expect((await stage.join({ clientId: 5n, name: "Bert" })).isClosed).toBe(false);
  });

  test("regionsPerPlayer, and get them back when a client leaves or changes its interest", async () => {
    const stage = new Stage({ authorize: oneAccount, limits: { regionsPerPlayer: 20 } });
    const first = await stage.join({ clientId: 1n });
    first.want([row(12, 1)]);
    const second = await stage.join({ clientId: 2n });
    second.want([row(8, 2)]);
    expect(second.isClosed).toBe(false);
    second.want([row(8, 3)]);
    expect(second.isClosed).toBe(false);
    second.want([row(9, 4)]);
    expect(goodbyeOf(second)).toBe("regionsPerPlayer is 20");
    const third = await stage.join({ clientId: 3n });
    third.want([row(8, 2)]);
    await stage.ticks(2);
    expect(third.isClosed).toBe(false);
    expect(stage.sync.regionCounts).toEqual({ watched: 20, held: 20 });
  });

  test("playerInterestRegionsPerSecond, and regions beyond it come later", async () => {
    const limits = { playerInterestRegionsPerSecond: 10, interestRegionsPerSecond: 1_000 };
    const stage = new Stage({ authorize: oneAccount, limits });
    const clients: SampleClient[] = [];
    for (let id = 1n; id <= 3n; id++) clients.push(await stage.join({ clientId: id }));
    for (const [index, client] of clients.entries()) client.want([row(10, index)]);
    // The first is on time, the second is a second ahead, and the third has to wait.
    expect(stage.sync.regionCounts.watched).toBe(20);
    const other = await stage.join({ clientId: 9n, name: "Bert" });
    other.want([row(10, 8)]);
    expect(stage.sync.regionCounts.watched).toBe(30);
    await stage.ticks(10);
    expect(stage.sync.regionCounts.watched).toBe(40);
  });

  test("resyncRegionsPerSecond", async () => {
    const limits = { resyncRegionsPerSecond: 0.001, resyncRegionsBurst: 3 };
    const stage = new Stage({ authorize: oneAccount, limits });
    const positions: readonly Position[] = [
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ];
    stage.world.change(positions.map(([x]) => ({ voxel: [x * 128, 1, 0, 0] as Position, block: 3 })));
    let sent = 0;
    for (let id = 1n; id <= 2n; id++) {
      const client = await stage.joinAt([row(2, 0)], { clientId: id });
      client.take();
      client.send({
        kind: "resync",
        expected: client.expected,
        regions: positions.map((region) => ({ region, clock: stage.world.clockOf(region) })),
      });
      await stage.ticks(3);
      sent += client.takeAll("patch").flatMap(({ patch }) => patch.changes).length;
    }
    expect(sent).toBe(3);
  });
});

describe("anonymous players of one network share", () => {
  test("the edits of budgetsPerNetwork players", async () => {
    const limits = { editsPerSecond: 0.001, editsBurst: 4, budgetsPerNetwork: 2 };
    const stage = new Stage({ authorize: anonymous, limits });
    const counts: number[] = [];
    for (let id = 1n; id <= 4n; id++) {
      const client = await stage.join({ clientId: id }, "192.0.2.0/24");
      counts.push(made(await editsOf(stage, client, 5)));
      client.session.disconnected();
    }
    // One player gets at most its own budget, and all together that of two.
    expect(counts).toEqual([4, 4, 0, 0]);
    const elsewhere = await stage.join({ clientId: 9n }, "198.51.100.0/24");
    expect(made(await editsOf(stage, elsewhere, 5))).toBe(4);
  });

  test("the clients and regions of budgetsPerNetwork players", async () => {
    const limits = { clientsPerPlayer: 1, regionsPerPlayer: 10, budgetsPerNetwork: 3 };
    const stage = new Stage({ authorize: anonymous, limits });
    const clients: SampleClient[] = [];
    for (let id = 1n; id <= 4n; id++) clients.push(await stage.join({ clientId: id }, "192.0.2.0/24"));
    const [first, second, third, fourth] = clients as [
      SampleClient,
      SampleClient,
      SampleClient,
      SampleClient,
    ];
    expect(goodbyeOf(fourth)).toBe("budgetsPerNetwork is 3");
    for (const [index, client] of [first, second, third].entries()) client.want([row(10, index)]);
    expect([first, second, third].map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
    third.want([row(11, 3)]);
    expect(goodbyeOf(third)).toBe("regionsPerPlayer is 10");
  });

  test("nothing with players who have an account", async () => {
    const limits = { editsPerSecond: 0.001, editsBurst: 4, budgetsPerNetwork: 1 };
    const stage = new Stage({ limits });
    for (let id = 1n; id <= 3n; id++) {
      const client = await stage.join({ clientId: id }, "192.0.2.0/24");
      expect(made(await editsOf(stage, client, 5))).toBe(4);
    }
  });
});

describe("a server that holds too many regions", () => {
  test.each<[limit: keyof SyncLimits, limits: Partial<SyncLimits>, number: (client: number) => number]>([
    ["watchedRegionsMax", { watchedRegionsMax: 40 }, (client) => client],
    ["heldRegionsMax", { heldRegionsMax: 40 }, () => 0],
  ])("disconnects the largest client of the largest holder: %s", async (limit, limits, number) => {
    const stage = new Stage({ authorize: oneAccount, limits });
    const small = await stage.join({ clientId: 100n, name: "Bert" });
    small.want([row(10, number(0))]);
    const clients: SampleClient[] = [];
    for (let id = 1n; id <= 3n; id++) clients.push(await stage.join({ clientId: id }));
    // One account has 8, 9 and 10 regions. Then another player joins with more than any of these clients.
    for (const [index, client] of clients.entries()) client.want([row(8 + index, number(index + 1))]);
    const newcomer = await stage.join({ clientId: 101n, name: "Cleo" });
    newcomer.want([row(12, number(5))]);
    await stage.ticks(2);
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([false, false, true]);
    expect(goodbyeOf(clients[2] as SampleClient)).toBe(`${limit} is 40`);
    expect(small.isClosed || newcomer.isClosed).toBe(false);
  });
});

test("a server whose regions take too much memory disconnects the client that holds most bytes, not most regions", async () => {
  const world: SampleWorld & Pick<SyncWorld, "loadedBytes"> = new SampleWorld();
  const heavy = (x: number): boolean => x >= 100;
  world.loadedBytes = (region) => {
    if (region !== undefined) return heavy(region[0]) ? 400 : 1;
    return 400 * [...world.keptBoxes].filter(({ min }) => heavy(min[0] / 4)).length;
  };
  const stage = new Stage({ world, authorize: oneAccount, limits: { watchedBytesMax: 1_000 } });
  const many = await stage.join({ clientId: 100n, name: "Bert" });
  many.want([row(50, 0)]);
  const clients: SampleClient[] = [];
  for (let id = 1n; id <= 3n; id++) clients.push(await stage.join({ clientId: id }));
  const at = (x: number): void => clients[x - 100]?.want(boxesOf([x, 0, 0, 0]));
  at(100);
  at(101);
  await stage.ticks(50);
  expect([many, ...clients].map(({ isClosed }) => isClosed)).toEqual([false, false, false, false]);
  at(102);
  await stage.ticks(50);
  expect(clients.filter(({ isClosed }) => isClosed)).toHaveLength(1);
  expect(clients.map(goodbyeOf).filter((detail) => detail !== undefined)).toEqual([
    "watchedBytesMax is 1000",
  ]);
  expect(many.isClosed).toBe(false);
});

test("regions of a player with few are loaded in turn with those of a player with many", async () => {
  const stored = Array.from({ length: 201 }, (_, index) => ({
    voxel: [index * 128, 1, 0, 0] as Position,
    block: 3,
  }));
  const world = new SampleWorld({ stored });
  let release = (): void => undefined;
  world.loading = new Promise((resolve) => {
    release = () => resolve();
  });
  const stage = new Stage({ world });
  const greedy = await stage.join({ clientId: 1n });
  greedy.want([row(200, 0)]);
  await stage.ticks(2);
  const modest = await stage.join({ clientId: 2n });
  modest.want(boxesOf([200, 0, 0, 0]));
  await stage.ticks(2);
  release();
  await settle();
  const order = world.loads.map(({ min }) => min[0] / 4);
  expect(order.indexOf(200)).toBeGreaterThan(0);
  expect(order.indexOf(200)).toBeLessThan(20);
});

test("when all clients together have too much in flight, those above their share wait", async () => {
  const world = new SampleWorld();
  const stage = new Stage({ world, limits: { inFlightBytesTotalMax: 3_000 } });
  const [deaf, quick] = [await stage.join({ clientId: 1n }), await stage.join({ clientId: 2n })];
  await stage.ticks(1);
  deaf.isAttentive = false;
  const payload = new Uint8Array(1_000);
  for (let turn = 0; turn < 8; turn++) {
    stage.sync.broadcast(payload);
    await stage.ticks(1);
  }
  expect(quick.takeAll("game").length).toBe(8);
  expect(deaf.takeAll("game").length).toBeLessThan(5);
  deaf.isAttentive = true;
  await stage.ticks(1);
  deaf.send();
  await stage.ticks(2);
  expect(deaf.takeAll("game").length).toBeGreaterThan(3);
});

test("a tick examines at most 16,384 regions for all clients together, and each gets its own eventually", async () => {
  const limits = { interestRegionsPerSecond: 1e9, playerInterestRegionsPerSecond: 1e9 };
  const world = new SampleWorld();
  const isLoaded = vi.spyOn(world, "isLoaded").mockReturnValue(false);
  const stage = new Stage({ world, limits });
  const clients: SampleClient[] = [];
  for (let id = 1n; id <= 40n; id++) clients.push(await stage.join({ clientId: id }));
  for (const [index, client] of clients.entries()) {
    client.want([boxBetween([0, index * 100, 0, 0], [64, index * 100 + 64, 16, 4])]);
  }
  isLoaded.mockClear();
  await stage.tick();
  expect(isLoaded.mock.calls.length).toBeLessThanOrEqual(16_384);
  expect(isLoaded.mock.calls.length).toBeGreaterThan(10_000);
  isLoaded.mockRestore();
  for (let tick = 0; tick < 30; tick++) await stage.ticks(1);
  const complete = clients.map((client) => client.takeAll("heartbeat").at(-1)?.complete);
  expect(complete.every((isComplete) => isComplete === true)).toBe(true);
});
