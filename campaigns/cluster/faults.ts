import { setTimeout as delay } from "node:timers/promises";
import type { Prng } from "@orthant/testkit";
import { type LinkState, leaderOf } from "@orthant/testkit/nats";
import type { StagedCluster } from "./staged-cluster.ts";
import { waitUntil } from "./waiting.ts";

/** A fault that happens to a cluster while players build. */
export interface ClusterFault {
  readonly name: string;
  /** Causes the fault and repairs it. Resolves when everything is whole again. */
  run(staged: StagedCluster, prng: Prng): Promise<void>;
  /** Required abilities of the network: links that can be cut, or links that can lose one direction. */
  readonly needs?: "links" | "loss";
  /** True if builders' edits may be rejected meanwhile because the world is read-only. */
  readonly mayRefuse?: boolean;
  /** True if other nodes must take over shards, within the time limit, while the engine works. */
  readonly takesOver?: boolean;
}

const AWAY_MS = 8_000;
const ZOMBIE_MS = 10_000;
const CUT_MS = 10_000;

/** All faults, in the order of their turns. */
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
    async run(staged) {
      const victim = staged.nextGateway();
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
    run: (staged) => staged.splitAgain(),
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
    needs: "links",
    takesOver: true,
    run: (staged) => cut(staged, staged.busiest, "down"),
  },
  {
    name: "an owner is mute",
    needs: "loss",
    takesOver: true,
    run: (staged) => cut(staged, staged.busiest, "mute"),
  },
  {
    name: "a NATS server is cut off",
    needs: "links",
    mayRefuse: true,
    run: (staged, prng) => cut(staged, prng.pick(staged.nats.nodes), "down"),
  },
  {
    name: "an owner is deaf",
    needs: "loss",
    takesOver: true,
    run: (staged) => cut(staged, staged.busiest, "deaf"),
  },
  {
    name: "a gateway is cut off",
    needs: "links",
    mayRefuse: true,
    run: (staged) => cut(staged, staged.nextGateway(), "down"),
  },
  {
    name: "a NATS server is mute",
    needs: "loss",
    mayRefuse: true,
    run: (staged, prng) => cut(staged, prng.pick(staged.nats.nodes), "mute"),
  },
  {
    name: "a gateway is deaf",
    needs: "loss",
    mayRefuse: true,
    run: (staged) => cut(staged, staged.nextGateway(), "deaf"),
  },
];

async function cut(
  staged: StagedCluster,
  victim: { readonly name: string },
  state: LinkState,
): Promise<void> {
  staged.setLink(victim, state);
  await delay(CUT_MS);
  staged.setLink(victim, "up");
  await waitUntil(() => staged.shards.length > 0, "shards have owners");
}
