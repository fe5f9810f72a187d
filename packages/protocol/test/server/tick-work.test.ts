import type { Box, Position } from "@orthant/core";
import { boxBetween } from "@orthant/core/lattice";
import type { TickReport } from "@orthant/protocol/server";
import { describe, expect, test } from "vitest";
import {
  boxesOf,
  oneAccount,
  row,
  type SampleClient,
  Stage,
  settle,
  TICK_MS,
  tileIn,
} from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const HERE: Position = [0, 0, 0, 0];
const WIDE: Box = boxBetween([0, 0, 0, 0], [128, 128, 1, 1]);

/** Holds the pauses of a server until a test ends them. */
function heldPauses(): { readonly pause: (resume: () => void) => void; readonly waiting: (() => void)[] } {
  const waiting: (() => void)[] = [];
  return { pause: (resume) => void waiting.push(resume), waiting };
}

/** Returns a stage on which it takes 1 ms to hold or release a region. */
function slowStage(options: ConstructorParameters<typeof Stage>[0] = {}): Stage & { reports: TickReport[] } {
  const reports: TickReport[] = [];
  const world = new SampleWorld();
  const events = { onTick: (report: TickReport) => reports.push(report) };
  const stage = Object.assign(new Stage({ world, events, ...options }), { reports });
  const keep = world.keep.bind(world);
  world.keep = (chunks) => {
    stage.time.advance(1);
    const release = keep(chunks);
    return () => {
      stage.time.advance(1);
      return release();
    };
  };
  return stage;
}

