import type { GeneratorRegistry, OrthantError, Position } from "@orthant/core";
import type { ShardFolders } from "../folder/shard-folders.ts";
import type { ShardMap } from "../shard/shard-map.ts";
import type { OwnerLimits } from "./owner-report.ts";
import type { ShardLogOptions } from "./shard-log-options.ts";

/** Dependencies and settings of a shard owner. */
export interface ShardOwnerOptions extends Omit<ShardLogOptions, "requireHeld"> {
  readonly folders: ShardFolders;
  readonly random: () => bigint;
  readonly generators: GeneratorRegistry;
  /** Returns the shard of a region according to the current map. */
  readonly shardOf: (region: Position) => string;
  /** Returns the term of a shard's owner; 0 if it has none. */
  readonly termOf: (shard: string) => number;
  /** Reads the map again. */
  readonly refreshMap: () => Promise<void>;
  /** Stores a map beside the shards, unless it or a later one is there. */
  readonly copyMap: (map: ShardMap) => Promise<void>;
  /** Called for edits of other shards' steps that cannot be applied here, and for those that have to wait. */
  readonly onRefused?: (error: OrthantError) => void;
  /** Called when the shard has a newer owner, or when its journal fails. */
  readonly onEnd: (error: unknown) => void;
  /**
   * Called when the disk refuses a save, again if it gives another kind of reason, and with `undefined` when a save succeeds.
   */
  readonly onSaveFailure?: (error: unknown) => void;
  readonly limits?: Partial<OwnerLimits>;
}
