import { type Chunk, chunkFromVoxels, type Position } from "@orthant/core";
import { regionBox } from "@orthant/core/lattice";
import { SyncClient } from "@orthant/protocol/client";
import { DEFAULT_SYNC_LIMITS, SyncServer } from "@orthant/protocol/server";
import { FakeTime, LossyNetwork, type NetworkConditions, Prng, RELIABLE_NETWORK } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { settle, TICK_MS } from "./sample-session.ts";
import { SampleWorld } from "./sample-world.ts";

const REGIONS = Array.from({ length: 24 }, (_, x): Position => [x, 0, 0, 0]);
const CLIENTS = 3;
const STORMY_TICKS = 120;
const TICKS = 400;
const CHUNKS_PER_EDGE = 4;
const CHUNK_EDGE = 32;
const FIRST_MARK = 1_000;

/** Returns chunks that fill all regions with noise, which no patch can say in a few bytes; the first voxel of each region is a mark. */
function* noise(prng: Prng, mark: number): Generator<readonly [Position, Chunk]> {
  for (const [regionX] of REGIONS)
    for (let x = 0; x < CHUNKS_PER_EDGE; x++)
      for (let y = 0; y < CHUNKS_PER_EDGE; y++) {
        const voxels = Uint16Array.from({ length: CHUNK_EDGE ** 2 }, () => prng.between(1, 900));
        voxels[0] = mark;
        yield [[regionX * CHUNKS_PER_EDGE + x, y, 0, 0], chunkFromVoxels(voxels)];
      }
}

/** Lets clients watch edits of all regions. Returns what was wrong, and how many moments each client has seen. */
async function watch(
  seed: number,
  stormy: NetworkConditions,
): Promise<{ readonly faults: readonly string[]; readonly marks: readonly number[]; readonly last: number }> {
  const prng = new Prng(seed);
  const time = new FakeTime();
  const world = new SampleWorld();
  world.changeChunks(noise(prng, FIRST_MARK));
  const server = new SyncServer({
    world,
    time,
    acknowledge: "applied",
    tickMs: TICK_MS,
    authorize: async ({ clientId, name }) => ({ playerId: clientId, role: "viewer", name }),
    limits: {
      ...DEFAULT_SYNC_LIMITS,
      patchesPerTick: prng.pick([2, 4, 16]),
      inFlightBytesMax: prng.pick([200_000, 600_000, 4_000_000]),
      wholeRegionBytesPerTick: prng.pick([100_000, 1_000_000]),
      resyncRegionsPerSecond: 1_000,
    },
  });
  const network = new LossyNetwork(time, prng);
  const faults: string[] = [];
  const marks = new Set<number>();
  const clients = Array.from({ length: CLIENTS }, (_, index) => {
    let wasComplete = false;
    const client: SyncClient = new SyncClient({
      time,
      generators: world.generators,
      clientId: BigInt(index + 1),
      name: "",
      token: () => new Uint8Array(0),
    });
    const look = (): void => {
      const seen = REGIONS.map(([x]) => client.replica?.voxelAt([x * CHUNKS_PER_EDGE * CHUNK_EDGE, 0, 0, 0]));
      wasComplete ||= client.isComplete;
      if (!wasComplete) return;
      const [first] = seen;
      if (seen.some((mark) => mark !== first)) faults.push(`client ${index} sees ${[...new Set(seen)]}`);
      else if (first !== undefined) marks.add(first);
    };
    const [near, far] = network.connect().ends;
    const session = server.connect({ send: (frame) => far.send(frame), close: () => far.close() });
    far.listen({ receive: (frame) => session.receive(frame), disconnected: () => session.disconnected() });
    near.listen({
      receive(frame) {
        client.receive(frame);
        look();
      },
      disconnected: () => faults.push(`client ${index} was disconnected`),
    });
    client.setInterest({ boxes: REGIONS.map(regionBox).slice(0, 8), center: [0, 0, 0, 0] });
    const [first, last] = [REGIONS[0] as Position, REGIONS.at(-1) as Position];
    client.setInterest({
      boxes: [{ min: regionBox(first).min, max: regionBox(last).max }],
      center: [0, 0, 0, 0],
    });
    client.connected({ send: (frame) => near.send(frame), close: () => near.close() });
    return client;
  });
  let last = FIRST_MARK;
  for (let now = 1; now <= TICKS; now++) {
    const isJoined = now > 100;
    network.conditions = isJoined && now < 100 + STORMY_TICKS ? stormy : RELIABLE_NETWORK;
    if (isJoined && now < 100 + STORMY_TICKS && now % 30 === 0) {
      last++;
      world.changeChunks(noise(prng, last));
    }
    for (const client of clients) client.tick();
    await settle();
    time.advance(TICK_MS);
    server.tick();
    await settle();
  }
  for (const [index, client] of clients.entries())
    if (!client.isComplete || client.replica?.voxelAt([0, 0, 0, 0]) !== last)
      faults.push(`client ${index} does not see the end`);
  return { faults, marks: [...marks].sort(), last };
}

describe("[N67] an edit of many regions", () => {
  test.each([1, 2, 3])(
    "is seen whole by every client, however many ticks it takes (seed %i)",
    async (seed) => {
      const { faults, marks, last } = await watch(seed, RELIABLE_NETWORK);
      expect(faults).toEqual([]);
      expect(marks).toEqual(Array.from({ length: last - FIRST_MARK + 1 }, (_, index) => FIRST_MARK + index));
    },
  );

  test.each([1, 2, 3, 4])(
    "is seen whole on a network that loses and reorders frames (seed %i)",
    async (seed) => {
      const conditions = {
        ...RELIABLE_NETWORK,
        loss: 0.1,
        duplication: 0.05,
        reordering: 0.1,
        delayMsMax: 150,
      };
      const { faults, marks, last } = await watch(seed, conditions);
      expect(faults).toEqual([]);
      expect(marks.length).toBeGreaterThan(1);
      expect(marks).toContain(last);
    },
  );
});
