import type { Box, Chunk, Position } from "@orthant/core";
import { wrongArgument } from "@orthant/core/arguments";
import { AXES, boxesIntersect } from "@orthant/core/lattice";
import type { StoredEntity, StoredPlayer } from "../codec/entity.ts";
import type { GlobalRecord } from "../codec/global-record.ts";
import type { Manifest } from "../codec/manifest.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import type { StoreEntry, StorePage } from "../codec/store-page.ts";
import { type GeneratedChunks, realizeStored, type StoredChunk } from "../codec/stored-chunk.ts";
import type { IndexVersion, LeafEntry } from "../leaves/leaf-entry.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import type { PackReader } from "../pack/pack-reader.ts";
import {
  type BlobContext,
  readLeafChunks,
  readLeafEntities,
  readLeafStored,
  readLeavesStored,
} from "./blob-reader.ts";
import {
  type BoundedPage,
  boundedPages,
  readStoreEntries,
  readStorePages,
  worldRecordBytes,
} from "./world-records.ts";

/** Number of queries after which index parts that no recent query needs are unloaded. */
const QUERIES_REMEMBERED = 256;

/** State of a generation after reading its three files. */
export interface SaveState {
  readonly generation: number;
  readonly manifest: Manifest;
  readonly global: GlobalRecord;
  readonly players: readonly StoredPlayer[];
  readonly index: LeafIndex;
  readonly indexVersion: IndexVersion;
}

/**
 * One committed generation, which never changes. Chunks and entities are read on demand, and their checksums
 * verified each time. Later commits do not disturb it: until it is closed, a writer that shares its packs
 * keeps what it needs.
 */
export class Save implements SaveState {
  readonly generation: number;
  readonly manifest: Manifest;
  readonly global: GlobalRecord;
  readonly players: readonly StoredPlayer[];
  readonly index: LeafIndex;
  readonly indexVersion: IndexVersion;
  /** The open generations of this save and its successors. */
  readonly holds: GenerationHolds;
  readonly #packReader: PackReader;
  readonly #generated: GeneratedChunks;
  #queries = 0;
  #closed = false;

  /** Takes ownership of the reader. Use `openSave` instead. */
  constructor(
    state: SaveState,
    packReader: PackReader,
    generated: GeneratedChunks,
    holds: GenerationHolds = new GenerationHolds(),
  ) {
    this.generation = state.generation;
    this.manifest = state.manifest;
    this.global = state.global;
    this.players = state.players;
    this.index = state.index;
    this.indexVersion = state.indexVersion;
    this.#packReader = packReader;
    this.#generated = generated;
    this.holds = holds;
    holds.hold(state.generation);
  }

  /**
   * Returns the leaves that intersect a box of chunks. The cost depends on the result, not on the number of
   * leaves. Only parts of the index around the latest queries stay in memory.
   */
  async leavesIn(box: Box): Promise<readonly LeafEntry[]> {
    const checked = checkedChunks(box);
    do await this.index.load(checked);
    while (!this.index.isLoaded(checked));
    if (++this.#queries % QUERIES_REMEMBERED === 0)
      this.index.unload((cube) => boxesIntersect(cube, checked));
    return [...this.index.touching(checked)];
  }

  /** Reads the overridden chunks of a leaf in stored form. Cheap, because it generates nothing. */
  readStored(leaf: LeafEntry): Promise<readonly StoredChunk[]> {
    return readLeafStored(this.#packReader, leaf, this.#context());
  }

  /** Reads several leaves like {@link readStored}. Records that lie near each other are read together. */
  readStoredOf(leaves: readonly LeafEntry[]): readonly Promise<readonly StoredChunk[]>[] {
    return readLeavesStored(this.#packReader, leaves, this.#context());
  }

  /**
   * Reads the overridden chunks of a leaf, in position order within each record. Chunks stored as changes to
   * the generator's output are realized here, which takes as long as generating them.
   */
  readChunks(leaf: LeafEntry): Promise<readonly ChunkEntry[]> {
    return readLeafChunks(this.#packReader, leaf, this.#context());
  }

  /**
   * Returns the chunk of a stored form that this save has read. Throws `ORT_GENERATOR_UNKNOWN` for a change to
   * the output of a generator that is missing.
   */
  realize(stored: StoredChunk): Chunk {
    return realizeStored(stored, this.#generated);
  }

  /** Returns the chunk that the world's generator makes. Throws `ORT_GENERATOR_UNKNOWN` if it is missing. */
  generate(position: Position): Chunk {
    if (!isPosition(position))
      throw wrongArgument("position", position, "it is the position of a chunk, four whole numbers");
    return this.#generated(position);
  }

  /** Reads the entities of a leaf. */
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]> {
    return readLeafEntities(this.#packReader, leaf, this.#context());
  }

  /** Bytes of the records outside the leaves: a large catalog, and the key-value store. */
  get worldRecordBytes(): number {
    return worldRecordBytes(this.global);
  }

  /** Returns the pages of the key-value store in order. Their list is read once. */
  storePages(): Promise<readonly StorePage[]> {
    return readStorePages(this.#packReader, this.global.records?.store);
  }

  /** Reads the entries of one page of the key-value store. */
  readStorePage(page: BoundedPage): Promise<readonly StoreEntry[]> {
    return readStoreEntries(this.#packReader, page);
  }

  /** Yields all entries of the key-value store in order of their keys. Holds one page at a time. */
  async *storeEntries(): AsyncGenerator<StoreEntry> {
    for (const page of boundedPages(await this.storePages())) yield* await this.readStorePage(page);
  }

  /**
   * Returns a separate save, to be closed independently, of this generation or of another whose records lie
   * in the same packs.
   */
  share(state: SaveState = this): Save {
    return new Save(state, this.#packReader.share(), this.#generated, this.holds);
  }

  /** Closes the files behind the save. Closing twice is harmless. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.holds.release(this.generation);
    await this.#packReader.release();
  }

  #context(): BlobContext {
    return {
      chunkVolume: this.global.description.chunkShape.volume,
      limits: this.manifest.limits,
      generated: this.#generated,
    };
  }
}

/** Throws `ORT_ARGUMENT` unless `value` is an open save. */
export function requireSave(name: string, value: unknown): asserts value is Save {
  if (!(value instanceof Save)) throw wrongArgument(name, value, "it is a Save, as openSave returns it");
}

/** Returns a copy of a box of chunks. */
function checkedChunks(box: unknown): Box {
  const { min, max } = (typeof box === "object" ? (box ?? {}) : {}) as Partial<Record<keyof Box, unknown>>;
  if (!isPosition(min) || !isPosition(max) || AXES.some((axis) => min[axis] > max[axis]))
    throw wrongArgument("box", box, "it is { min, max }, two positions of four whole numbers");
  return { min, max };
}

function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && value.length === AXES.length && [...value].every(Number.isSafeInteger);
}

/** Counts the open generations of a save in this process, so that no file still being read is removed. */
export class GenerationHolds {
  readonly #counts = new Map<number, number>();

  /** Counts one more holder of a generation. */
  hold(generation: number): void {
    this.#counts.set(generation, (this.#counts.get(generation) ?? 0) + 1);
  }

  /** Counts one holder fewer. */
  release(generation: number): void {
    const count = (this.#counts.get(generation) ?? 0) - 1;
    if (count > 0) this.#counts.set(generation, count);
    else this.#counts.delete(generation);
  }

  /** Returns the generations that are open. */
  generations(): ReadonlySet<number> {
    return new Set(this.#counts.keys());
  }
}
