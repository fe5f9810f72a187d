import type { TimeSource } from "@orthant/core";
import type { WorldDescription } from "@orthant/save";
import type { LoggedChange } from "@orthant/world/engine";
import type { Backbone, Journal } from "../backbone/backbone.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import type { ShardMapStore } from "../folder/shard-map-store.ts";
import type { EntitiesRecord } from "../shard/entity-record.ts";
import type { NodeEvents } from "../shard/node-events.ts";
import type { StepRecord } from "../shard/step-record.ts";

/** Dependencies and settings of a shard log. */
export interface ShardLogOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly maps: ShardMapStore;
  readonly time: TimeSource;
  readonly world: string;
  readonly shard: string;
  readonly node: string;
  readonly term: number;
  /** The sealed journal of the shard, to save what it has. Nothing is appended to it. */
  readonly sealed?: Journal;
  /** Another shard's records to replay before this shard's own: those that a new shard's copy lacks. */
  readonly inherited?: (
    description: WorldDescription,
    onTransfers: (record: EntitiesRecord | StepRecord) => void,
  ) => AsyncIterable<LoggedChange>;
  readonly events?: NodeEvents;
}

/** Throws `ORT_FENCED` if the shard's folder belongs to another owner by now. */
export function requireHeld({ folders, shard, term }: ShardLogOptions): Promise<void> {
  return folders.requireHeld(shard, term);
}
