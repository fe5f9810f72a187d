import { decode } from "@orthant/core";
import type { Engine, JournalState } from "../engine/engine.ts";
import { type Lease, leaseCodec } from "../shard/lease.ts";
import { leaseKey, mapKey } from "../shard/names.ts";
import { type ShardMap, shardMapCodec, shardsOf } from "../shard/shard-map.ts";

/** How a shard is, as the engine knows it. */
export interface ShardStatus {
  readonly shard: string;
  /** `undefined` when nobody ever owned it. */
  readonly lease: Lease | undefined;
  /** What the journal has that no save has; `undefined` when there is none. */
  readonly journal: JournalState | undefined;
}

/** How a cluster is. */
export interface ClusterStatus {
  readonly map: ShardMap;
  readonly shards: readonly ShardStatus[];
}

/** Looks how a world of a cluster is; `undefined` when there is none of that name. It asks no node. */
export async function clusterStatus(engine: Engine, world: string): Promise<ClusterStatus | undefined> {
  const entry = await engine.table.get(mapKey(world));
  if (entry?.value === undefined) return undefined;
  const map = decode(shardMapCodec, entry.value);
  const shards: ShardStatus[] = [];
  for (const shard of shardsOf(map)) {
    const lease = await engine.table.get(leaseKey(world, shard));
    const journal = await engine.findJournal(world, shard);
    shards.push({
      shard,
      lease: lease?.value && decode(leaseCodec, lease.value),
      journal: await journal?.state(),
    });
  }
  return { map, shards };
}
