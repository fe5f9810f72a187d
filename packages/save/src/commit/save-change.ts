import type { Box, RegionClock } from "@orthant/core";
import type { StoredEntity } from "../codec/entity-record.ts";
import type { GlobalState } from "../codec/global-record.ts";
import type { StoredPlayer } from "../codec/player-record.ts";
import type { ChunkAssignment, ChunkEntry } from "../codec/prepared-chunks.ts";
import type { StoredChunk } from "../codec/stored-chunk.ts";

/**
 * New content of one leaf. Omitted parts stay unchanged. A leaf that becomes empty is removed. The cell must
 * be that of an existing leaf or overlap none; `LeafMap.cellFor` returns one.
 */
export interface LeafChange {
  readonly cell: Box;
  /**
   * All overridden chunks in the cell, not just the changed ones. Chunks in stored form are written
   * unchanged.
   */
  readonly chunks?: readonly (ChunkEntry | StoredChunk)[];
  /**
   * Instead of `chunks`: only the changed ones, without a chunk where a position becomes untouched again. All
   * others stay.
   */
  readonly changed?: readonly ChunkAssignment[];
  /** All entities that belong to the leaf. */
  readonly entities?: readonly StoredEntity[];
  /** Clocks of all regions in the cell that have one. */
  readonly clocks?: readonly RegionClock[];
}

/** Content of a commit. Omitted parts stay unchanged. */
export interface SaveChange {
  readonly nowMs: number;
  readonly global?: GlobalState;
  /** Added or changed players. All others stay. */
  readonly players?: readonly StoredPlayer[];
  readonly removedPlayers?: readonly bigint[];
  readonly leaves?: readonly LeafChange[];
  /** Declares that the generation has a journal, whose segment of this epoch is already durable. Rule J22. */
  readonly journalEpoch?: number;
}
