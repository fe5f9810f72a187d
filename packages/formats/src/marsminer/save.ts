import { checkedOptions, choiceOf, requireWhole, wrongArgument } from "@orthant/core/arguments";
import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import { fittingDialects, likeliestDialect } from "./dialect.ts";
import { SaveFiles } from "./files.ts";
import { findStates } from "./inspect.ts";
import {
  CUBE_SIZE_MAX,
  CUBE_SIZE_MIN,
  DEFAULT_CUBE_SIZE,
  MARSMINER_DIALECTS,
  type MarsMinerDialect,
} from "./layout.ts";
import type { BlockAddress } from "./pointer.ts";
import {
  ChunkReader,
  type MarsMinerBlockType,
  type MarsMinerChunk,
  type MarsMinerChunkEntry,
  type MarsMinerState,
  readMarsMinerState,
} from "./state.ts";

/** Information from the caller that the save does not contain. */
export interface OpenMarsMinerOptions {
  /** Overrides the detected dialect. */
  readonly dialect?: MarsMinerDialect;
  /** Edge of an octree's cube in voxels, a power of two. Default: 64, as in the game. */
  readonly cubeSize?: number;
}

/**
 * Opens the save on a disk and reads its present state. Throws an error with the location of any
 * contradiction. Chunks are checked when they are read. Writes nothing.
 */
export async function openMarsMiner(disk: Disk, options: OpenMarsMinerOptions = {}): Promise<MarsMinerSave> {
  requireDisk("disk", disk);
  const { cubeSize = DEFAULT_CUBE_SIZE, dialect: given } = checkedMarsMinerOptions(options);
  const fitting = given === undefined ? await fittingDialects(disk) : [given];
  // If nothing fits, the errors of the likeliest dialect show what is wrong.
  const dialect = fitting[0] ?? (await likeliestDialect(disk));
  const files = await SaveFiles.open(disk, dialect);
  try {
    const header = await files.readHeader();
    const address = await files.resolve(header.state, 0);
    const state = address === undefined ? undefined : await readMarsMinerState(files, address);
    return new MarsMinerSave({ dialect, fittingDialects: fitting, cubeSize, state }, files);
  } catch (error) {
    await files.close();
    throw error;
  }
}

/** Returns checked options as an object of our own. */
export function checkedMarsMinerOptions(options: OpenMarsMinerOptions): OpenMarsMinerOptions {
  return checkedOptions("the options", options, {
    dialect: choiceOf(...MARSMINER_DIALECTS),
    cubeSize: (_name, value) => requireCubeSize(value as number),
  });
}

/** Throws `ORT_ARGUMENT` unless it is a power of two, from the smallest cube to the largest. */
export function requireCubeSize(cubeSize: number): number {
  requireWhole("cubeSize", cubeSize, CUBE_SIZE_MIN, CUBE_SIZE_MAX);
  if (Number.isInteger(Math.log2(cubeSize))) return cubeSize;
  throw wrongArgument(
    "cubeSize",
    cubeSize,
    "it is a power of two, so that a cube can be halved down to one voxel",
  );
}

/** Properties of an open save. */
interface MarsMinerSaveFacts {
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
    return readMarsMinerState(this.#files, address);
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

/** The game's name for an empty block. */
export const EMPTY_BLOCK_NAME = "Core_Empty";

/** Why a block id has a name other than the one in the table. */
type NameRemark = "subtype" | "unnamed" | "unlisted";

/** A block id with a name that stands for type and subtype. */
interface NamedBlock {
  readonly name: string;
  readonly remark: NameRemark | undefined;
}

/**
 * Returns a name for each block id that a chunk lists or uses. A subtype other than 0 becomes part of the
 * name, as in `MarsMiner_Sand #3`. An id without a name, or that is not listed, is named by its number, as in
 * `block 4`.
 */
export function blockNames({ blockTypes, octrees }: MarsMinerChunk): readonly NamedBlock[] {
  let idMax = blockTypes.length - 1;
  for (const { values, firstChildren } of octrees) {
    for (let node = 0; node < values.length; node++) {
      if (firstChildren[node] === 0) idMax = Math.max(idMax, values[node] as number);
    }
  }
  return Array.from({ length: idMax + 1 }, (_, id) => nameOf(blockTypes[id], id));
}

function nameOf(type: MarsMinerBlockType | undefined, id: number): NamedBlock {
  if (type === undefined) return { name: `block ${id}`, remark: "unlisted" };
  if (type.name === undefined) return { name: `block ${id}`, remark: "unnamed" };
  const { name, subtype = 0 } = type;
  return subtype === 0 ? { name, remark: undefined } : { name: `${name} #${subtype}`, remark: "subtype" };
}
