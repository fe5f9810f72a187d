import { findStates } from "./care/find-states.ts";
import type { SaveFiles } from "./files/save-files.ts";
import type { MarsMinerDialect } from "./layout.ts";
import { ChunkReader, type MarsMinerChunk, type MarsMinerChunkEntry } from "./records/chunk-reader.ts";
import type { BlockAddress } from "./records/pointer.ts";
import { type MarsMinerState, readState } from "./records/state-reader.ts";

/** What is known of a save once it is open. */
export interface MarsMinerSaveFacts {
  readonly dialect: MarsMinerDialect;
  /** Every dialect that the files could be of; more than one where a save has no block types to tell them apart. */
  readonly fittingDialects: readonly MarsMinerDialect[];
  /** Voxels along an edge of the cube of an octree. */
  readonly cubeSize: number;
  /** What the header points at; `undefined` in a save that was never saved. */
  readonly state: MarsMinerState | undefined;
}

/** Bytes of the files of a save. */
export interface MarsMinerSizes {
  readonly blobBytes: readonly number[];
  readonly stringsBytes: number;
  readonly pointersBytes: number;
}

/** A MarsMiner save that is open to be read. Chunks are read and checked when they are asked for. */
export class MarsMinerSave implements MarsMinerSaveFacts {
  readonly dialect: MarsMinerDialect;
  readonly fittingDialects: readonly MarsMinerDialect[];
  readonly cubeSize: number;
  readonly state: MarsMinerState | undefined;
  readonly #files: SaveFiles;
  readonly #chunks: ChunkReader;

  /** Takes the files over; others use `openMarsMiner`. */
  constructor(facts: MarsMinerSaveFacts, files: SaveFiles) {
    this.dialect = facts.dialect;
    this.fittingDialects = facts.fittingDialects;
    this.cubeSize = facts.cubeSize;
    this.state = facts.state;
    this.#files = files;
    this.#chunks = new ChunkReader(files, facts.cubeSize);
  }

  /** The chunk of an entry. Entries that share one get the same object as long as it was read last. */
  readChunk(entry: MarsMinerChunkEntry): Promise<MarsMinerChunk> {
    return this.#chunks.read(entry.address);
  }

  /** The state whose index is at an address: one that {@link findStates} told, or that somebody wrote down. */
  readState(address: BlockAddress): Promise<MarsMinerState> {
    return readState(this.#files, address);
  }

  /**
   * Every state in the blobs whose bytes are all intact, the newest first: older ones, the present one, and such as
   * were written and never committed. Looks at every byte. Rule M22.
   */
  findStates(): Promise<readonly MarsMinerState[]> {
    return findStates(this.#files, this.cubeSize, this.state?.address);
  }

  /** Bytes of the files. */
  async sizes(): Promise<MarsMinerSizes> {
    return {
      blobBytes: this.#files.blobBytes,
      stringsBytes: await this.#files.stringsBytes(),
      pointersBytes: await this.#files.pointersBytes(),
    };
  }

  /** Closes the files. Closing twice is harmless. */
  close(): Promise<void> {
    return this.#files.close();
  }
}
