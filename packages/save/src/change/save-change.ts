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

/** Lets long work yield to the game loop. */
export interface YieldOptions {
  /** Called between slices of a few milliseconds. The work continues when the promise resolves. */
  pause(): Promise<void>;
}

/** Number of chunks stored, or read and written again, per slice. */
const CHUNKS_PER_SLICE = 32;
/** Number of their voxels, of which large chunks have many. */
const VOXELS_PER_SLICE = CHUNKS_PER_SLICE * 4_096;
/** Cost of a chunk that is copied as stored, relative to one that is encoded. */
const COPIED_SHARE = 1 / 8;

/** Cuts work into slices by amount, not by time, so that the same work is cut alike on every machine. */
export class Pacer {
  readonly #work: YieldOptions | undefined;
  readonly #chunksPerSlice: number;
  #done = 0;

  /** The chunks have `volume` voxels. Without `work`, everything is one slice. */
  constructor(volume: number, work?: YieldOptions) {
    this.#chunksPerSlice = Math.min(CHUNKS_PER_SLICE, VOXELS_PER_SLICE / volume);
    this.#work = work;
  }

  /** Counts chunks that were stored. */
  stored(chunks: number): Promise<void> | undefined {
    this.#done += chunks;
    if (this.#done < this.#chunksPerSlice) return undefined;
    this.#done = 0;
    return this.#work?.pause();
  }

  /** Counts already stored chunks that were read, measured or encoded. */
  copied(chunks: number): Promise<void> | undefined {
    return this.stored(chunks * COPIED_SHARE);
  }
}
