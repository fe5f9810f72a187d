import { findStates } from "./care/find-states.ts";
import type { SaveFiles } from "./files/save-files.ts";
import type { MarsMinerDialect } from "./layout.ts";
import { ChunkReader, type MarsMinerChunk, type MarsMinerChunkEntry } from "./records/chunk-reader.ts";
import type { BlockAddress } from "./records/pointer.ts";
import { type MarsMinerState, readState } from "./records/state-reader.ts";

/** Properties of an open save. */
export interface MarsMinerSaveFacts {
  readonly dialect: MarsMinerDialect;
  /** Every dialect that fits the files; more than one if a save has no block types to distinguish them. */
  readonly fittingDialects: readonly MarsMinerDialect[];
  /** Edge of an octree's cube, in voxels. */
  readonly cubeSize: number;
  /** The state that the header points to; `undefined` in a world that was never saved. */
  readonly state: MarsMinerState | undefined;
}

/** Sizes of the files of a save. */
export interface MarsMinerSizes {
  readonly blobBytes: readonly number[];
  readonly stringsBytes: number;
  readonly pointersBytes: number;
}

/** A MarsMiner save opened for reading. Chunks are read and checked on demand. */
export class MarsMinerSave implements MarsMinerSaveFacts {
  readonly dialect: MarsMinerDialect;
  readonly fittingDialects: readonly MarsMinerDialect[];
  readonly cubeSize: number;
  readonly state: MarsMinerState | undefined;
  readonly #files: SaveFiles;
  readonly #chunks: ChunkReader;

  /** Takes ownership of the files. Use `openMarsMiner` instead. */
  constructor(facts: MarsMinerSaveFacts, files: SaveFiles) {
    this.dialect = facts.dialect;
    this.fittingDialects = facts.fittingDialects;
    this.cubeSize = facts.cubeSize;
    this.state = facts.state;
    this.#files = files;
    this.#chunks = new ChunkReader(files, facts.cubeSize);
  }

  /** Reads the chunk of an entry. Entries that share one get the same object if it was the last one read. */
  readChunk(entry: MarsMinerChunkEntry): Promise<MarsMinerChunk> {
    return this.#chunks.read(entry.address);
  }

  /** Reads the state whose index is at an address, for example one returned by {@link findStates}. */
  readState(address: BlockAddress): Promise<MarsMinerState> {
    return readState(this.#files, address);
  }

  /**
   * Finds every intact state in the blobs, newest first: older ones, the present one, and those written but
   * never committed. Reads every byte. Rule M22.
   */
  findStates(): Promise<readonly MarsMinerState[]> {
    return findStates(this.#files, this.cubeSize, this.state?.address);
  }

  /** Returns the sizes of the files. */
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
