import { connectReplica } from "@orthant/client/node";
import { memoryCache, type ReplicaCache, type WorldReplica } from "@orthant/client/replica";
import { chunkShape, defineGenerator, GeneratorRegistry, type Position } from "@orthant/core";
import { boxContains, positionsLexicographic } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import type { OrthantServer } from "@orthant/server";
import { createWorld, type World } from "@orthant/world";
import { expect, test } from "vitest";
import { countingSockets, serve } from "./served-world.ts";

const SEED = 7n;
const HOUSE: Position<3> = [2, 20, 2];
/** The voxels that are compared: both generators, and the border between them. */
const AROUND = { min: [-36, -4, -36, 0], max: [36, 24, 36, 1] } as const;

function blockOf(version: number, x: number, y: number, z: number): number {
  return y >= 10 ? 0 : 1 + ((x + 3 * y + 5 * z + 2 * version) & 7);
}

const [hills1, hills2, hills3] = [1, 2, 3].map((version) =>
  defineGenerator({
    id: "test:hills",
    version,
    dimensions: 3,
    open: () => (x, y, z) => blockOf(version, x, y, z),
  }),
) as [Hills, Hills, Hills];
type Hills = ReturnType<typeof defineGenerator<3>>;

async function hillsWorld(): Promise<World<3>> {
  const world = await createWorld(
    new MemoryDisk(),
    { dimensions: 3, chunkShape: chunkShape([4, 4, 4]), generator: hills1({ seed: SEED }) },
    { generators: [hills1, hills2, hills3] },
  );
  await world.set(HOUSE, 15);
  return world;
}

interface Joined {
  readonly client: WorldReplica;
  readonly bytes: () => number;
}

async function join(server: OrthantServer, known: readonly Hills[], cache?: ReplicaCache): Promise<Joined> {
  const { socket, bytes } = countingSockets();
  const client = connectReplica(server.url, {
    socket,
    generators: new GeneratorRegistry(known.map(({ generator }) => generator)),
    interest: { boxes: [{ min: [-10, -2, -10, 0], max: [10, 6, 10, 1] }], center: [0, 0, 0, 0] },
    timeoutMs: 60_000,
    ...(cache && { cache }),
  });
  await client.ready;
  return { client, bytes };
}

/** Waits until a client holds all voxels, and compares each with `versionAt`. */
async function expectVersions(client: WorldReplica, versionAt: (voxel: Position) => number): Promise<void> {
  await expect.poll(() => wrongVoxels(client, versionAt), { timeout: 30_000, interval: 100 }).toEqual([]);
}

function wrongVoxels(client: WorldReplica, versionAt: (voxel: Position) => number): readonly string[] {
  const wrong: string[] = [];
  for (const voxel of positionsLexicographic(AROUND)) {
    const [x, y, z] = voxel;
    const expected = `${[x, y, z]}` === `${HOUSE}` ? 15 : blockOf(versionAt(voxel), x, y, z);
    const found = client.voxelAt(voxel);
    if (found !== expected) wrong.push(`${voxel}: ${found}, not ${expected}`);
    if (wrong.length > 4) break;
  }
  return wrong;
}

test("[N49] clients with both, one and none of two generators see the same world, with the border that was kept", async () => {
  const world = await hillsWorld();
  const { kept } = await world.changeGenerator(hills2({ seed: SEED }), { keep: { margin: 4 } });
  expect(kept).toEqual([{ unit: "voxels", min: [-16, 0, -16], max: [32, 48, 32] }]);
  const versionAt = (voxel: Position): number =>
    kept.some(({ min, max }) => boxContains({ min: [...min, 0], max: [...max, 1] }, voxel)) ? 1 : 2;
  const server = await serve(world.engine);
  const received: number[] = [];
  try {
    for (const known of [[hills1, hills2], [hills2], [hills1], []]) {
      const { client, bytes } = await join(server, known);
      await expectVersions(client, versionAt);
      received.push(bytes());
      await client.close();
    }
  } finally {
    await server.close();
    await world.close();
  }
  const [both = 0, newer = 0, older = 0, none = 0] = received;
  // Only regions whose generator is missing are sent: a few for the newer one, most for the older one.
  expect(both).toBeLessThan(2_000);
  expect(newer).toBeGreaterThan(2 * both);
  expect(older).toBeGreaterThan(newer);
  expect(none).toBeGreaterThan(older);
}, 120_000);

test("clients that are connected while the generator changes join again and show no stale voxel, nor does their cache", async () => {
  const world = await hillsWorld();
  const server = await serve(world.engine);
  const cache = memoryCache();
  const knowing = await join(server, [hills1, hills2, hills3], cache);
  const newer = await join(server, [hills2]);
  const statuses: string[] = [];
  knowing.client.onStatus((status) => statuses.push(status));
  try {
    await expectVersions(knowing.client, () => 1);
    await expectVersions(newer.client, () => 1);
    for (const [version, next] of [
      [2, hills2],
      [3, hills3],
    ] as const) {
      await world.changeGenerator(next({ seed: SEED }), { keep: { margin: 0 } });
      const versionAt = ([x, y, z]: Position): number =>
        [x, y - 16, z].every((coordinate) => coordinate >= 0 && coordinate < 16) ? 1 : version;
      await expectVersions(knowing.client, versionAt);
      await expectVersions(newer.client, versionAt);
    }
    expect(statuses).toContain("joined");
    await knowing.client.close();
    const again = await join(server, [hills1, hills2, hills3], cache);
    await expectVersions(again.client, ([x, y, z]) =>
      [x, y - 16, z].every((coordinate) => coordinate >= 0 && coordinate < 16) ? 1 : 3,
    );
    await again.client.close();
    // An edit over the changed space reaches a client that computes it and one that was sent it.
    expect((await newer.client.setVoxel([-40, 0, -40, 0], 14)).status).toBe("applied");
    expect(await world.get([-40, 0, -40])).toBe(14);
    expect(newer.client.voxelAt([-40, 0, -40, 0])).toBe(14);
  } finally {
    await newer.client.close();
    await server.close();
    await world.close();
  }
}, 120_000);
