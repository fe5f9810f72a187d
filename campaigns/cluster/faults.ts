import { setTimeout as delay } from "node:timers/promises";
import { type LinkState, leaderOf } from "@orthant/testkit/nats";
import type { FaultScene } from "./fault-scene.ts";
import { GIVING_CALLS, SPLIT_CALLS, TAKING_CALLS } from "./member.ts";
import { thrashInterest } from "./thrash.ts";
import { waitUntil } from "./waiting.ts";

/** A fault that happens to a cluster while players build. */
export interface ClusterFault {
  readonly name: string;
  /** Causes the fault and repairs it. Resolves when everything is whole again. `turn` counts its runs, from 0. */
  run(scene: FaultScene, turn: number): Promise<void>;
  /** Required abilities of the network: links that can be cut, or links that can lose one direction. */
  readonly needs?: "links" | "loss";
  /** True if other nodes must take over shards, within the time limit, while the backbone works. */
  readonly takesOver?: boolean;
  /** True if it harms all processes at once, so that no other fault can happen beside it. */
  readonly isTotal?: boolean;
}

const AWAY_MS = 8_000;
const ZOMBIE_MS = 10_000;
const CUT_MS = 10_000;
const STARVED_MS = 15_000;
/** A starved server runs for a tenth of the time. */
const STARVED_PAUSE_MS = 90;
const STARVED_RUN_MS = 10;

/** All faults, in the order of their turns. */
export const CLUSTER_FAULTS: readonly ClusterFault[] = [
  {
    name: "an owner is killed",
    takesOver: true,
    run: (scene) => scene.owner(killed),
  },
  {
    name: "shards are handed over",
    async run(scene) {
      const { staged } = scene;
      for (const shard of staged.shards)
        await staged.move(shard, scene.anotherOwner(staged.ownerOf(shard))).catch(ignoreUndone);
    },
  },
  {
    name: "an owner is killed in the middle of a split",
    run: killInSplit,
  },
  {
    name: "a gateway is killed",
    run: (scene) => scene.gateway(killed),
  },
  {
    name: "a NATS server is killed",
    run: (scene) => scene.server(killed),
  },
  {
    name: "a shard is split",
    run: ({ staged }) => staged.splitAgain().catch(ignoreUndone),
  },
  {
    name: "an owner stands still for ten seconds",
    takesOver: true,
    run: (scene) =>
      scene.owner(async (owner) => {
        owner.pause();
        await delay(ZOMBIE_MS);
        owner.resume();
      }),
  },
  {
    name: "an owner is killed in the middle of a move",
    run: killInMove,
  },
  {
    name: "the leader of a journal is killed",
    async run(scene) {
      const { staged, prng } = scene;
      await scene.harm(await leaderOf(staged.nats, `J_town_${prng.pick(staged.shards)}`), killed);
    },
  },
  {
    name: "an owner is cut off",
    needs: "links",
    takesOver: true,
    run: (scene) => scene.owner((owner) => cut(scene, owner, "down")),
  },
  {
    name: "an owner is mute",
    needs: "loss",
    takesOver: true,
    run: (scene) => scene.owner((owner) => cut(scene, owner, "mute")),
  },
  {
    name: "a NATS server is cut off",
    needs: "links",
    run: (scene) => scene.server((server) => cut(scene, server, "down")),
  },
  {
    name: "an owner is deaf",
    needs: "loss",
    takesOver: true,
    run: (scene) => scene.owner((owner) => cut(scene, owner, "deaf")),
  },
  {
    name: "a gateway is cut off",
    needs: "links",
    run: (scene) => scene.gateway((gateway) => cut(scene, gateway, "down")),
  },
  {
    name: "a NATS server is mute",
    needs: "loss",
    run: (scene) => scene.server((server) => cut(scene, server, "mute")),
  },
  {
    name: "players look at another place ten times a second",
    run: ({ staged, prng }) => thrashInterest(staged.gatewayUrls, prng),
  },
  {
    name: "NATS servers starve",
    isTotal: true,
    run: starve,
  },
  {
    name: "a gateway is deaf",
    needs: "loss",
    run: (scene) => scene.gateway((gateway) => cut(scene, gateway, "deaf")),
  },
  {
    name: "a NATS server is deaf",
    needs: "loss",
    run: (scene) => scene.server((server) => cut(scene, server, "deaf")),
  },
  {
    name: "everything is killed and started again",
    isTotal: true,
    async run({ staged }) {
      const all = [...staged.nats.nodes, ...staged.owners, ...staged.gateways];
      await Promise.all(all.map((process) => process.kill()));
      await Promise.all(all.map((process) => process.start()));
    },
  },
];

async function killed(victim: { kill(): Promise<void>; start(): Promise<void> }): Promise<void> {
  await victim.kill();
  await delay(AWAY_MS);
  await victim.start();
}

/** The owner of the shard dies before each of the calls of a split in turn. */
async function killInSplit({ staged }: FaultScene, turn: number): Promise<void> {
  const owner = staged.ownerOf(staged.nextSplit.from);
  await staged.splitAgain(SPLIT_CALLS[turn % SPLIT_CALLS.length]).catch(ignoreUndone);
  await revive(owner);
}

/** First the node that gives a shard away dies, before each of its calls in turn; then the one that takes it. */
async function killInMove(scene: FaultScene, turn: number): Promise<void> {
  const { staged, prng } = scene;
  const shard = prng.pick(staged.shards);
  const owner = staged.ownerOf(shard);
  const to = scene.anotherOwner(owner);
  const number = turn % (GIVING_CALLS.length + TAKING_CALLS.length);
  const giving = GIVING_CALLS[number];
  const taking = TAKING_CALLS[number - GIVING_CALLS.length];
  if (taking !== undefined) await to.execute({ kind: "die", shard, diesBefore: taking }).catch(ignoreUndone);
  await staged.move(shard, to, giving).catch(ignoreUndone);
  // If another node was faster to claim the shard, this one must not die later.
  if (to.isRunning) await to.execute({ kind: "die", shard }).catch(ignoreUndone);
  for (const process of [owner, to]) await revive(process);
}

async function revive(
  process: { readonly isRunning: boolean; start(): Promise<void> } | undefined,
): Promise<void> {
  if (process === undefined || process.isRunning) return;
  await delay(AWAY_MS);
  await process.start();
}

/** A split or move may fail while its node dies. The campaign checks that it was then finished or undone. */
function ignoreUndone(): void {}

async function starve({ staged: { nats } }: FaultScene): Promise<void> {
  const endMs = performance.now() + STARVED_MS;
  while (performance.now() < endMs) {
    for (const server of nats.nodes) server.pause();
    await delay(STARVED_PAUSE_MS);
    for (const server of nats.nodes) server.resume();
    await delay(STARVED_RUN_MS);
  }
}

async function cut(
  { staged }: FaultScene,
  victim: { readonly name: string },
  state: LinkState,
): Promise<void> {
  staged.setLink(victim, state);
  await delay(CUT_MS);
  staged.setLink(victim, "up");
  await waitUntil(() => staged.shards.length > 0, "shards have owners");
}
