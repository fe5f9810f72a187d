import { isOrthantError, OrthantError } from "@orthant/core";
import type { SaveFiles } from "../files/save-files.ts";
import { blobFile, headerStruct } from "../layout.ts";
import { isPlainOctree, unlistedId } from "../octree/octree.ts";
import { ChunkReader, requireDepth } from "../records/chunk-reader.ts";
import { type BlockAddress, describeAddress } from "../records/pointer.ts";
import { type MarsMinerState, readState, type StateFault } from "../records/state-reader.ts";
import { BlockExtents, type Extent } from "./block-extents.ts";

/** Result of inspecting one state. */
export interface InspectedState {
  readonly state: MarsMinerState;
  readonly faults: readonly StateFault[];
  /** The blocks of the state, each once, in address order. */
  readonly extents: readonly Extent[];
  /** Number of block types, and of those without a name. */
  readonly blockTypes: { readonly count: number; readonly unnamed: number };
  /** Harmless irregularities. */
  readonly remarks: readonly BlockRemark[];
}

/** A harmless irregularity of a block. */
export interface BlockRemark {
  readonly address: BlockAddress;
  readonly message: string;
}

/** Options for inspecting. */
export interface InspectOptions {
  /** Maximum number of chunks to inspect. */
  readonly chunksMax?: number;
}

interface InspectedChunk {
  readonly error: OrthantError | undefined;
  readonly extents: readonly Extent[];
  readonly blockTypeCount: number;
  readonly unnamed: number;
  readonly remarks: readonly BlockRemark[];
}

/** Inspects states block by block. A chunk that several states share is read once. */
export class StateInspector {
  readonly #files: SaveFiles;
  readonly #depthMax: number;
  readonly #reader: ChunkReader;
  readonly #chunks = new Map<string, InspectedChunk>();
  readonly #budgetBytes: number;
  /** Blocks already counted, by address: several chunks may share one. */
  readonly #spent = new Set<string>();
  #spentBytes = 0;

  /** `budget` limits the bytes read, as a multiple of the size of all blobs, to detect a hostile save. */
  constructor(files: SaveFiles, cubeSize: number, budget: number) {
    this.#files = files;
    this.#depthMax = Math.log2(cubeSize);
    this.#reader = new ChunkReader(files, cubeSize);
    const total = files.blobBytes.reduce((sum, bytes) => sum + bytes, 0);
    this.#budgetBytes = total * budget;
  }

  /** Returns all faults of a state. Throws if its index or its chunk table is unreadable. */
  async inspect(
    address: BlockAddress,
    { chunksMax = Infinity }: InspectOptions = {},
  ): Promise<InspectedState> {
    const faults: StateFault[] = [];
    const state = await readState(this.#files, address, (fault) => faults.push(fault));
    const extents = new BlockExtents();
    for (const extent of await this.#rootExtents(state)) extents.add(extent);
    const remarks: BlockRemark[] = [];
    const blockTypes = { count: 0, unnamed: 0 };
    for (const chunk of state.chunks.slice(0, chunksMax)) {
      const found = await this.#inspectChunk(chunk.address);
      if (found.error !== undefined) faults.push({ error: found.error, place: chunk });
      for (const extent of found.extents) extents.add(extent);
      remarks.push(...found.remarks);
      blockTypes.count += found.blockTypeCount;
      blockTypes.unnamed += found.unnamed;
    }
    const sorted = extents.sorted();
    const overlap = findOverlap(sorted);
    if (overlap !== undefined) faults.push({ error: overlap, place: undefined });
    return { state, faults, extents: sorted, blockTypes, remarks };
  }

  async #rootExtents(state: MarsMinerState): Promise<readonly Extent[]> {
    const { kinds } = this.#files;
    const index = await this.#files.readBlock(kinds.stateIndex, state.address);
    const { blob } = state.address;
    const table = await this.#files.target(index.value.chunkTable, blob, "a chunk table");
    const tableBytes = (await this.#files.readBlock(kinds.chunkTable, table)).bytes.length;
    const tableExtent = { address: table, bytes: tableBytes };
    this.#spend(tableExtent);
    return [
      { address: { blob: 0, offset: 0 }, bytes: headerStruct(this.#files.dialect).bytes },
      { address: state.address, bytes: index.bytes.length },
      tableExtent,
    ];
  }

  async #inspectChunk(address: BlockAddress): Promise<InspectedChunk> {
    const key = describeAddress(address);
    const known = this.#chunks.get(key);
    if (known !== undefined) return known;
    const inspected = await this.#readChunk(address);
    this.#chunks.set(key, inspected);
    return inspected;
  }

  async #readChunk(address: BlockAddress): Promise<InspectedChunk> {
    const extents: Extent[] = [];
    const remarks: BlockRemark[] = [];
    let blockTypeCount = 0;
    let unnamed = 0;
    let error: OrthantError | undefined;
    const note = (at: BlockAddress, bytes: number): void => {
      this.#spend({ address: at, bytes });
      extents.push({ address: at, bytes });
    };
    try {
      const files = this.#files;
      const { value: block, bytes } = await files.readBlock(files.kinds.chunk, address);
      note(address, bytes.length);
      const tableAddress = await files.target(block.blockTypes, address.blob, "a table of block types");
      note(tableAddress, (await files.readBlock(files.kinds.blockTypes, tableAddress)).bytes.length);
      const types = await this.#reader.readBlockTypes(tableAddress);
      blockTypeCount = types.length;
      unnamed = types.filter(({ name }) => name === undefined).length;
      for (const pointer of block.octrees) {
        const at = await files.target(pointer, address.blob, "an octree");
        if (extents.some((extent) => describeAddress(extent.address) === describeAddress(at))) continue;
        const octree = await files.readBlock(files.kinds.octree, at);
        note(at, octree.bytes.length);
        requireDepth(octree.value, at, this.#depthMax);
        if (!isPlainOctree(octree.bytes, octree.value)) {
          remarks.push({
            address: at,
            message: "an octree with stray bits, or a value in more bytes than it needs",
          });
        }
        const unlisted = unlistedId(octree.value, types.length);
        if (unlisted !== undefined) {
          const message = `a voxel has block id ${unlisted}, where its chunk lists ${types.length}`;
          remarks.push({ address: at, message });
        }
      }
    } catch (thrown) {
      if (!isOrthantError(thrown) || thrown.code === "ORT_LIMIT") throw thrown;
      error = thrown;
    }
    return { error, extents, blockTypeCount, unnamed, remarks };
  }

  /** Blocks of one state do not overlap, so together they are no longer than the blobs. */
  #spend({ address, bytes }: Extent): void {
    const key = describeAddress(address);
    if (this.#spent.has(key)) return;
    this.#spent.add(key);
    this.#spentBytes += bytes;
    if (this.#spentBytes <= this.#budgetBytes) return;
    const detail = `blocks that overlap: together they have more than ${this.#budgetBytes} bytes`;
    throw new OrthantError("ORT_LIMIT", detail, { path: blobFile(0) });
  }
}

/** Rule M21: blocks of one state do not overlap each other or the header. */
function findOverlap(sorted: readonly Extent[]): OrthantError | undefined {
  for (const [index, { address, bytes }] of sorted.entries()) {
    const next = sorted[index + 1]?.address;
    if (next === undefined || next.blob !== address.blob || next.offset >= address.offset + bytes) continue;
    const detail = `the block of ${bytes} bytes at ${describeAddress(address)} reaches into the one at ${describeAddress(next)}`;
    return new OrthantError("ORT_POINTER", detail, { path: blobFile(next.blob), offset: next.offset });
  }
  return undefined;
}
