import { shardsOf } from "@orthant/cluster/internal";
import type { StagedCluster } from "./staged-cluster.ts";
import { untilAnswered, waitUntil } from "./waiting.ts";

const OWNED_MS = 30_000;

/**
 * Checks the splits and moves that were ordered since the last call: each is finished or undone, and every shard has
 * an owner. Begins undone splits again under the same names, which must succeed.
 */
export async function faultsOfChanges(staged: StagedCluster): Promise<readonly string[]> {
  const faults: string[] = [];
  const report = async (what: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error) => faults.push(`${what}: ${error}`));
  };
  const changes = [...staged.changes];
  await report("after splits and moves", () => requireOwners(staged));
  const shards = shardsOf(await untilAnswered(() => staged.map()));
  for (const { kind, shard, outcome } of changes) {
    if (outcome === undefined) faults.push(`the ${kind} of ${shard} has not ended`);
    if (outcome === "done" && !shards.includes(shard))
      faults.push(`${shard} was split off and is not in the map`);
  }
  await report("a split that was undone", () => staged.repeatUndoneSplits());
  await report("after repeated splits", () => requireOwners(staged));
  const [splits, moves] = (["split", "move"] as const).map((kind) => {
    const all = changes.filter((change) => change.kind === kind);
    const done = all.filter(({ shard }) => kind === "move" || shards.includes(shard)).length;
    return `${all.length} ${kind}s began, ${done} finished, ${all.length - done} undone`;
  });
  if (changes.length > 0) console.log(`cluster: ${splits}; ${moves}`);
  staged.changes.splice(0);
  return faults;
}

/** Waits until a running node owns each shard of the map. */
async function requireOwners(staged: StagedCluster): Promise<void> {
  const shards = shardsOf(await untilAnswered(() => staged.map()));
  for (const shard of shards)
    await waitUntil(() => staged.ownerOf(shard)?.isRunning === true, `a node owns ${shard}`, OWNED_MS);
}
