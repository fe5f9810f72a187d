import type { Disk } from "@orthant/disk";
import type { SaverContext } from "./saving/world-saver.ts";

/** Everything that an open world works with, as `createWorld` and `openWorld` assemble it. */
export interface WorldContext extends SaverContext {
  readonly disk: Disk;
  /** Returns 64 random bits. */
  readonly random: () => bigint;
  /** The number of the epoch in which clocks are issued. Default: the next one. */
  readonly epoch?: number;
  /** Whether something outside the world holds its catalog, so that the world must not change it. */
  readonly hasFixedBlocks?: boolean;
  /** Whether the world is a shard of a cluster, which has no key-value store and keeps its generator. */
  readonly isShard?: boolean;
}
