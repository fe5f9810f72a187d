import type { Box, RegionClock } from "@orthant/core";
import type { EntityRecord } from "./records/entity-record.ts";
import type { GlobalState } from "./records/global-record.ts";
import type { PlayerRecord } from "./records/player-record.ts";
import type { BlockAssignment, BlockEntry } from "./records/prepared-blocks.ts";
import type { StoredBlock } from "./records/stored-block.ts";

/**
 * New content of one leaf. What is left out stays as it is. A leaf that ends up with nothing is gone. The cell is
 * that of an existing leaf or one that overlaps none; `LeafMap.cellFor` gives it.
 */
export interface LeafChange {
  readonly cell: Box;
  /** All overridden chunks in the cell, not just those that changed; stored ones are written as they are stored. */
  readonly blocks?: readonly (BlockEntry | StoredBlock)[];
  /** Instead of `blocks`: those that changed, without a chunk where a place is virgin again. All others stay. */
  readonly changed?: readonly BlockAssignment[];
  /** All entities that belong to the leaf. */
  readonly entities?: readonly EntityRecord[];
  /** The clocks of all regions in the cell that have one. */
  readonly clocks?: readonly RegionClock[];
}

/** What a commit changes. What is left out stays as it is. */
export interface SaveChange {
  readonly nowMs: number;
  readonly global?: GlobalState;
  /** Players that are new or changed. All others stay. */
  readonly players?: readonly PlayerRecord[];
  readonly removedPlayers?: readonly bigint[];
  readonly leaves?: readonly LeafChange[];
  /** Says that the generation has a journal, whose segment of this epoch is durable already. Rule J22. */
  readonly journalEpoch?: number;
}
