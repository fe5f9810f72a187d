import { OrthantError } from "@orthant/core";
import type { SaveFiles } from "../files/save-files.ts";
import { blobFile, TABLE_NAME_BYTES_MAX } from "../layout.ts";
import type { Octree } from "../octree/octree.ts";
import { type BlockAddress, describeAddress } from "./pointer.ts";

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
