import { OrthantError, type TimeSource } from "@orthant/core";
import { decode } from "@orthant/core/bytes";
import { sleep } from "@orthant/core/time";
import type { Backbone, JournalState } from "../backbone/backbone.ts";
import { ClusterDirectory, type Lease, readLease } from "../shard/cluster-directory.ts";
import { heartbeatPrefix, leaseKey, mapKey } from "../shard/names.ts";
import { type ShardMap, shardMapCodec, shardsOf } from "../shard/shard-map.ts";
import { DEAD_AFTER_HEARTBEATS, NODE_HEARTBEAT_MS, readHeartbeat } from "./heartbeats.ts";

/** State of a shard as the backbone records it. */
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
 * Reads the state of a world from the backbone, without asking any node. Returns `undefined` if there is no
 * such world.
 */
export async function clusterStatus(backbone: Backbone, world: string): Promise<ClusterStatus | undefined> {
  const entry = await backbone.table.get(mapKey(world));
  if (entry?.value === undefined) return undefined;
  const map = decode(shardMapCodec, entry.value);
  const shards: ShardStatus[] = [];
  for (const shard of shardsOf(map)) {
    const lease = await backbone.table.get(leaseKey(world, shard));
    const journal = await backbone.findJournal(world, shard);
    shards.push({
      shard,
      lease: lease?.value && readLease(lease.value),
      journal: await journal?.state(),
    });
  }
  return { map, shards };
}

/** A node's state according to its heartbeats. */
export interface NodeStatus {
  readonly node: string;
  readonly shards: number;
  /** True while the node hands over its shards and claims no more. */
  readonly isLeaving: boolean;
  /** True if a heartbeat arrived while `clusterNodes` was listening. */
  readonly isAlive: boolean;
}

/**
 * Returns every node of a world that ever wrote a heartbeat, sorted by name. Listens until each of them
 * has sent one, at most for as long as it takes to declare a node dead.
 */
export async function clusterNodes(
  backbone: Backbone,
  world: string,
  time: TimeSource,
): Promise<readonly NodeStatus[]> {
  const prefix = heartbeatPrefix(world);
  const nodes = new Map<string, NodeStatus>();
  let isListening = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const subscription = await backbone.table.watch(prefix, ({ key, value }) => {
    const heartbeat = value && readHeartbeat(value);
    if (heartbeat === undefined) return;
    const node = key.slice(prefix.length);
    const { shards, isLeaving } = heartbeat;
    nodes.set(node, { node, shards, isLeaving, isAlive: isListening });
    if ([...nodes.values()].every(({ isAlive }) => isAlive)) end();
  });
  // Entries delivered before this point may be old.
  isListening = true;
  const timer = time.wait(nodes.size === 0 ? 0 : NODE_HEARTBEAT_MS * DEAD_AFTER_HEARTBEATS, end);
  await ended;
  timer.cancel();
  subscription.end();
  return [...nodes.values()].sort((one, other) => (one.node < other.node ? -1 : 1));
}

/** Time without an owner after which `waitForOwner` gives up. */
const CLAIM_MS_MAX = 30_000;

/**
 * Waits until a node owns a shard in a term after `term`. Returns the lease. Rejects with
 * `ORT_BACKBONE_NO_RESPONDER` if no node claims the shard within 30 seconds.
 */
export async function waitForOwner(
  backbone: Backbone,
  world: string,
  shard: string,
  term: number,
  time: TimeSource,
): Promise<Lease> {
  const directory = await ClusterDirectory.open(backbone, world);
  try {
    return await new Promise<Lease>((resolve, reject) => {
      const detail = `shard ${shard} was released, and no node has claimed it yet`;
      const timer = time.wait(CLAIM_MS_MAX, () =>
        reject(new OrthantError("ORT_BACKBONE_NO_RESPONDER", detail)),
      );
      const check = (lease: Lease | undefined): void => {
        if (lease === undefined || lease.node === "" || lease.term <= term) return;
        timer.cancel();
        resolve(lease);
      };
      directory.listen({ onLease: (changed, lease) => changed === shard && check(lease) });
      check(directory.leaseOf(shard)?.lease);
    });
  } finally {
    directory.close();
  }
}

/** The shards of a node that is drained. */
interface DrainedShards {
  readonly time: TimeSource;
  readonly node: string;
  readonly directory: ClusterDirectory;
  /** The terms in which the node owned them. */
  readonly terms: ReadonlyMap<string, number>;
  isStopped(): boolean;
}

/** Waits until each of the shards has an owner in a later term. Throws `ORT_NOT_FOUND` if that takes too long. */
export async function whenTaken({ time, node, directory, terms, isStopped }: DrainedShards): Promise<void> {
  const missing = (): readonly string[] =>
    Array.from(terms).flatMap(([shard, term]) => {
      const lease = directory.leaseOf(shard)?.lease;
      return lease !== undefined && lease.node !== "" && lease.term > term ? [] : [shard];
    });
  const startMs = time.nowMs();
  while (missing().length > 0) {
    if (isStopped()) throw nodeStopped();
    // The clock may be set back meanwhile.
    if (Math.abs(time.nowMs() - startMs) > CLAIM_MS_MAX)
      throw new OrthantError(
        "ORT_NOT_FOUND",
        `no node claimed ${missing().join(", ")} of ${node} within ${CLAIM_MS_MAX / 1000} s, so it keeps them`,
      );
    await sleep(time, NODE_HEARTBEAT_MS);
  }
}

/** Returns the error of what a node did when it was stopped. */
export function nodeStopped(): OrthantError {
  return new OrthantError("ORT_CLOSED", "the node was stopped");
}
