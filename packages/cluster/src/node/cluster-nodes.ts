import type { Clock } from "@orthant/core";
import type { Engine } from "../engine/engine.ts";
import { heartbeatPrefix } from "../shard/names.ts";
import { HEARTBEAT_MS } from "./cluster-node.ts";
import { DEAD_AFTER_HEARTBEATS, readHeartbeat } from "./liveness.ts";

/** A node's state according to its heartbeats. */
export interface NodeStatus {
  readonly node: string;
  readonly shards: number;
  /** True while the node hands its shards away and takes no more. */
  readonly isLeaving: boolean;
  /** True if a heartbeat arrived while `clusterNodes` was listening. */
  readonly isAlive: boolean;
}

/**
 * Returns every node of a world that ever wrote a heartbeat, sorted by name. Listens until it has heard each
 * of them, at most for as long as it takes to declare a node dead.
 */
export async function clusterNodes(
  engine: Engine,
  world: string,
  clock: Clock,
): Promise<readonly NodeStatus[]> {
  const prefix = heartbeatPrefix(world);
  const nodes = new Map<string, NodeStatus>();
  let isListening = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const subscription = await engine.table.watch(prefix, ({ key, value }) => {
    const heartbeat = value && readHeartbeat(value);
    if (heartbeat === undefined) return;
    const node = key.slice(prefix.length);
    const { shards, isLeaving } = heartbeat;
    nodes.set(node, { node, shards, isLeaving, isAlive: isListening });
    if ([...nodes.values()].every(({ isAlive }) => isAlive)) end();
  });
  // Entries delivered before this point may be old.
  isListening = true;
  const timer = clock.wait(nodes.size === 0 ? 0 : HEARTBEAT_MS * DEAD_AFTER_HEARTBEATS, end);
  await ended;
  timer.cancel();
  subscription.end();
  return [...nodes.values()].sort((one, other) => (one.node < other.node ? -1 : 1));
}
