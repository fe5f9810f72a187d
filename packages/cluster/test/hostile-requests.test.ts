import type { ClusterGateway } from "@orthant/cluster";
import { ownerAddress, ownerRequestCodec } from "@orthant/cluster/internal";
import type { Box } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { codeOf, codeOfRejection, Prng } from "@orthant/testkit";
import { HOSTILE_KINDS, hostileRequest } from "@orthant/testkit/cluster";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

/** Time after which other nodes consider an owner dead. */
const LEASE_MS = 3_000;
const REQUESTS = 12;

/** Returns the time that this process has worked, which a busy machine does not lengthen. */
function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function start() {
  const cluster = new SmallCluster();
  await cluster.create();
  const lost: unknown[] = [];
  const { node } = await cluster.node("a", { onLost: (_shard, error) => lost.push(error) });
  await cluster.until(() => node.owns("0"));
  const { gateway, backbone } = await cluster.gateway();
  return { cluster, node, gateway, backbone, lost };
}

test.each(HOSTILE_KINDS)("[K71] an owner survives extreme requests of a gateway: %s", async (kind) => {
  const { cluster, node, gateway, backbone, lost } = await start();
  await cluster.settled(cluster.edit(gateway, [1, 1, 1, 0], 3));
  const term = node.shards.get("0")?.term ?? 0;
  for (let seed = 0; seed < REQUESTS; seed++) {
    const request = hostileRequest(new Prng(seed), kind);
    const startMs = workedMs();
    const answering = backbone.request(ownerAddress(cluster.world, "0", term), request, 3_000);
    // A failure is an answer, too, if others are unharmed.
    await cluster.settled(answering.catch(() => undefined));
    expect(workedMs() - startMs, `seed ${seed}`).toBeLessThan(LEASE_MS);
    const made = await cluster.settled(cluster.edit(gateway, [2, 1, 1, 0], 3 + (seed % 2)));
    expect(made.status, `seed ${seed}`).toBe("applied");
  }
  expect(node.shards.get("0")?.term).toBe(term);
  expect(lost).toEqual([]);
});

test("[K71] an owner that simulates survives a gateway that asks about regions everywhere", async () => {
  const { cluster, node, backbone, lost } = await start();
  const simulation = node.simulate<3>({ stepMs: 50, systems: { idle: () => undefined } });
  const term = node.shards.get("0")?.term ?? 0;
  const regions = Array.from({ length: 1_024 }, (_, index) => {
    const region = [(index % 32) * 4, Math.floor(index / 32) * 4, 0, 0] as const;
    return { region, held: 0, latest: 0, at: 0, from: 0 };
  });
  const request = encode(ownerRequestCodec, { kind: "regions", regions });
  await cluster.settled(backbone.request(ownerAddress(cluster.world, "0", term), request, 3_000));
  for (let step = 0; step < 4; step++) {
    const startMs = workedMs();
    await cluster.pass(50);
    expect(workedMs() - startMs, `step ${step}`).toBeLessThan(LEASE_MS);
  }
  await simulation.stop();
  expect(lost).toEqual([]);
});

const HUGE: Box = { min: [-1e8, -1e8, -1e8, 0], max: [-1, -1, -1, 1] };
const CHUNKS: Box = { min: [-1e6, -1e6, -1e6, 0], max: [0, 0, 0, 1] };

test.each<[what: string, ask: (world: ClusterGateway["world"]) => unknown]>([
  ["fill", (world) => world.edit({ kind: "fill", box: HUGE, block: 3 }, { clientId: 9n, editId: 1 })],
  ["copy", (world) => world.edit({ kind: "copy", box: HUGE, to: [0, 0, 0, 0] }, { clientId: 9n, editId: 1 })],
  ["load", (world) => world.load(CHUNKS)],
  ["keep", (world) => world.keep(CHUNKS)],
  ["entitiesIn", (world) => world.entitiesIn?.(CHUNKS)],
])("[K71] a gateway refuses a huge box before it lists anything: %s", async (_what, ask) => {
  const { cluster, gateway } = await start();
  let asked: unknown;
  const code = codeOf(() => {
    asked = ask(gateway.world);
  });
  expect(asked instanceof Promise ? await codeOfRejection(asked) : code).toBe("ORT_LIMIT");
  expect(gateway.world.isLoaded(CHUNKS)).toBe(false);
  expect((await cluster.settled(cluster.edit(gateway, [2, 1, 1, 0], 4))).status).toBe("applied");
});

test("[K71] an edit outside of the world is refused, and the client's next one is made", async () => {
  const { cluster, gateway } = await start();
  const far = { kind: "voxels", placements: [{ voxel: [2 ** 52, 0, 0, 0], block: 3 }] } as const;
  expect(await codeOfRejection(gateway.world.edit(far, { clientId: 5n, editId: 1 }))).toBe(
    "ORT_POSITION_RANGE",
  );
  const near = { kind: "voxels", placements: [{ voxel: [1, 0, 0, 0], block: 3 }] } as const;
  const { status } = await cluster.settled(gateway.world.edit(near, { clientId: 5n, editId: 2 }));
  expect(status).toBe("applied");
});
