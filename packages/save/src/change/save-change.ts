import type { Box, GeneratorRegistry } from "@orthant/core";
import type { GeneratorRef } from "@orthant/core/generate";
import type { RegionClock } from "@orthant/core/tree";
import type { StoredEntity, StoredPlayer } from "../codec/entity.ts";
import type { GlobalState } from "../codec/global-record.ts";
import type { ChunkAssignment, ChunkEntry } from "../codec/prepared-chunks.ts";
import type { StoreChange } from "../codec/store-page.ts";
import type { StoredChunk } from "../codec/stored-chunk.ts";

/**
 * New content of one leaf. Omitted parts stay unchanged. A leaf that becomes empty is removed. The cube is
 * that of an existing leaf, or touches no leaf; `LeafMap.cubeFor` returns one.
 */
export interface LeafChange {
  readonly cube: Box;
  /** All overridden chunks in the cube, not just the changed ones. Stored chunks are copied as they are. */
  readonly chunks?: readonly (ChunkEntry | StoredChunk)[];
  /**
   * Instead of `chunks`: only the chunks that changed. An entry without a chunk makes its position untouched
   * again.
   */
  readonly changed?: readonly ChunkAssignment[];
  /** All entities that belong to the leaf. */
  readonly entities?: readonly StoredEntity[];
  /** Clocks of all regions in the cube that have one. */
  readonly clocks?: readonly RegionClock[];
}

/** Another generator for the untouched space of a world. */
export interface GeneratorChange {
  readonly next: GeneratorRef;
  /** Has `next`, and the generators that stay in use as far as they are known. */
  readonly generators: GeneratorRegistry;
  /** Distance from stored regions within which the world keeps its generators, in chunks. */
  readonly marginChunks: number;
  /** More boxes of chunks that keep their generators. */
  readonly boxes: readonly Box[];
}

/** Content of a commit. Omitted parts stay unchanged. */
export interface SaveChange {
  readonly nowMs: number;
  readonly global?: GlobalState;
  /** Added or changed players. All others stay. */
  readonly players?: readonly StoredPlayer[];
  readonly removedPlayers?: readonly bigint[];
  readonly leaves?: readonly LeafChange[];
  /** Changes of the key-value store, in order of their keys. */
  readonly store?: readonly StoreChange[];
  /**
   * Changes the generator of untouched space. The commit then changes no chunks, and `global` keeps the generators of the
   * world. Rule S142.
   */
  readonly generatorChange?: GeneratorChange;
  /** Declares that the generation has a journal, whose segment of this epoch is already durable. Rule J22. */
  readonly journalEpoch?: number;
}
