import { OrthantError, type TimeSource } from "@orthant/core";
import type { ListenerSet } from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import type { SerialQueue } from "@orthant/disk/files";
import type { WorldContent } from "../content/world-content.ts";
import type { EditListener } from "../edit/engine-edit.ts";
import type { SaverContext, WorldSaver } from "../saving/world-saver.ts";
import type { SessionEpoch } from "./session-epoch.ts";

/** Everything that an open world works with, as `createWorld` and `openWorld` assemble it. */
export interface EngineContext extends SaverContext {
  readonly disk: Disk;
  /** Returns 64 random bits. */
  readonly random: () => bigint;
  /** The number of the epoch in which clocks are issued. Default: the next one. */
  readonly epoch?: number;
}

/** What the parts of an engine share. */
export interface EngineCore {
  readonly content: WorldContent;
  readonly saver: WorldSaver;
  readonly epoch: SessionEpoch;
  readonly time: TimeSource;
  /** Runs edits, steps and other changes one after the other, in the order of the requests. */
  readonly queue: SerialQueue;
  /** Called after each edit that changed something. */
  readonly editListeners: ListenerSet<Parameters<EditListener>>;
  /** Throws unless changes may be requested. */
  requireWritable(): void;
}

/** What a shard leaves to its cluster, and where the cluster has it. */
const REFUSALS = {
  blocks:
    "the blocks of a world that a cluster shares are in the cluster's map: call the same method of a ClusterGateway",
  store:
    "a world that a cluster shares has no store, because each shard is saved on its own: keep such things in a database",
  generator:
    "the generator of a world that a cluster shares does not change while it runs: change it before the cluster is created",
  transaction:
    "a world that a cluster shares has no transactions, because its parts are saved one by one: use edits with rules, and a database",
  simulation: "the node that owns a shard simulates it: call simulate of the node",
} as const;

/** Throws `ORT_ARGUMENT` if the world is a shard, whose cluster has this instead. */
export function requireNoShard({ saver }: EngineCore, what: keyof typeof REFUSALS): void {
  if (saver.shard !== undefined) throw new OrthantError("ORT_ARGUMENT", REFUSALS[what]);
}