describe("tickWorkMs", () => {
  const limits = { tickWorkMs: 600, interestRegionsPerSecond: 1e9, playerInterestRegionsPerSecond: 1e9 };

  test("cuts a large interest into pieces, and the client gets all of it eventually", async () => {
    const stage = slowStage({ limits });
    const client = await stage.join();
    client.want([WIDE]);
    // A piece is completed once it has begun.
    expect(stage.sync.regionCounts.watched).toBeLessThan(600);
    await stage.tick();
    expect(client.takeAll("heartbeat").some(({ complete }) => complete)).toBe(false);
    await stage.ticks(8);
    expect(stage.sync.regionCounts.watched).toBe(1_024);
    expect(client.takeAll("heartbeat").at(-1)).toMatchObject({ interestId: 1, complete: true });
    expect(Math.max(...stage.reports.map(({ workMs }) => workMs))).toBeLessThan(600);
    expect(stage.reports.some(({ isWorkCut }) => isWorkCut)).toBe(true);
    expect(stage.reports.at(-1)?.isWorkCut).toBe(false);
  });

  test("lets players take turns, however many clients one of them has", async () => {
    const stage = slowStage({ authorize: oneAccount, limits: { ...limits, tickWorkMs: 200 } });
    const crowd: SampleClient[] = [];
    for (let id = 1n; id <= 8n; id++) crowd.push(await stage.join({ clientId: id }));
    const honest = await stage.join({ clientId: 100n, name: "Bert" });
    for (const [index, client] of crowd.entries())
      client.want([boxBetween([0, index * 200, 0, 0], [128, index * 200 + 128, 1, 1])]);
    honest.want([row(20, 500)]);
    await stage.ticks(4);
    expect(honest.takeAll("heartbeat").at(-1)).toMatchObject({ interestId: 1, complete: true });
    expect(crowd.flatMap((client) => client.takeAll("heartbeat")).some(({ complete }) => complete)).toBe(
      false,
    );
  });

  test("lets an interest replace an unfinished one", async () => {
    const stage = slowStage({ limits });
    const client = await stage.join();
    client.want([WIDE]);
    client.want([row(3, 900)]);
    await stage.ticks(6);
    expect(stage.sync.regionCounts).toEqual({ watched: 3, held: 3 });
    expect(client.takeAll("heartbeat").at(-1)).toMatchObject({ interestId: 2, complete: true });
  });

  test("releases the regions of a disconnected client over several ticks", async () => {
    const stage = slowStage({ limits });
    const client = await stage.join();
    client.want([WIDE]);
    await stage.ticks(8);
    client.session.disconnected();
    expect(stage.sync.regionCounts.watched).toBeGreaterThan(400);
    // A change of a region whose holder is gone has no effect.
    stage.world.change([{ voxel: [1, 1, 0, 0], block: 3 }]);
    await stage.ticks(6);
    expect(stage.sync.regionCounts).toEqual({ watched: 0, held: 0 });
    expect(stage.world.keptBoxes.size).toBe(0);
  });

  test("comes in slices with pauses between them, if the server can pause", async () => {
    const { pause, waiting } = heldPauses();
    const stage = slowStage({ pause, limits: { ...limits, tickWorkMs: 1_600 } });
    const client = await stage.join();
    client.want([WIDE]);
    // A piece of work is as large as a slice. The process handles other events before the next one.
    expect(stage.sync.regionCounts.watched).toBeLessThan(300);
    expect(waiting.length).toBe(1);
    waiting.shift()?.();
    expect(stage.sync.regionCounts.watched).toBeGreaterThan(300);
    expect(stage.sync.regionCounts.watched).toBeLessThan(600);
    waiting.shift()?.();
    // The time of this tick is used up.
    expect(waiting.length).toBe(0);
    expect(stage.sync.regionCounts.watched).toBeLessThan(800);
    await stage.tick();
    for (let resume = waiting.shift(); resume !== undefined; resume = waiting.shift()) resume();
    expect(stage.sync.regionCounts.watched).toBe(1_024);
    expect(Math.max(...stage.reports.map(({ workMs }) => workMs))).toBeLessThan(1_600);
  });

  test("limits the number of loaded regions, even if none of them takes long", async () => {
    const world = new SampleWorld({ stored: Array.from({ length: 100 }, (_, x) => tileIn([x, 0, 0, 0], 3)) });
    const stage = new Stage({ world, limits: { tickWorkMs: 60 } });
    const load = world.load.bind(world);
    world.load = (chunks) => {
      stage.time.advance(1);
      return load(chunks);
    };
    const client = await stage.join();
    client.want([row(100, 0)]);
    await settle();
    const loads: number[] = [];
    for (let tick = 0; tick < 3; tick++) {
      const before = world.loads.length;
      await stage.tick(TICK_MS);
      await settle();
      loads.push(world.loads.length - before);
    }
    expect(loads).toEqual([20, 20, 20]);
  });

  test("lets clients that join at once wait for their welcomes in turn", async () => {
    const stage = new Stage({ limits: { tickWorkMs: 9 } });
    const clients = Array.from({ length: 10 }, () => stage.connect());
    const world = stage.world as { name: string };
    Object.defineProperty(world, "name", {
      get() {
        stage.time.advance(1);
        return "Slow";
      },
    });
    for (const [index, client] of clients.entries()) client.hello({ clientId: BigInt(index + 1) });
    await settle();
    const welcome = (): number => clients.filter((client) => client.takeAll("welcome").length > 0).length;
    // The first of them do not wait for a tick.
    const welcomes = [welcome()];
    for (let tick = 0; tick < 4; tick++) {
      await stage.tick();
      welcomes.push(welcome());
    }
    expect(welcomes).toEqual([3, 3, 3, 1, 0]);
  });

  test("does not delay a change for a client that waits for nothing else", async () => {
    const stage = new Stage();
    const honest = await stage.joinAt(boxesOf(HERE), { clientId: 1n });
    const greedy = await stage.join({ clientId: 2n, name: "Bert" });
    for (let tick = 0; tick < 2; tick++) {
      const order: string[] = [];
      honest.onBytes = () => order.push("honest");
      greedy.onBytes = () => order.push("greedy");
      greedy.want([row(50, 100 + tick)]);
      await settle();
      stage.world.change([tileIn(HERE, 3 + tick)]);
      await stage.tick();
      // Each client takes its turn to be first in one of the ticks.
      expect(order.slice(0, 2)).toEqual(["honest", "greedy"]);
    }
  });
});
