import type { Box, Position } from "@orthant/core";
import { regionBox } from "@orthant/core/lattice";
import type { VoxelPlacement } from "@orthant/core/tree";
import { SyncServer } from "@orthant/protocol/server";
import { FakeTime, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { Chronicle, LossyClient, type Weather } from "./lossy-client.ts";
import { settle, TICK_MS } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);
const STORMY_TICKS = 200;
const CALM_TICKS = 400;

/** Returns a region of a strip of six by two around the floor. */
function somewhere(prng: Prng): Position {
  return [prng.below(6), prng.below(2) - 1, 0, 0];
}

function someBoxes(prng: Prng): readonly Box[] {
  return Array.from({ length: prng.between(1, 3) }, () => regionBox(somewhere(prng)));
}

function somePlacements(prng: Prng): readonly VoxelPlacement[] {
  return Array.from({ length: prng.between(1, 3) }, () => {
    const [x, y] = somewhere(prng);
    return { voxel: [x * 128 + prng.below(128), y * 128 + prng.below(128), 0, 0], block: prng.below(10) };
  });
}

describe("on a network that loses, delays, repeats and reorders frames and cuts connections", () => {
  test.each(SEEDS)("every client agrees with the world in the end (seed %i)", async (seed) => {
    const prng = new Prng(seed);
    const weather: Weather = { badness: 0.15 };
    const stored = Array.from({ length: 6 }, () => somePlacements(prng)).flat();
    const world = new SampleWorld({ stored });
    const chronicle = new Chronicle(world);
    const time = new FakeTime();
    const sync = new SyncServer({
      world,
      time,
      acknowledge: prng.chance(0.5) ? "durable" : "applied",
      tickMs: TICK_MS,
      authorize: async ({ clientId, name }) => ({ playerId: clientId, role: "builder", name }),
      limits: {
        editsPerSecond: 1_000,
        editsBurst: 1_000,
        // Sometimes so low that clients are always held back.
        inFlightBytesMax: prng.pick([1_500, 20_000, 1_000_000]),
        wholeRegionBytesPerTick: prng.pick([1, 1_000, 100_000]),
        slowMs: 1_000_000,
        resyncRegionsPerSecond: 40,
      },
    });
    const clients = [1n, 2n, 3n].map(
      (clientId) => new LossyClient(clientId, sync, world, chronicle, prng, weather),
    );
    for (const client of clients) {
      client.boxes = someBoxes(prng);
      client.connect();
    }
    for (let now = 1; now <= STORMY_TICKS + CALM_TICKS; now++) {
      const isStormy = now <= STORMY_TICKS;
      if (!isStormy) weather.badness = 0;
      // The state of a region that a client loaded is recorded before any client can see it.
      for (const region of stored.map(
        ({ voxel }): Position => [Math.floor(voxel[0] / 128), Math.floor(voxel[1] / 128), 0, 0],
      )) {
        if (world.isLoaded(regionBox(region))) chronicle.note(region);
      }
      for (const client of clients) {
        if (isStormy && prng.chance(0.1)) client.edit(somePlacements(prng));
        if (isStormy && prng.chance(0.02)) client.want(someBoxes(prng));
        if (isStormy && prng.chance(0.01)) client.connect();
        client.tick(now);
      }
      if (isStormy && prng.chance(0.1)) world.change(somePlacements(prng));
      await settle();
      time.advance(TICK_MS);
      sync.tick();
      await settle();
    }
    for (const client of clients) {
      expect(client.faults, `client ${client.clientId}`).toEqual([]);
      expect(client.isComplete).toBe(true);
      expect(client.openEdits).toBe(0);
      expect(
        world.edits.filter(({ clientId }) => clientId === client.clientId).map(({ editId }) => editId),
      ).toEqual(Array.from({ length: client.madeEdits }, (_, index) => index + 1));
      for (const { min } of client.boxes) {
        const region: Position = [min[0] / 4, min[1] / 4, 0, 0];
        expect(client.replica.clockOf(region), `region [${region}]`).toBe(world.clockOf(region));
      }
    }
  });
});
