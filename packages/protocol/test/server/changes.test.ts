import { type Chunk, type ChunkShape, chunkFromVoxels, PIXEL_CHUNKS, type Position } from "@orthant/core";
import { boxBetween, positionsLexicographic } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { boxesOf, type SampleClient, Stage, tileIn } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const A: Position = [0, 0, 0, 0];
const B: Position = [1, 0, 0, 0];
const C: Position = [2, 0, 0, 0];

/** Returns the region, base and new clock of each change in each patch since the last call. */
function changesIn(client: SampleClient): readonly unknown[] {
  return client
    .takeAll("patch")
    .map(({ patch }) => patch.changes.map(({ region, base, next }) => [region, base, next]));
}

/** Returns random chunks for all of region A: more than fits into one patch. */
function noise({ volume }: ChunkShape): readonly (readonly [Position, Chunk])[] {
  const prng = new Prng(7);
  return [...positionsLexicographic(boxBetween([0, 0, 0, 0], [4, 4, 2, 1]))].map((position) => [
    position,
    chunkFromVoxels(Uint16Array.from({ length: volume }, () => prng.below(65_536))),
  ]);
}

describe("a change", () => {
  test("goes to all clients that hold the region, and to no others", async () => {
    const stage = new Stage();
    const near = await stage.joinAt(boxesOf(A, B), { clientId: 1n });
    const far = await stage.joinAt(boxesOf(C), { clientId: 2n });
    near.take();
    far.take();
    stage.world.change([tileIn(A, 9), tileIn(B, 9)]);
    await stage.tick();
    expect(changesIn(near)).toEqual([
      [
        [A, 0, stage.world.clockOf(A)],
        [B, 0, stage.world.clockOf(B)],
      ],
    ]);
    expect(near.agrees(A) && near.agrees(B)).toBe(true);
    expect(changesIn(far)).toEqual([]);
  });

  test("costs one small message: one voxel, its region and two clocks", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    stage.world.change([tileIn(A, 9)]);
    await stage.tick();
    const frame = client.frames.at(-1);
    expect(frame?.messages.map(({ kind }) => kind)).toEqual(["patch"]);
    const [change] = client.takeAll("patch").flatMap(({ patch }) => patch.changes);
    expect(change?.edits.length).toBe(1);
    expect(change?.leaves).toEqual([]);
  });

  test("is merged with later ones of the same tick", async () => {
    const stage = new Stage();
    const client = await stage.joinAt(boxesOf(A));
    client.take();
    for (let step = 0; step < 5; step++) stage.world.change([tileIn(A, 9, step)]);
    await stage.tick();
    expect(changesIn(client)).toEqual([[[A, 0, stage.world.clockOf(A)]]]);
    expect(client.agrees(A)).toBe(true);
  });

  test("reaches clients with overlapping interests in the patches that fit each", async () => {
    const stage = new Stage();
    const clients = [
      await stage.joinAt(boxesOf(A, B), { clientId: 1n }),
      await stage.joinAt(boxesOf(B, C), { clientId: 2n }),
      await stage.joinAt(boxesOf(A, B, C), { clientId: 3n }),
    ];
    for (let step = 0; step < 4; step++) {
      stage.world.change([tileIn(A, 9, step), tileIn(B, 9, step), tileIn(C, 9, step)]);
      await stage.tick();
    }
    for (const client of clients) {
      for (const { region } of client.replica.held()) expect(client.agrees(region)).toBe(true);
      expect(client.replica.held().length).toBe(client === clients[2] ? 3 : 2);
    }
  });

  test("a change of a region that was held but not loaded makes the server send it completely", async () => {
    const world = new SampleWorld({ stored: [tileIn(A, 9)] });
    const stage = new Stage({ world });
    const client = await stage.join({ kept: { worldId: world.worldId, epoch: world.epoch } });
    client.want(boxesOf(A), { held: [{ region: A, clock: world.clockOf(A) }] });
    await stage.tick();
    world.change([tileIn(A, 8)]);
    await stage.tick();
    expect(changesIn(client)).toEqual([[[A, "generated", world.clockOf(A)]]]);
    expect(client.agrees(A)).toBe(true);
  });
});

test("a change that reverts loaded contents reaches the client they were loaded for", async () => {
  const world = new SampleWorld({ stored: [tileIn(A, 9)] });
  const stage = new Stage({ world });
  const client = await stage.joinAt(boxesOf(A));
  world.change([tileIn(A, 0)]);
  await stage.tick();
  expect(world.state.overrides.bounds()).toBe(undefined);
  expect(client.agrees(A)).toBe(true);
});

