import type { GeneratorRegistry, TimeSource } from "@orthant/core";
import type { Backbone } from "../backbone/backbone.ts";
import type { OwnerLimits } from "../changes/owner-limits.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import type { NodeEvents } from "../shard/node-events.ts";

/** Dependencies and settings of a node. */
export interface ClusterNodeOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly time: TimeSource;
  /** 64 random bits. */
  readonly random: () => bigint;
  readonly generators: GeneratorRegistry;
  readonly world: string;
  /** The node's name, unique among the nodes of the world. */
  readonly node: string;
  readonly limits?: Partial<OwnerLimits>;
  readonly events?: NodeEvents;
}
