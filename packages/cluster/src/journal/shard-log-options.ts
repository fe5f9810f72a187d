import { OrthantError, type TimeSource } from "@orthant/core";
import type { WorldDescription } from "@orthant/save";
import type { LoggedChange } from "@orthant/world/engine";
import type { Backbone, Journal } from "../backbone/backbone.ts";
import type { ShardFolders } from "../folder/shard-folders.ts";
import type { SharedShardMap } from "../folder/shared-shard-map.ts";
import type { EntitiesRecord } from "../shard/entity-record.ts";
import type { NodeEvents } from "../shard/node-events.ts";
import type { StepRecord } from "../shard/step-record.ts";

/** Dependencies and settings of a shard log. */
export interface ShardLogOptions {
  readonly backbone: Backbone;
  readonly folders: ShardFolders;
  readonly maps: SharedShardMap;
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

/** Returns the error for a record that finds no room. */
export function fullJournal(shard: string): OrthantError {
  const detail = `the journal of shard ${shard} is full, and NATS has no room for a larger one`;
  return new OrthantError("ORT_JOURNAL_FULL", detail);
}

/** Returns the error for a save that lacks records which the journal no longer has. */
export function oldSave(shard: string, checkpointed: number, first: number): OrthantError {
  return new OrthantError(
    "ORT_JOURNAL",
    `the save of shard ${shard} has the journal up to ${checkpointed}, which begins at ${first}: the save is older than the ` +
      "journal, as after a backup was copied into the shared folder. Restore backups with orthant cluster restore.",
  );
}

/** Returns the error for a change that has to wait for a save. */
export function unsavedJournal(shard: string): OrthantError {
  return new OrthantError(
    "ORT_JOURNAL_FULL",
    `the journal of shard ${shard} has no room before the next save`,
  );
}
