import { randomBytes } from "node:crypto";
import { connectReplica } from "@orthant/client/node";
import type { WorldReplica } from "@orthant/client/replica";
import { CUBE_CHUNKS, type EditResult } from "@orthant/core";
import { FLAT_DEFAULTS, flatGenerator, generatorRef } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { MemoryDisk } from "@orthant/disk";
import { createServer, issueToken, type OrthantServer } from "@orthant/server";
import { createWorldEngine, type WorldEngine } from "@orthant/world/engine";
import { expect, onTestFinished, test } from "vitest";

const SETS = 2_000;
/** Thirty seconds a set at a time would take more than a minute; a loaded machine is slow, too. */
const PACED_MS = 60_000;
const SECRET = randomBytes(32);

async function flatWorld(): Promise<WorldEngine> {
  const generator = generatorRef(flatGenerator, FLAT_DEFAULTS, 1n);
  return createWorldEngine(new MemoryDisk(), { shape: CUBE_CHUNKS, generator }, { autosave: false });
}

async function serve(world: WorldEngine, port = 0): Promise<OrthantServer> {
  return createServer({ world, port, logger: false, auth: { secret: SECRET } });
}

/** Connects a client of one and the same player. */
async function join(server: OrthantServer): Promise<WorldReplica> {
  const token = await issueToken(
    { playerId: 7n, role: "builder", expiresInSeconds: 600 },
    { secret: SECRET },
  );
  const client = connectReplica(server.url, {
    token,
    interest: { boxes: [boxBetween([0, 0, 0, 0], [4, 8, 4, 1])] },
  });
  onTestFinished(() => client.close());
  await client.ready;
  return client;
}

/** Sets voxels in a loop: a wall of its own for each z, and one voxel again and again, to see the order. */
function build(client: WorldReplica, z: number, count = SETS): Promise<EditResult>[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % 100 === 99) return client.setVoxel([0, 20, z, 0], 1 + (Math.floor(index / 100) % 5));
    return client.setVoxel([index % 50, 21 + Math.floor(index / 50), z, 0], 3);
  });
}

async function expectBuilt(world: WorldEngine, z: number, count = SETS): Promise<void> {
  for (let index = 0; index < count; index++) {
    if (index % 100 === 99) continue;
    const voxel = [index % 50, 21 + Math.floor(index / 50), z, 0] as const;
    expect(await world.get(voxel), `voxel ${voxel}`).toBe(3);
  }
  expect(await world.get([0, 20, z, 0])).toBe(1 + (Math.floor((count - 1) / 100) % 5));
}

const statuses = (results: readonly EditResult[]): ReadonlySet<string> =>
  new Set(results.map(({ status }) => status));

test(
  "2,000 calls in a loop all arrive, in order, and none is rejected",
  async () => {
    const world = await flatWorld();
    const server = await serve(world);
    onTestFinished(() => server.close());
    const client = await join(server);
    const order: number[] = [];
    world.onEdit(() => order.push(world.state.voxelAt(0, 20, 0, 0)));
    const results = await Promise.all(build(client, 0));
    expect(statuses(results)).toEqual(new Set(["applied"]));
    await expectBuilt(world, 0);
    // Every value of the voxel that is set twenty times was there, one after the other.
    const seen = order.filter((block, index) => block !== (order[index - 1] ?? 0));
    expect(seen.filter((block) => block !== 0)).toEqual(
      Array.from({ length: 20 }, (_, index) => 1 + (index % 5)),
    );
  },
  PACED_MS,
);

test(
  "two clients of one player share its budget, and all of their edits arrive",
  async () => {
    const world = await flatWorld();
    const server = await serve(world);
    onTestFinished(() => server.close());
    const clients = [await join(server), await join(server)];
    const results = await Promise.all(clients.flatMap((client, z) => build(client, z)));
    expect(statuses(results)).toEqual(new Set(["applied"]));
    for (const z of [0, 1]) await expectBuilt(world, z);
  },
  PACED_MS,
);

test(
  "edits that wait outlive the connection and the server",
  async () => {
    const world = await flatWorld();
    const first = await serve(world);
    const client = await join(first);
    const edits = build(client, 0);
    await edits[0];
    await first.close({ retryAfterMs: 0 });
    const second = await serve(world, first.port);
    onTestFinished(() => second.close());
    const results = await Promise.all(edits);
    // The restarted server may only know that it has made an edit before.
    expect([...statuses(results)].filter((status) => status !== "duplicate")).toEqual(["applied"]);
    await expectBuilt(world, 0);
  },
  PACED_MS,
);

test("a fill and a copy are made by the server and seen by others", async () => {
  const world = await flatWorld();
  const server = await serve(world);
  onTestFinished(() => server.close());
  const [builder, witness] = [await join(server), await join(server)];
  await witness.complete();
  const box = boxBetween([0, 40, 0, 0], [30, 50, 30, 1]);
  const fill = builder.fill(box, 3);
  const copy = builder.copy(box, [30, 60, 0, 0]);
  expect([await fill, await copy]).toEqual([{ status: "applied" }, { status: "applied" }]);
  expect(await world.get([29, 49, 29, 0])).toBe(3);
  expect(await world.get([59, 69, 29, 0])).toBe(3);
  await expect.poll(() => witness.voxelAt([59, 69, 29, 0])).toBe(3);
  expect(await builder.fill(boxBetween([0, 0, 0, 0], [2_000, 100, 100, 1]), 3)).toMatchObject({
    reason: "tooLarge",
  });
});
