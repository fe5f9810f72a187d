import { isOrthantError, OrthantError } from "@orthant/core";
import { requireWhole } from "@orthant/core/arguments";
import type { SaveFiles } from "./files.ts";
import { blobFile, TABLE_NAME_BYTES_MAX } from "./layout.ts";
import type { Octree } from "./octree.ts";
import { type BlockAddress, describeAddress } from "./pointer.ts";

/** One saved state of a world. */
export interface MarsMinerState {
  /** Location of its index. */
  readonly address: BlockAddress;
  /**
   * Time of saving, in units of 100 ns since the beginning of year 1, UTC. Beyond 2^53, so never a number.
   */
  readonly ticks: bigint;
  /** `undefined` without a name, which differs from an empty name. */
  readonly name: string | undefined;
  /** In storage order. A position may occur twice. */
  readonly chunks: readonly MarsMinerChunkEntry[];
}

const UNIX_EPOCH_TICKS = 621_355_968_000_000_000n;
const TICKS_PER_MS = 10_000n;

/** Converts ticks to milliseconds since 1970, rounded down. */
export function msOfTicks(ticks: bigint): number {
  const since = ticks - UNIX_EPOCH_TICKS;
  const rest = ((since % TICKS_PER_MS) + TICKS_PER_MS) % TICKS_PER_MS;
  return Number((since - rest) / TICKS_PER_MS);
}

/** Converts whole milliseconds since 1970 to ticks. */
export function ticksOfMs(ms: number): bigint {
  requireWhole("ms", ms, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return BigInt(ms) * TICKS_PER_MS + UNIX_EPOCH_TICKS;
}

/** A fault in a part of a state, and the position of the chunk if it affects only one. */
export interface StateFault {
  readonly error: OrthantError;
  readonly place: { readonly x: number; readonly z: number } | undefined;
}

/**
 * Reads the index at an address and its chunk table, but no chunks. With `onFault`, reports and omits a name
 * or a chunk whose pointer is broken. Without it, and for all other faults, throws.
 */
export async function readMarsMinerState(
  files: SaveFiles,
  address: BlockAddress,
  onFault?: (fault: StateFault) => void,
): Promise<MarsMinerState> {
  const { kinds } = files;
  const tolerate = async <Value>(
    read: () => Promise<Value>,
    place: StateFault["place"],
  ): Promise<Value | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (onFault === undefined || !isOrthantError(error)) throw error;
      onFault({ error, place });
      return undefined;
    }
  };
  const { value: index } = await files.readBlock(kinds.stateIndex, address);
  const name = await tolerate(() => files.readString(index.name, address.blob), undefined);
  const tableAddress = await files.target(index.chunkTable, address.blob, "a chunk table");
  const { value: entries } = await files.readBlock(kinds.chunkTable, tableAddress);
  const chunks: MarsMinerChunkEntry[] = [];
  for (const { x, z, chunk } of entries) {
    const target = await tolerate(() => files.target(chunk, tableAddress.blob, "a chunk"), { x, z });
    if (target !== undefined) chunks.push({ x, z, address: target });
  }
  return { address, ticks: index.ticks, name, chunks };
}

/** Position of a state's chunk in the world, and its location on disk. */
export interface MarsMinerChunkEntry {
  readonly x: number;
  readonly z: number;
  readonly address: BlockAddress;
}

/** Meaning of a block id in a chunk. */
export interface MarsMinerBlockType {
  /** `undefined` if the table has a null there. */
  readonly name: string | undefined;
  /** `undefined` in the dialect without subtypes. */
  readonly subtype: number | undefined;
}

/** A column of cubes, lowest first. */
export interface MarsMinerChunk {
  /** By block id. Voxels may have unlisted ids, which the original never checked. */
  readonly blockTypes: readonly MarsMinerBlockType[];
  readonly octrees: readonly Octree[];
}

/** Number of cached tables; a world has few. */
const TABLES_MAX = 64;

/** Reads chunks. Caches the last chunk and the last tables, because chunks may share both. */
export class ChunkReader {
  readonly #files: SaveFiles;
  readonly #depthMax: number;
  readonly #tables = new Map<string, readonly MarsMinerBlockType[]>();
  #last: { readonly key: string; readonly chunk: MarsMinerChunk } | undefined;

  constructor(files: SaveFiles, cubeSize: number) {
    this.#files = files;
    this.#depthMax = Math.log2(cubeSize);
  }

  /** Reads and fully checks the chunk at an address. */
  async read(address: BlockAddress): Promise<MarsMinerChunk> {
    const key = describeAddress(address);
    if (this.#last?.key === key) return this.#last.chunk;
    const files = this.#files;
    const { value: block } = await files.readBlock(files.kinds.chunk, address);
    const blockTypes = await this.readBlockTypes(
      await files.target(block.blockTypes, address.blob, "a table of block types"),
    );
    const known = new Map<string, Octree>();
    const octrees: Octree[] = [];
    for (const pointer of block.octrees) {
      const octreeAddress = await files.target(pointer, address.blob, "an octree");
      const octreeKey = describeAddress(octreeAddress);
      const octree = known.get(octreeKey) ?? (await this.#readOctree(octreeAddress));
      known.set(octreeKey, octree);
      octrees.push(octree);
    }
    const chunk = { blockTypes, octrees };
    this.#last = { key, chunk };
    return chunk;
  }

  /** Reads the table at an address, with its names. */
  async readBlockTypes(address: BlockAddress): Promise<readonly MarsMinerBlockType[]> {
    const key = describeAddress(address);
    const known = this.#tables.get(key);
    if (known !== undefined) return known;
    const files = this.#files;
    const { value: entries } = await files.readBlock(files.kinds.blockTypes, address);
    const names = new Map<string, string | undefined>();
    let room = TABLE_NAME_BYTES_MAX;
    const types: MarsMinerBlockType[] = [];
    for (const { name: pointer, subtype } of entries) {
      const nameKey = JSON.stringify(pointer);
      if (!names.has(nameKey)) {
        const name = await files.readString(pointer, address.blob);
        names.set(nameKey, name);
        room -= name?.length ?? 0;
        if (room < 0) throw tooManyNames(address);
      }
      types.push({ name: names.get(nameKey), subtype });
    }
    if (this.#tables.size === TABLES_MAX) this.#tables.clear();
    this.#tables.set(key, types);
    return types;
  }

  async #readOctree(address: BlockAddress): Promise<Octree> {
    const { value: octree } = await this.#files.readBlock(this.#files.kinds.octree, address);
    requireDepth(octree, address, this.#depthMax);
    return octree;
  }
}

/** Throws unless an octree fits the depth of its cube. Rule M17. */
export function requireDepth({ depth }: Octree, { blob, offset }: BlockAddress, depthMax: number): void {
  if (depth <= depthMax) return;
  const detail = `${depth} levels, where a cube of ${2 ** depthMax} voxels has ${depthMax}`;
  throw new OrthantError("ORT_OCTREE", detail, { path: blobFile(blob), offset });
}

function tooManyNames({ blob, offset }: BlockAddress): OrthantError {
  const detail = `block types with more than ${TABLE_NAME_BYTES_MAX} letters of names`;
  return new OrthantError("ORT_LIMIT", detail, { path: blobFile(blob), offset });
}
