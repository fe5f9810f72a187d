import type { GeneratorRegistry, TimeSource } from "@orthant/core";
import type { Backbone } from "../backbone/backbone.ts";
import type { OwnerLimits } from "../changes/owner-context.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import type { NodeEvents } from "../shard/node-events.ts";
import { crc32c } from "../shard/shard-record.ts";

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

const HOST_LETTERS_MAX = 23;
const MARK_LETTERS = 8;

/**
 * Returns the name of a node that was given none, from the name of its host and the hardware address of its network
 * card. It stays the same when the machine restarts, and differs between clones of one machine, which have the same host
 * name and the same files but not the same card. Without a card it is the name of the host.
 *
 * @example
 * defaultNodeName("town-1.example.org", "52:54:00:12:34:56"); // such as "town-1-3f9c21d0"
 */
export function defaultNodeName(host: string, hardwareAddress?: string): string {
  const [label = ""] = host.toLowerCase().split(".");
  if (hardwareAddress === undefined) return label;
  const mark = crc32c(new TextEncoder().encode(hardwareAddress)).toString(16).padStart(MARK_LETTERS, "0");
  return `${label.slice(0, HOST_LETTERS_MAX)}-${mark}`;
}