describe("a client that does not acknowledge", () => {
  const limits = { inFlightBytesMax: 200 };

  /** A client that holds A and B and exceeds its in-flight limit. */
  async function full(stage: Stage): Promise<SampleClient> {
    const client = await stage.joinAt(boxesOf(A, B));
    client.isAttentive = false;
    // The welcome alone exceeds the in-flight limit, and the client no longer acknowledges.
    client.hello();
    await stage.tick();
    client.take();
    return client;
  }

  test("gets only one heartbeat per second", async () => {
    const stage = new Stage({ limits });
    const client = await full(stage);
    for (let second = 0; second < 30; second++) {
      stage.world.change([tileIn(A, 9, second)]);
      await stage.tick();
    }
    const kinds = client.take().map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["heartbeat"]));
    expect(kinds.length).toBe(3);
  });

  test("gets one merged patch for everything it missed once it acknowledges", async () => {
    const stage = new Stage({ limits });
    const client = await full(stage);
    const before = stage.world.clockOf(A);
    for (let step = 0; step < 30; step++) {
      stage.world.change([tileIn(A, 9, step), ...(step === 10 ? [tileIn(B, 9)] : [])]);
      await stage.tick();
    }
    client.take();
    client.send();
    await stage.tick();
    expect(changesIn(client)).toEqual([
      [
        [A, before, stage.world.clockOf(A)],
        [B, 0, stage.world.clockOf(B)],
      ],
    ]);
    expect(client.agrees(A) && client.agrees(B)).toBe(true);
  });

  test("gets complete regions when the states it holds are no longer known", async () => {
    const stage = new Stage({ limits });
    const client = await full(stage);
    stage.world.change([tileIn(A, 9)]);
    await stage.tick();
    // It sends frames but acknowledges nothing.
    for (let index = 0; index < 110; index++) {
      client.acknowledged = 0;
      client.send();
      await stage.tick();
    }
    client.take();
    client.acknowledged = client.frames.at(-1)?.number ?? 0;
    client.send();
    await stage.tick();
    expect(changesIn(client)).toEqual([[[A, "generated", stage.world.clockOf(A)]]]);
  });

  test("is disconnected after a while", async () => {
    const goodbyes: unknown[] = [];
    const events = { onGoodbye: (...reported: unknown[]) => goodbyes.push(reported) };
    const stage = new Stage({ limits: { ...limits, slowMs: 5_000 }, events });
    const client = await full(stage);
    for (let index = 0; index < 52 && !client.isClosed; index++) {
      client.acknowledged = 0;
      client.send();
      await stage.tick();
    }
    expect(client.takeAll("goodbye")).toMatchObject([{ reason: "slow", detail: "slowMs is 5000" }]);
    expect(goodbyes).toEqual([["slow", "slowMs"]]);
  });

  test("is counted as held back", async () => {
    const heldBack: number[] = [];
    const stage = new Stage({ limits, events: { onTick: (report) => heldBack.push(report.heldBack) } });
    const client = await full(stage);
    await stage.tick();
    client.send();
    await stage.tick();
    expect(heldBack.slice(-2)).toEqual([1, 0]);
  });
});

