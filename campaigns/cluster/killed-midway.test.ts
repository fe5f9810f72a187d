import { shardsOf } from "@orthant/cluster/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { faultsOfChanges } from "./change-check.ts";
import type { FatalCall } from "./member.ts";
import type { MemberProcess } from "./member-process.ts";
import { StagedCluster } from "./staged-cluster.ts";
import { waitUntil } from "./waiting.ts";

const PATIENCE_MS = 60_000;

let staged: StagedCluster;
beforeAll(async () => {
  staged = await StagedCluster.start({ owners: 3, gateways: 0, shards: 2 });
}, PATIENCE_MS);
afterAll(() => staged.dispose(), PATIENCE_MS);

async function shards(): Promise<readonly string[]> {
  return shardsOf(await staged.map());
}

/** Waits until other nodes own what a dead one owned, and starts it again. */
async function replace(dead: MemberProcess | undefined): Promise<void> {
  if (dead === undefined) throw new Error("no owner was killed");
  await waitUntil(() => !dead.isRunning, `${dead.name} is dead`);
  await waitUntil(() => staged.shardsOf(dead).length === 0, `other nodes own the shards of ${dead.name}`);
  await dead.start();
}

test.each<[call: FatalCall, outcome: "undone" | "finished"]>([
  ["recording the split", "undone"],
  ["writing the map", "finished"],
])(
  "[K25] [K51] a split whose owner is killed before %s is %s, and the shard exists in the end",
  async (call, outcome) => {
    const { from, to } = staged.nextSplit;
    const owner = staged.ownerOf(from);
    await expect(staged.splitAgain(call)).rejects.toThrow("ended");
    expect(staged.deaths.splice(0)).toEqual([call]);
    await replace(owner);
    expect((await shards()).includes(to)).toBe(outcome === "finished");
    // An undone split is made again under the same name.
    expect(await faultsOfChanges(staged)).toEqual([]);
    expect(await shards()).toContain(to);
  },
  PATIENCE_MS,
);

test.each<["gives" | "takes", call: FatalCall]>([
  ["gives", "writing the lease"],
  ["takes", "renaming the folder"],
])(
  "a shard finds an owner when the node that %s it is killed before %s",
  async (side, diesBefore) => {
    const [shard = ""] = staged.shards;
    const from = staged.ownerOf(shard);
    const to = staged.owners.find((owner) => owner !== from) as MemberProcess;
    if (side === "takes") await to.execute({ kind: "die", shard, diesBefore });
    const moved = staged.move(shard, to, side === "gives" ? diesBefore : undefined);
    if (side === "gives") await expect(moved).rejects.toThrow("ended");
    else await moved;
    expect(staged.deaths.splice(0)).toEqual([diesBefore]);
    await replace(side === "gives" ? from : to);
    expect(await faultsOfChanges(staged)).toEqual([]);
  },
  PATIENCE_MS,
);
