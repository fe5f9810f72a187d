import { setTimeout as delay } from "node:timers/promises";
import { FIRST_SHARD } from "@orthant/cluster";
import type { Prng } from "@orthant/testkit";
import { leaderOf } from "@orthant/testkit/nats";
import { halfSpace, type StagedCluster } from "./staged-cluster.ts";
import { waitUntil } from "./waiting.ts";

/** Something that happens to a cluster while people build. */
export interface ClusterFault {
  readonly name: string;
  /** Does it, and makes it good again. Resolves when all is whole. */
  run(staged: StagedCluster, prng: Prng): Promise<void>;
  /** Whether it needs networks that can be cut. */
  readonly needsNetwork?: boolean;
  /** Whether builders may be told that the world can not be changed just now. */
  readonly mayRefuse?: boolean;
  /** Whether somebody must take over shards, within the time for it, while the engine is well. */
  readonly takesOver?: boolean;
}

const AWAY_MS = 8_000;
const ZOMBIE_MS = 10_000;
const CUT_MS = 10_000;

/** All that is tried, in turn. */
export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  {
    name: "an owner is killed",
    takesOver: true,
    async run(staged) {
      const victim = staged.busiest;
      await victim.kill();
      await delay(AWAY_MS);
      await victim.start();
    },
  },
  {
    name: "shards are handed over",
    async run(staged, prng) {
      for (const shard of staged.shards) {
        const owner = staged.ownerOf(shard);
        await staged.move(shard, prng.pick(staged.owners.filter((other) => other !== owner)));
      }
    },
  },
  {
    name: "a gateway is killed",
    async run(staged, prng) {
      const victim = prng.pick(staged.gateways);
      await victim.kill();
      await delay(AWAY_MS);
      await victim.start();
    },
  },
  {
    name: "a NATS server is killed",
    mayRefuse: true,
    async run(staged, prng) {
      const victim = prng.pick(staged.nats.nodes);
      await victim.kill();
      await delay(AWAY_MS);
      await victim.start();
    },
  },
  {
    name: "a shard is split",
    async run(staged) {
      const newShard = `part-${staged.shards.length}`;
      const cells = halfSpace(3, 1);
      await staged.ownerOf(FIRST_SHARD)?.obey({ kind: "split", shard: FIRST_SHARD, cells, newShard });
    },
  },
  {
    name: "an owner stands still for ten seconds",
    takesOver: true,
    async run(staged) {
      const victim = staged.busiest;
      victim.pause();
      await delay(ZOMBIE_MS);
      victim.resume();
    },
  },
  {
    name: "the leader of a journal is killed",
    mayRefuse: true,
    async run(staged, prng) {
      const leader = await leaderOf(staged.nats, `J_town_${prng.pick(staged.shards)}`);
      await leader.kill();
      await delay(AWAY_MS);
      await leader.start();
    },
  },
  {
    name: "an owner is cut off",
    needsNetwork: true,
    takesOver: true,
    run: (staged) => cut(staged, staged.busiest),
  },
  {
    name: "a NATS server is cut off",
    needsNetwork: true,
    mayRefuse: true,
    run: (staged, prng) => cut(staged, prng.pick(staged.nats.nodes)),
  },
  {
    name: "a gateway is cut off",
    needsNetwork: true,
    mayRefuse: true,
    run: (staged, prng) => cut(staged, prng.pick(staged.gateways)),
  },
];

async function cut(staged: StagedCluster, victim: { readonly name: string }): Promise<void> {
  staged.setLink(victim, "down");
  await delay(CUT_MS);
  staged.setLink(victim, "up");
  await waitUntil(() => staged.shards.length > 0, "shards have owners");
}
