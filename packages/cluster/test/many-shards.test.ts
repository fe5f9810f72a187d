import { ClusterGateway, type Subscription } from "@orthant/cluster";
import { mapKey } from "@orthant/cluster/internal";
import { DEFAULT_GENERATORS } from "@orthant/core/generate";
import { boxBetween } from "@orthant/core/lattice";
import { Prng } from "@orthant/testkit";
import type { MemoryBackbone } from "@orthant/testkit/cluster";
import { expect, test } from "vitest";
import { SmallCluster } from "./small-cluster.ts";

const SHARDS = 100;
const NODES = 10;
const GATEWAYS = 20;
const PLAYERS = 50;
const SIGHT_CHUNKS = 4;
const SECTOR_CHUNKS = 16;

/** Active subscriptions of a connection, and the writes to the table that reached it. */
interface Counts {
  sectors: number;
  addresses: number;
  topics: number;
  keys: number;
  writes: number;
  writtenBytes: number;
}

/** Counts the subscriptions that a connection makes from now on. */
function count(backbone: MemoryBackbone): Counts {
  const counts: Counts = { sectors: 0, addresses: 0, topics: 0, keys: 0, writes: 0, writtenBytes: 0 };
  const counted =
    <Arguments extends readonly unknown[]>(
      kind: keyof Counts,
      subscribe: (...parameters: Arguments) => Promise<Subscription>,
    ) =>
    async (...parameters: Arguments): Promise<Subscription> => {
      const subscription = await subscribe(...parameters);
      counts[kind]++;
      return {
        end() {
          counts[kind]--;
          subscription.end();
        },
      };
    };
  const { table } = backbone;
  const watch = table.watch.bind(table);
  Object.assign(backbone, {
    follow: counted("sectors", backbone.follow.bind(backbone)),
    respond: counted("addresses", backbone.respond.bind(backbone)),
    listen: counted("topics", backbone.listen.bind(backbone)),
  });
  Object.assign(table, {
    watch: counted("keys", (prefix: string, listener: Parameters<typeof watch>[1]) =>
      watch(prefix, (entry) => {
        counts.writes++;
        counts.writtenBytes += entry.key.length + (entry.value?.length ?? 0);
        listener(entry);
      }),
    ),
  });
  return counts;
}

test("a node's subscriptions follow what it owns or shows, and not the number of shards", async () => {
  const small = new SmallCluster();
  await small.create();
  const owned = await Promise.all(
    Array.from({ length: NODES }, async (_, number) => {
      const member = await small.node(`n${number}`);
      return { ...member, counts: count(member.backbone) };
    }),
  );
  await small.until(() => owned.some(({ node }) => node.owns("0")));
  const first = owned.find(({ node }) => node.owns("0"));
  for (let number = 1; number < SHARDS; number++) {
    const sectors = boxBetween([number, -8, -8, -8], [number + 1, 8, 8, 8]);
    await small.settled(first?.node.split("0", sectors, `s${number}`) ?? Promise.resolve());
  }
  // Every node gets a tenth of the shards.
  for (let number = 1; number < SHARDS; number++) {
    const to = owned[number % NODES]?.node.node;
    if (to !== first?.node.node) await small.settled(first?.node.move(`s${number}`, to) ?? Promise.resolve());
  }
  await small.until(() => owned.reduce((sum, { node }) => sum + node.shards.size, 0) === SHARDS);

  const prng = new Prng(1);
  const { time, hub, world } = small;
  const gateways: Counts[] = [];
  const sectorsSeen: number[] = [];
  for (let number = 0; number < GATEWAYS; number++) {
    const backbone = hub.connect();
    const counts = count(backbone);
    const gateway = await small.settled(
      ClusterGateway.open({ backbone, time, generators: DEFAULT_GENERATORS, world }),
    );
    const seen = new Set<number>();
    for (let player = 0; player < PLAYERS; player++) {
      const x = prng.between(0, SHARDS - 1) * SECTOR_CHUNKS + SECTOR_CHUNKS / 2;
      seen.add(Math.floor(x / SECTOR_CHUNKS));
      gateway.world.keep(
        boxBetween([x - SIGHT_CHUNKS, 0, 0, 0], [x + SIGHT_CHUNKS, SIGHT_CHUNKS, SIGHT_CHUNKS, 1]),
      );
    }
    sectorsSeen.push(seen.size);
    gateways.push(counts);
  }
  await small.pass(5_000);
  const before = gateways.map(({ writes, writtenBytes }) => ({ writes, writtenBytes }));
  await small.pass(10_000);

  // A gateway: a topic and a sector for each sector that its players see, the map, the leases.
  for (const [number, counts] of gateways.entries()) {
    expect(counts.sectors).toBe(sectorsSeen[number]);
    expect(counts.topics).toBe(sectorsSeen[number]);
    expect([counts.addresses, counts.keys]).toEqual([0, 2]);
    // In quiet times it gets nothing of the table that it does not need.
    const written = counts.writtenBytes - (before[number]?.writtenBytes ?? 0);
    expect(written).toBe(0);
  }
  // An owner: two addresses for each shard that it owns, for requests of gateways and for entities of other owners.
  for (const { node, counts } of owned) {
    expect(counts.addresses).toBe(2 * node.shards.size);
    expect([counts.sectors, counts.topics]).toEqual([0, 0]);
  }
  const entries = hub.table.since(0, "");
  const bytes = entries.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0);
  const mapBytes = hub.table.get(mapKey(world))?.value?.length ?? 0;
  // docs/scale.md has the figures.
  expect(entries).toHaveLength(SHARDS + NODES + 1);
  expect(bytes).toBeLessThan(8_192);
  expect(mapBytes).toBeLessThan(2_048);
  expect(Math.max(...sectorsSeen)).toBeLessThanOrEqual(PLAYERS);
}, 120_000);
