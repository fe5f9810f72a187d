import type { BlobContext } from "./blob-reader.ts";
import { readLeafBlocks, readLeafEntities, readLeafStored } from "./blob-reader.ts";
import type { Dialect } from "./dialect.ts";
import { GenerationHolds } from "./files/generation-holds.ts";
import type { PackShelf } from "./files/pack-shelf.ts";
import type { EntityRecord } from "./records/entity-record.ts";
import type { GlobalRecord } from "./records/global-record.ts";
import type { IndexVersion, LeafEntry } from "./records/leaf-entry.ts";
import type { Manifest } from "./records/manifest.ts";
import type { PlayerRecord } from "./records/player-record.ts";
import type { BlockEntry } from "./records/prepared-blocks.ts";
import type { GeneratedChunks, StoredBlock } from "./records/stored-block.ts";
import type { LeafIndex } from "./tree-index/leaf-index.ts";

/** What a save knows of a generation once its three files are read. */
export interface SaveState {
  readonly dialect: Dialect;
  readonly generation: number;
  readonly manifest: Manifest;
  readonly global: GlobalRecord;
  readonly players: readonly PlayerRecord[];
  readonly index: LeafIndex;
  /** The version of a tree index; a flat one has none. */
  readonly indexVersion: IndexVersion | undefined;
  /** What only the flat dialect has. */
  readonly flat: FlatExtras | undefined;
}

/** What only the flat dialect has. */
export interface FlatExtras {
  readonly regionChunkEdge: number;
  /** Chunks that the last shipped servers kept in the global file; they count before those in blobs. */
  readonly globalBlocks: readonly BlockEntry[];
  /** The custom payload as it is. */
  readonly customPayload: Uint8Array;
}

/**
 * One committed generation, which never changes. Blocks and entities are read when they are asked for, and their
 * checksums verified each time. Later commits do not disturb it: until it is closed, a writer that shares its packs
 * keeps what it needs.
 */
export class Save implements SaveState {
  readonly dialect: Dialect;
  readonly generation: number;
  readonly manifest: Manifest;
  readonly global: GlobalRecord;
  readonly players: readonly PlayerRecord[];
  readonly index: LeafIndex;
  readonly indexVersion: IndexVersion | undefined;
  readonly flat: FlatExtras | undefined;
  /** Which generations are open, of this save and those that follow it. */
  readonly holds: GenerationHolds;
  readonly #shelf: PackShelf;
  readonly #generated: GeneratedChunks;
  #closed = false;

  /** Takes the shelf over; others use `openSave`. */
  constructor(
    state: SaveState,
    shelf: PackShelf,
    generated: GeneratedChunks,
    holds: GenerationHolds = new GenerationHolds(),
  ) {
    this.dialect = state.dialect;
    this.generation = state.generation;
    this.manifest = state.manifest;
    this.global = state.global;
    this.players = state.players;
    this.index = state.index;
    this.indexVersion = state.indexVersion;
    this.flat = state.flat;
    this.#shelf = shelf;
    this.#generated = generated;
    this.holds = holds;
    holds.hold(state.generation);
  }

  /** The overridden chunks of a leaf as they are stored. Nothing is generated, so it costs little. */
  readStored(leaf: LeafEntry): Promise<readonly StoredBlock[]> {
    return readLeafStored(this.#shelf, leaf, this.#context());
  }

  /**
   * The overridden chunks of a leaf, in the order of their places within each record. What is stored as a change to what
   * the world's generator makes is made here, which takes as long as generating it.
   */
  readBlocks(leaf: LeafEntry): Promise<readonly BlockEntry[]> {
    return readLeafBlocks(this.#shelf, leaf, this.#context());
  }

  /** The entities of a leaf. */
  readEntities(leaf: LeafEntry): Promise<readonly EntityRecord[]> {
    return readLeafEntities(this.#shelf, leaf, this.#context());
  }

  /** The same generation, or another whose records lie in the same packs, to be closed on its own. */
  follow(state: SaveState = this): Save {
    return new Save(state, this.#shelf.share(), this.#generated, this.holds);
  }

  /** Closes the files behind the save. Closing twice is harmless. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.holds.release(this.generation);
    await this.#shelf.release();
  }

  #context(): BlobContext {
    return {
      dialect: this.dialect,
      chunkVolume: this.global.description.chunkShape.volume,
      limits: this.manifest.limits,
      generated: this.#generated,
    };
  }
}
