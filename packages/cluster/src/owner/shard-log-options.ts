import type { ChunkShape, OrthantError, Position, TimeSource } from "@orthant/core";
import type { WorldDescription } from "@orthant/save";
import type { LoggedChange } from "@orthant/world/engine";
import type { Backbone, Journal } from "../backbone/backbone.ts";
import type { StuckListener } from "../backbone/retries.ts";
import type { EntitiesRecord } from "../shard/entity-record.ts";
import type { ShardMap, ShardSplit } from "../shard/shard-map.ts";
import type { StepRecord } from "../shard/step-record.ts";
import type { ForeignRecordListener } from "./foreign-records.ts";

/** Dependencies and settings of a shard log. */
export interface ShardLogOptions {
  readonly backbone: Backbone;
  readonly time: TimeSource;
  readonly world: string;
  readonly shard: string;
  readonly node: string;
  readonly term: number;
  readonly shape: ChunkShape;
  /** Returns true if a region belongs to the shard according to the current map. */
  readonly owns: (region: Position) => boolean;
  /** Returns the current map. */
  readonly map: () => ShardMap;
  /** Throws `ORT_FENCED` if the shard's folder belongs to another owner by now. */
  readonly requireHeld: () => Promise<void>;
  /** The sealed journal of the shard, to save what it has. Nothing is appended to it. */
  readonly sealed?: Journal;
  /** Another shard's records to replay before this shard's own: those that a new shard's copy lacks. */
  readonly inherited?: (
    description: WorldDescription,
    onTransfers: (record: EntitiesRecord | StepRecord) => void,
  ) => AsyncIterable<LoggedChange>;
  /** Puts a committed split into the map. Must finish before anything else happens. */
  readonly completeSplit: (split: ShardSplit) => Promise<void>;
  /** Cancels the splits whose only record was in a lost journal. */
  readonly cancelSplits: () => Promise<void>;
  /** Called when the journal was lost, together with the changes since the last save. */
  readonly onLost?: (detail: string) => void;
  /** Called when the journal was sealed, after it was saved and replaced. */
  readonly onSealed?: (error: OrthantError) => void;
  /** Called for messages in the journal that no owner wrote. */
  readonly onForeign?: ForeignRecordListener;
  /** Called while the backbone keeps this log waiting. */
  readonly onStuck?: StuckListener;
}
