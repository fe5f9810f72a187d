import { decode } from "@orthant/core";
import type { Engine, JournalState } from "../engine/engine.ts";
import { type Lease, leaseCodec } from "../shard/lease.ts";
import { leaseKey, mapKey } from "../shard/names.ts";
import { type ShardMap, shardMapCodec, shardsOf } from "../shard/shard-map.ts";

/** State of a shard as the engine records it. */
export interface ShardStatus {
  readonly shard: string;
  /** `undefined` if the shard never had an owner. */
  readonly lease: Lease | undefined;
  /** The part of the journal that no save contains; `undefined` if there is no journal. */
  readonly journal: JournalState | undefined;
}

/** State of a world in a cluster. */
export interface ClusterStatus {
  readonly map: ShardMap;
  readonly shards: readonly ShardStatus[];
}

/**
 * Reads the state of a world from the engine, without asking any node. Returns `undefined` if there is no
 * such world.
 */
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
