import type { Clock } from "@orthant/core";
import type { Engine } from "../engine/engine.ts";
import { beatPrefix } from "../shard/names.ts";
import { BEAT_MS } from "./cluster-node.ts";
import { BEATS_OF_DEATH, readBeat } from "./liveness.ts";

/** A node, as its beats tell it. */
export interface NodeStatus {
  readonly node: string;
  readonly shards: number;
  /** It gives its shards away and takes no more. */
  readonly isLeaving: boolean;
  /** Whether it was heard while somebody listened. */
  readonly isAlive: boolean;
}

/**
 * The nodes of a world that ever wrote a beat, by their names. Listens until each was heard, but not for longer than it
 * takes until a node counts as dead.
 */
export async function clusterNodes(
  engine: Engine,
  world: string,
  clock: Clock,
): Promise<readonly NodeStatus[]> {
  const prefix = beatPrefix(world);
  const nodes = new Map<string, NodeStatus>();
  let isListening = false;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const subscription = await engine.table.watch(prefix, ({ key, value }) => {
    const beat = value && readBeat(value);
    if (beat === undefined) return;
    const node = key.slice(prefix.length);
    const { shards, isLeaving } = beat;
    nodes.set(node, { node, shards, isLeaving, isAlive: isListening });
    if ([...nodes.values()].every(({ isAlive }) => isAlive)) end();
  });
  // What stood there before may be from long ago.
  isListening = true;
  const timer = clock.wait(nodes.size === 0 ? 0 : BEAT_MS * BEATS_OF_DEATH, end);
  await ended;
  timer.cancel();
  subscription.end();
  return [...nodes.values()].sort((one, other) => (one.node < other.node ? -1 : 1));
}
