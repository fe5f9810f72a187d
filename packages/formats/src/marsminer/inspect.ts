import { isOrthantError, OrthantError } from "@orthant/core";
import type { SaveFiles } from "./files.ts";
import { blobFile, headerStruct } from "./layout.ts";
import { findUnlistedId, isShortestOctree } from "./octree.ts";
import { type BlockAddress, describeAddress } from "./pointer.ts";
import {
  ChunkReader,
  type MarsMinerState,
  readMarsMinerState,
  requireDepth,
  type StateFault,
} from "./state.ts";

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
interface BlockRemark {
  readonly address: BlockAddress;
  readonly message: string;
}

/** Options for inspecting. */
interface InspectOptions {
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
    const state = await readMarsMinerState(this.#files, address, (fault) => faults.push(fault));
    const extents = [...(await this.#rootExtents(state))];
    const remarks: BlockRemark[] = [];
    const blockTypes = { count: 0, unnamed: 0 };
    for (const chunk of state.chunks.slice(0, chunksMax)) {
      const found = await this.#inspectChunk(chunk.address);
      if (found.error !== undefined) faults.push({ error: found.error, place: chunk });
      for (const extent of found.extents) extents.push(extent);
      remarks.push(...found.remarks);
      blockTypes.count += found.blockTypeCount;
      blockTypes.unnamed += found.unnamed;
    }
    const sorted = inAddressOrder(extents);
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
        if (!isShortestOctree(octree.bytes, octree.value)) {
          remarks.push({
            address: at,
            message: "an octree with stray bits, or a value in more bytes than it needs",
          });
        }
        const unlisted = findUnlistedId(octree.value, types.length);
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

/** 2011-01-01, before the first line of MarsMiner was written. */
const TICKS_MIN = 634_294_368_000_000_000n;
/** 2101-01-01. */
const TICKS_MAX = 662_695_776_000_000_000n;
/** Number of bytes searched at once. */
const WINDOW_BYTES = 1_048_576;
const TICKS_BYTES = 8;
/** All states together read each byte of the blobs about once, and false candidates end soon. */
const BUDGET = 8;
/** Limit for positions that look like a time. A save with more of them was made to waste time. */
const CANDIDATES_MAX = 100_000;

/** A state that was found, and its faults. */
export interface FoundState {
  readonly state: MarsMinerState;
  readonly faults: readonly StateFault[];
  /** Number of block types without a name; the wrong dialect has many. */
  readonly unnamed: number;
}

/**
 * Finds every intact state in the blobs, newest first. There is no mark to search for: a time that parses as
 * a state is one.
 */
export async function findStates(
  files: SaveFiles,
  cubeSize: number,
  current: BlockAddress | undefined,
): Promise<readonly MarsMinerState[]> {
  return intactStates(await surveyStates(files, cubeSize, current), current);
}

/** Returns the states without damage and without parts that seem to belong to another state. */
export function intactStates(
  found: readonly FoundState[],
  current: BlockAddress | undefined,
): readonly MarsMinerState[] {
  const intact = found.filter(({ faults }) => faults.length === 0).map(({ state }) => state);
  return withoutMixtures(intact, current);
}

/** Finds every state whose index and chunk table are readable, newest first. */
export async function surveyStates(
  files: SaveFiles,
  cubeSize: number,
  current: BlockAddress | undefined,
): Promise<readonly FoundState[]> {
  const inspector = new StateInspector(files, cubeSize, BUDGET);
  const live = current && (await inspectAt(inspector, current));
  const found: FoundState[] = live === undefined ? [] : [foundState(live)];
  let candidates = 0;
  for await (const address of timesIn(files)) {
    if (isAt(current, address)) continue;
    if (++candidates > CANDIDATES_MAX) {
      throw new OrthantError("ORT_LIMIT", `more than ${CANDIDATES_MAX} places look like a state`);
    }
    const inspected = await inspectAt(inspector, address);
    if (inspected === undefined || overwritten(inspected.extents, live?.extents ?? [])) continue;
    found.push(foundState(inspected));
  }
  return found.sort(({ state: a }, { state: b }) => (a.ticks < b.ticks ? 1 : a.ticks > b.ticks ? -1 : 0));
}

/**
 * Drops older states with a chunk whose address a newer state uses for another position: its bytes were
 * overwritten by another chunk of the same length, and there is no checksum to detect it.
 */
function withoutMixtures(
  newestFirst: readonly MarsMinerState[],
  current: BlockAddress | undefined,
): readonly MarsMinerState[] {
  const placesByChunk = new Map<string, Set<string>>();
  return newestFirst.filter((state) => {
    const places = new Map<string, Set<string>>();
    for (const { x, z, address } of state.chunks) {
      const key = describeAddress(address);
      places.set(key, (places.get(key) ?? new Set()).add(`${x},${z}`));
    }
    for (const [key, ours] of places) {
      const newer = placesByChunk.get(key);
      const isElsewhere = newer !== undefined && ![...ours].some((place) => newer.has(place));
      if (isElsewhere && !isAt(current, state.address)) return false;
    }
    for (const [key, ours] of places) {
      const known = placesByChunk.get(key) ?? new Set();
      for (const place of ours) known.add(place);
      placesByChunk.set(key, known);
    }
    return true;
  });
}

function foundState({ state, faults, blockTypes }: InspectedState): FoundState {
  return { state, faults, unnamed: blockTypes.unnamed };
}

/** Returns `undefined` without an index or a chunk table. */
async function inspectAt(
  inspector: StateInspector,
  address: BlockAddress,
): Promise<InspectedState | undefined> {
  try {
    return await inspector.inspect(address);
  } catch (error) {
    if (isOrthantError(error) && error.code !== "ORT_LIMIT") return undefined;
    throw error;
  }
}

/** Returns whether the present state has blocks over parts of this one. Both must be in address order. */
function overwritten(extents: readonly Extent[], live: readonly Extent[]): boolean {
  let from = 0;
  for (const extent of extents) {
    while (from < live.length && endsBefore(live[from] as Extent, extent)) from++;
    for (let at = from; at < live.length; at++) {
      const other = live[at] as Extent;
      if (endsBefore(extent, other)) break;
      if (collide(extent, other)) return true;
    }
  }
  return false;
}

function isAt(current: BlockAddress | undefined, { blob, offset }: BlockAddress): boolean {
  return current?.blob === blob && current.offset === offset;
}

function endsBefore(a: Extent, b: Extent): boolean {
  if (a.address.blob !== b.address.blob) return a.address.blob < b.address.blob;
  return a.address.offset + a.bytes <= b.address.offset;
}

/** Yields every offset where eight bytes are a time at which MarsMiner may have saved. */
async function* timesIn(files: SaveFiles): AsyncGenerator<BlockAddress> {
  for (const [blob, size] of files.blobBytes.entries()) {
    let start = headerStruct(files.dialect).bytes;
    while (start + TICKS_BYTES <= size) {
      const length = Math.min(size - start, WINDOW_BYTES);
      const bytes = await files.read(blobFile(blob), start, length);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let at = 0; at + TICKS_BYTES <= length; at++) {
        // The two highest bytes nearly always decide, without a bigint.
        const high = view.getUint16(at + 6, true);
        if (high < 0x08cc || high > 0x0933) continue;
        const ticks = view.getBigUint64(at, true);
        if (ticks >= TICKS_MIN && ticks < TICKS_MAX) yield { blob, offset: start + at };
      }
      start += length - TICKS_BYTES + 1;
    }
  }
}

/** Location and size of a block. */
interface Extent {
  readonly address: BlockAddress;
  readonly bytes: number;
}

/** Returns each block once, however many pointers lead to it, in the order of blobs and addresses. */
function inAddressOrder(extents: readonly Extent[]): readonly Extent[] {
  // Two kinds of blocks at one address are two.
  const byPlace = new Map(
    extents.map((extent) => [`${describeAddress(extent.address)}+${extent.bytes}`, extent]),
  );
  return [...byPlace.values()].sort(
    ({ address: a }, { address: b }) => a.blob - b.blob || a.offset - b.offset,
  );
}

/** Returns whether two blocks partly overlap. Equal extents may be the same block. */
function collide(a: Extent, b: Extent): boolean {
  if (a.address.blob !== b.address.blob) return false;
  const isSame = a.address.offset === b.address.offset && a.bytes === b.bytes;
  const apart =
    a.address.offset + a.bytes <= b.address.offset || b.address.offset + b.bytes <= a.address.offset;
  return !isSame && !apart;
}
