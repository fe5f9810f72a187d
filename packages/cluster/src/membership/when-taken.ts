import { OrthantError, type TimeSource } from "@orthant/core";
import { sleep } from "@orthant/core/time";
import type { ClusterDirectory } from "../shard/cluster-directory.ts";
import { NODE_HEARTBEAT_MS } from "./heartbeats.ts";

/** The shards of a node that is drained. */
interface DrainedShards {
  readonly time: TimeSource;
  readonly node: string;
  readonly directory: ClusterDirectory;
  /** The terms in which the node owned them. */
  readonly terms: ReadonlyMap<string, number>;
  isStopped(): boolean;
}

/** Time for other nodes to claim them. */
const CLAIM_MS_MAX = 30_000;

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
