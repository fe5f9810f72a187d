import type { Position } from "@orthant/core";
import type { VoxelPlacement } from "@orthant/core/tree";
import type { TickReport } from "@orthant/protocol/server";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxesOf, type SampleClient, Stage, type StageOptions, tileIn } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const HERE: Position = [0, 0, 0, 0];
const BESIDE: Position = [1, 0, 0, 0];
/** Clients that hold the same share a record at their next heartbeat. */
const TICKS_UNTIL_SHARED = 12;

/** Returns a stage with clients that hold two regions, long enough to share a record of them. */
async function crowd(count: number, options: StageOptions = {}): Promise<[Stage, SampleClient[]]> {
  const stage = new Stage(options);
  const clients: SampleClient[] = [];
  for (let index = 1; index <= count; index++)
    clients.push(await stage.joinAt(boxesOf(HERE, BESIDE), { clientId: BigInt(index) }));
  await stage.ticks(TICKS_UNTIL_SHARED);
  for (const client of clients) client.take();
  return [stage, clients];
}

function kindsOf(client: SampleClient): readonly string[] {
  return client.take().map(({ kind }) => kind);
}

describe("clients that hold the same", () => {
  test("are all sent a change in the tick in which it happens, and once", async () => {
    const [stage, clients] = await crowd(5);
    stage.world.change([tileIn(HERE, 3)]);
    await stage.tick();
    for (const client of clients) {
      expect(kindsOf(client).filter((kind) => kind === "patch")).toEqual(["patch"]);
      expect(client.agrees(HERE)).toBe(true);
    }
  });

  test("count as often as they are for the limits on held regions", async () => {
    const [stage, clients] = await crowd(4);
    expect(stage.sync.regionCounts).toEqual({ watched: 2, held: 8 });
    clients[1]?.session.disconnected();
    await stage.ticks(2);
    expect(stage.sync.regionCounts).toEqual({ watched: 2, held: 6 });
    for (const client of clients) client.session.disconnected();
    await stage.ticks(2);
    expect(stage.sync.regionCounts).toEqual({ watched: 0, held: 0 });
  });

  test("learn the results of their own edits, after the change", async () => {
    const [stage, [ada, bob]] = await crowd(2);
    ada?.set(1, [9, 9, 0, 0], 4);
    await stage.ticks(2);
    expect(kindsOf(ada as SampleClient).filter((kind) => kind !== "heartbeat")).toEqual([
      "patch",
      "editResults",
    ]);
    expect(kindsOf(bob as SampleClient).filter((kind) => kind !== "heartbeat")).toEqual(["patch"]);
  });

  test("catch up alone when they did not acknowledge enough", async () => {
    const reports: TickReport[] = [];
    const [stage, [ada, bob]] = await crowd(2, {
      limits: { inFlightBytesMax: 300 },
      events: { onTick: (report) => reports.push(report) },
    });
    if (ada === undefined || bob === undefined) throw new Error("two clients");
    ada.isAttentive = false;
    for (let step = 0; step < 30; step++) {
      stage.world.change([tileIn(HERE, 1 + (step % 9), step), tileIn(BESIDE, 2, step)]);
      await stage.ticks(1);
    }
    expect(bob.agrees(HERE)).toBe(true);
    expect(ada.agrees(HERE)).toBe(false);
    expect(reports.some(({ heldBack }) => heldBack === 1)).toBe(true);
    ada.isAttentive = true;
    ada.send();
    await stage.ticks(4);
    expect(ada.agrees(HERE) && ada.agrees(BESIDE)).toBe(true);
  });

  test("catch up, each alone, with changes that are too many for one tick", async () => {
    const [stage, clients] = await crowd(3, { limits: { patchesPerTick: 1 } });
    const prng = new Prng(3);
    const tiles = (region: Position): readonly VoxelPlacement[] =>
      Array.from({ length: 6_000 }, () => ({
        voxel: [region[0] * 128 + prng.below(128), prng.below(128), 0, 0],
        block: prng.between(1, 9),
      }));
    stage.world.change([...tiles(HERE), ...tiles(BESIDE)]);
    await stage.tick();
    expect(clients.map((client) => client.agrees(HERE) && client.agrees(BESIDE))).toEqual([
      false,
      false,
      false,
    ]);
    await stage.ticks(4);
    expect(clients.map((client) => client.agrees(HERE) && client.agrees(BESIDE))).toEqual([true, true, true]);
  });

  test("leave each other when one wants other regions, and neither misses a change", async () => {
    const [stage, [ada, bob]] = await crowd(2);
    if (ada === undefined || bob === undefined) throw new Error("two clients");
    stage.world.change([tileIn(HERE, 5)]);
    ada.want(boxesOf(HERE));
    stage.world.change([tileIn(BESIDE, 6)]);
    await stage.ticks(3);
    expect(ada.agrees(HERE) && bob.agrees(HERE) && bob.agrees(BESIDE)).toBe(true);
    expect(ada.replica.clockOf(BESIDE)).toBeUndefined();
    ada.want(boxesOf(HERE, BESIDE));
    stage.world.change([tileIn(BESIDE, 7, 1)]);
    await stage.ticks(TICKS_UNTIL_SHARED);
    stage.world.change([tileIn(BESIDE, 8, 2)]);
    await stage.tick();
    expect(ada.agrees(BESIDE) && bob.agrees(BESIDE)).toBe(true);
  });

  test("confirm an interest with the same regions without being sent them again", async () => {
    const [stage, [ada]] = await crowd(2);
    ada?.want(boxesOf(HERE, BESIDE), { center: [50, 0, 0, 0] });
    await stage.ticks(1);
    expect(ada?.take()).toMatchObject([{ kind: "heartbeat", interestId: 2, complete: true }]);
  });

  test("agree with the world after random edits, losses, requests and goodbyes", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const prng = new Prng(seed);
      const limits = prng.pick([{}, { patchesPerTick: 2 }, { inFlightBytesMax: 200 }]);
      const [stage, clients] = await crowd(6, { limits });
      for (let step = 0; step < 120; step++) {
        const client = prng.pick(clients);
        const edits = Array.from({ length: prng.below(4) }, () =>
          tileIn(prng.pick([HERE, BESIDE]), prng.between(1, 9), prng.below(60)),
        );
        if (edits.length > 0) stage.world.change(edits);
        if (prng.chance(0.1)) client.isAttentive = !client.isAttentive;
        if (prng.chance(0.05)) client.want(boxesOf(...prng.pick([[HERE], [HERE, BESIDE]])));
        if (prng.chance(0.05)) client.send({ kind: "resync", expected: client.expected, regions: [] });
        if (prng.chance(0.05)) client.send({ kind: "entitiesLost" });
        await stage.ticks(1);
      }
      for (const client of clients) {
        client.isAttentive = true;
        client.want(boxesOf(HERE, BESIDE));
        client.send();
      }
      await stage.ticks(2 * TICKS_UNTIL_SHARED);
      for (const [index, client] of clients.entries())
        expect([client.agrees(HERE), client.agrees(BESIDE)], `seed ${seed}, client ${index}`).toEqual([
          true,
          true,
        ]);
    }
  });
});

describe("a region of several small patches", () => {
  test("is sent whole to a newcomer", async () => {
    const world = new SampleWorld();
    const stage = new Stage({ world, limits: { pieceBytesMax: 120 } });
    const host = await stage.joinAt(boxesOf(HERE));
    world.change(Array.from({ length: 60 }, (_, step) => tileIn(HERE, 1 + (step % 9), 2 * step)));
    await stage.ticks(2);
    const client = await stage.joinAt(boxesOf(HERE), { clientId: 2n });
    await stage.ticks(4);
    expect(client.takeAll("patch").length).toBeGreaterThan(1);
    expect(client.agrees(HERE) && host.agrees(HERE)).toBe(true);
  });
});