describe("a region too large for one patch", () => {
  /** A world of pixels with noise in region A. Regions are 512 pixels wide. */
  function noisyStage(): Stage {
    const world = new SampleWorld({ shape: PIXEL_CHUNKS });
    world.changeChunks(noise(PIXEL_CHUNKS));
    return new Stage({ world, limits: { wholeRegionBytesPerTick: 1 } });
  }

  test("arrives in consecutive pieces over several ticks, then with later changes", async () => {
    const stage = noisyStage();
    const client = await stage.joinAt(boxesOf(B));
    client.want(boxesOf(A, B));
    const pieces: string[] = [];
    for (let index = 0; index < 8; index++) {
      // Other changes happen while the pieces are sent, and have to wait.
      if (index < 2) {
        stage.world.change([
          { voxel: [index, 0, 0, 0], block: 9 },
          { voxel: [512 + index, 0, 0, 0], block: 9 },
        ]);
      }
      await stage.tick();
      client.send();
      for (const { patch } of client.takeAll("patch")) {
        pieces.push(patch.changes.map(({ region, piece }) => `${region[0]}/${piece}`).join());
      }
    }
    const first = pieces.indexOf("0/0");
    expect(pieces.slice(first, first + 3)).toEqual(["0/0", "0/1", "0/2"]);
    expect(client.agrees(A) && client.agrees(B)).toBe(true);
  });

  test("a transfer of a large region that is left in the middle is forgotten", async () => {
    const stage = noisyStage();
    const client = await stage.join();
    client.want(boxesOf(A));
    await stage.tick();
    expect(client.takeAll("patch").map(({ patch }) => patch.changes[0]?.next)).toEqual([undefined]);
    client.want(boxesOf(B));
    await stage.ticks(2);
    const kinds = client.take().map(({ kind }) => kind);
    expect(kinds).not.toContain("patch");
    expect(kinds).toContain("forget");
    expect(client.replica.held()).toEqual([{ region: B, clock: 0 }]);
  });

  test("a transfer of a large region that lost a piece starts again", async () => {
    const stage = noisyStage();
    const client = await stage.join();
    client.want(boxesOf(A));
    client.isDeaf = true;
    await stage.tick();
    client.isDeaf = false;
    client.send({ kind: "resync", expected: 1, regions: [] });
    await stage.ticks(5);
    expect(client.takeAll("patch").map(({ patch }) => patch.changes[0]?.piece)).toEqual([0, 1, 2]);
    expect(client.agrees(A)).toBe(true);
  });
});

/** Returns enough voxels in each region for its own patch. */
function largeChanges(regions: readonly Position[], turn: number): readonly VoxelPlacement[] {
  return regions.flatMap((region) =>
    Array.from({ length: 4_000 }, (_, index) => ({
      voxel: [region[0] * 128 + (index % 100), Math.floor(index / 100), 0, 0] as Position,
      block: (index * 7_919 + turn) % 65_536,
    })),
  );
}

test("a client gets at most patchesPerTick patches of live changes per tick, and the rest later", async () => {
  const regions = [...positionsLexicographic(boxBetween([0, 0, 0, 0], [9, 1, 1, 1]))];
  const stage = new Stage({ limits: { patchesPerTick: 4 } });
  const client = await stage.joinAt([boxBetween([0, 0, 0, 0], [36, 4, 4, 4])]);
  client.take();
  stage.world.change(largeChanges(regions, 1));
  const counts: number[] = [];
  for (let index = 0; index < 4; index++) {
    await stage.tick();
    counts.push(client.takeAll("patch").length);
    client.send();
  }
  expect(counts).toEqual([4, 4, 1, 0]);
  expect(regions.every((region) => client.agrees(region))).toBe(true);
});

test("live changes beyond patchesPerTick merge while they wait, and no region waits forever", async () => {
  const regions = [...positionsLexicographic(boxBetween([0, 0, 0, 0], [9, 1, 1, 1]))];
  const stage = new Stage({ limits: { patchesPerTick: 4 } });
  const client = await stage.joinAt([boxBetween([0, 0, 0, 0], [36, 4, 4, 4])]);
  client.take();
  const reported = new Map<string, number>();
  for (let turn = 1; turn <= 12; turn++) {
    stage.world.change(largeChanges(regions, turn));
    await stage.tick();
    client.send();
    const patches = client.takeAll("patch");
    expect(patches.length).toBeLessThanOrEqual(4);
    for (const { region } of patches.flatMap(({ patch }) => patch.changes)) {
      reported.set(String(region), (reported.get(String(region)) ?? 0) + 1);
    }
  }
  expect(reported.size).toBe(regions.length);
  await stage.ticks(5);
  expect(regions.every((region) => client.agrees(region))).toBe(true);
});

test("a tick sends at most patchesPerTick patches of new regions, and the rest in the next ones", async () => {
  const world = new SampleWorld();
  const regions = [...positionsLexicographic(boxBetween([0, 0, 0, 0], [6, 1, 1, 1]))];
  world.change(largeChanges(regions, 0));
  const stage = new Stage({ world, limits: { patchesPerTick: 2 } });
  const client = await stage.join();
  client.want([boxBetween([0, 0, 0, 0], [24, 4, 4, 4])]);
  const counts: number[] = [];
  for (let index = 0; index < 4; index++) {
    await stage.tick();
    counts.push(client.takeAll("patch").length);
  }
  expect(counts).toEqual([2, 2, 2, 0]);
  expect(regions.every((region) => client.agrees(region))).toBe(true);
});
