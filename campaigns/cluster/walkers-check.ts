import { mergeShards } from "@orthant/cluster";
import { shardsOf } from "@orthant/cluster/internal";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine } from "@orthant/world/engine";
import type { StagedCluster } from "./staged-cluster.ts";
import { MEADOW } from "./walkers.ts";

/** Checks that the saves of all shards have every entity once, in a save or on its way. */
export async function faultsOfWalkers(staged: StagedCluster, count: number): Promise<readonly string[]> {
  const map = await staged.map();
  const disks = new Map<string, Disk>();
  for (const shard of shardsOf(map)) disks.set(shard, new NodeDisk(await staged.folderOf(shard)));
  const target = new MemoryDisk();
  await mergeShards({ map, disks }, target, { nowMs: Date.now() });
  const world = await openWorldEngine(target, { readOnly: true });
  try {
    const found = await world.entities.in(MEADOW);
    const ids = new Set(found.map(({ entityId }) => entityId));
    if (ids.size === count && found.length === count) return [];
    return [`${ids.size} of ${count} entities are left, and ${found.length - ids.size} are there twice`];
  } finally {
    await world.close();
  }
}
