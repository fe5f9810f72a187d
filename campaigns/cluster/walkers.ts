import { setTimeout as delay } from "node:timers/promises";
import { type ClusterNode, mergeShards } from "@orthant/cluster";
import { shardsOf } from "@orthant/cluster/internal";
import { isOrthantError, type Vector } from "@orthant/core";
import { boxBetween } from "@orthant/core/engine";
import { type Disk, MemoryDisk } from "@orthant/disk";
import { NodeDisk } from "@orthant/disk/node";
import { openWorldEngine, type WorldEngine } from "@orthant/world/engine";
import type { StagedCluster } from "./staged-cluster.ts";

/** Above where builders build, and around the corner where the first four shards meet. */
const MEADOW = boxBetween([-24, 60, -24, 0], [24, 62, 24, 400]);
const STEP_MS = 500;
const STRIDE = 8;

/** Puts entities into a world, which owners then walk. */
export function addWalkers(world: WorldEngine, count: number): void {
  for (let index = 0; index < count; index++) world.spawnEntity({ kind: 1, position: anyPlace() });
}

/** Walks the entities of all shards that a node owns, for as long as the process lives. */
export async function walk(node: ClusterNode): Promise<never> {
  for (;;) {
    await Promise.all([...node.shards.keys()].map((shard) => walkShard(node, shard)));
    await delay(STEP_MS);
  }
}

async function walkShard(node: ClusterNode, shard: string): Promise<void> {
  try {
    const entities = node.entities(shard);
    const found = (await entities?.in(MEADOW)) ?? [];
    await Promise.all(
      found.map(({ entityId, position }) => entities?.change(entityId, { position: stepFrom(position) })),
    );
  } catch (error) {
    // The shard may be lost or full; the next step finds out what is left of it.
    if (!isOrthantError(error)) throw error;
  }
}

/** Checks that the saves of all shards have every entity once, in a save or on its way. */
export async function faultsOfWalkers(staged: StagedCluster, count: number): Promise<readonly string[]> {
  const map = await staged.map();
  const disks = new Map<string, Disk>();
  for (const shard of shardsOf(map)) disks.set(shard, new NodeDisk(await staged.folderOf(shard)));
  const target = new MemoryDisk();
  await mergeShards({ map, disks }, target, { nowMs: Date.now() });
  const world = await openWorldEngine(target, { readOnly: true });
  try {
    const found = await world.entitiesIn(MEADOW);
    const ids = new Set(found.map(({ entityId }) => entityId));
    if (ids.size === count && found.length === count) return [];
    return [`${ids.size} of ${count} entities are left, and ${found.length - ids.size} are there twice`];
  } finally {
    await world.close();
  }
}

function anyPlace(): Vector {
  const { min, max } = MEADOW;
  const at = (axis: 0 | 1 | 2 | 3): number => min[axis] + Math.random() * (max[axis] - min[axis] - 1);
  return [at(0), at(1), at(2), at(3)];
}

function stepFrom([x, y, z, w]: Vector): Vector {
  const inside = (at: number): number => Math.min(Math.max(at, MEADOW.min[0]), MEADOW.max[0] - 1);
  const stride = (): number => (Math.random() - 0.5) * STRIDE;
  return [inside(x + stride()), y, inside(z + stride()), w];
}
