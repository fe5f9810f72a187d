import {
  type Box,
  type Chunk,
  type ChunkShape,
  type GeneratorRegistry,
  OrthantError,
  type Position,
} from "@orthant/core";
import type { ChunkEditor } from "@orthant/core/chunk";
import {
  AXES,
  boxAt,
  boxVolume,
  intersectBoxes,
  PositionMap,
  regionBox,
  regionOf,
  unionBox,
} from "@orthant/core/lattice";
import {
  CLOCK_NEVER,
  type EditedChunk,
  type GeneratorMap,
  OverrideTree,
  type QueryDetail,
  RegionClocks,
  type RegionTree,
  type WorldState,
} from "@orthant/core/tree";
import type { LeafEntry, LeafIndex, Save } from "@orthant/save";
import { LoadedRegions } from "./loaded-regions.ts";
import { LoadedTicks } from "./loaded-ticks.ts";
import { type LoadedRegion, RegionReader } from "./region-reader.ts";

/** Fraction of the memory limit that remains in use after eviction. */
const BYTES_LEFT = 0.9;
/** Number of evicted regions after which the index is unloaded too; its parts are read again on demand. */
const REGIONS_BEFORE_UNLOAD = 4_096;

/**
 * Rounds in which {@link WorldRegions.contentBounds} reads leaves, one for each of the eight faces of a box at
 * most.
 */
const BOUNDS_ROUNDS_MAX = 8;

/** More chunks than this are generated off the main thread before an edit is applied. */
const CHUNKS_AT_ONCE = 8;

/** Voxels of the chunks that are edited in place at a time, at most: each may take two bytes. */
const VOXELS_IN_PLACE_MAX = 2 ** 24;

/** A chunk that is edited in place. */
export interface ChunkInPlace extends EditedChunk {
  /** How often something had looked at clocks when its region got the last one through it. */
  clockedAt: number;
}

/** The generated chunks that an edit needs. */
interface GeneratedNeed {
  readonly touched: readonly Box[];
  readonly generated?: (state: WorldState) => readonly Box[];
}

/** A leaf that was not read, and the part of its cube that matters. */
interface UnreadLeaf {
  readonly leaf: LeafEntry;
  readonly part: Box;
}

/**
 * The chunks and clocks of a world in memory: what was read from the save, with the edits made since. A state never changes.
 * While nothing asks for the state, chunks may be edited in place, which is much faster than a new state for each edit.
 */
export class WorldRegions {
  /** Without the edits in place. */
  #state: WorldState;
  /** The chunks that were edited in place since something last asked for the state. */
  readonly #inPlace = new PositionMap<ChunkInPlace>();
  readonly #inPlaceMax: number;
  #isChanging = false;
  readonly #clocks: RegionClocks = new RegionClocks();
  /** How often something has looked at clocks. */
  #looks = 0;
  /** Scheduled ticks. */
  readonly ticks: LoadedTicks = new LoadedTicks();
  /** Memory above which regions are evicted. */
  readonly bytesMax: number;
  readonly #loaded = new LoadedRegions();
  readonly #reader: RegionReader;
  readonly #add: (region: LoadedRegion) => void;
  readonly #onGrown: (bytes: number) => void;
  #evicted = 0;

  /** `onGrown` is called with the bytes by which edited regions grew. */
  constructor(save: Save, state: WorldState, loadedBytesMax: number, onGrown: (bytes: number) => void) {
    this.#state = state;
    this.#inPlaceMax = Math.ceil(VOXELS_IN_PLACE_MAX / state.shape.volume);
    this.bytesMax = loadedBytesMax;
    this.#onGrown = onGrown;
    // Without edits, which a chunk that is decoded later would otherwise keep in memory.
    this.#reader = new RegionReader(save, this.#loaded, state.shape, () =>
      this.#state.withOverrides(OverrideTree.UNTOUCHED),
    );
    this.#add = ({ region, overrides, clock, ticks }) => {
      if (overrides !== OverrideTree.UNTOUCHED)
        this.#state = this.#state.withOverrides(overrides.merge(this.#state.overrides));
      this.#clocks.reset(region, clock);
      for (const { position, ticks: ofChunk } of ticks) this.ticks.add(position, ofChunk);
    };
  }

  /** The world in memory. */
  get state(): WorldState {
    if (this.#inPlace.size > 0) this.#endInPlace();
    return this.#state;
  }

  /** Calls `change` with the state. Until it returns, nothing else may edit the world. */
  changing<Result>(change: (state: WorldState) => Result): Result {
    this.#requireUnchanging();
    this.#isChanging = true;
    try {
      return change(this.state);
    } finally {
      this.#isChanging = false;
    }
  }

  #requireUnchanging(): void {
    if (!this.#isChanging) return;
    const detail =
      "setNow was called within a step or another edit: a system changes voxels through its step";
    throw new OrthantError("ORT_ARGUMENT", detail);
  }

  /** Whether only promises can have generated chunks. */
  get isAsynchronous(): boolean {
    return this.#state.isAsynchronous;
  }

  get shape(): ChunkShape {
    return this.#state.shape;
  }

  /** Must be called before an edit in place. Ends earlier ones if they take too much memory. */
  beginInPlace(): void {
    this.#requireUnchanging();
    if (this.#inPlace.size >= this.#inPlaceMax) this.#endInPlace();
  }

  /** Returns a chunk to edit in place; `undefined` if it is not in memory or has data, which such edits do not know. */
  editInPlace(position: Position): ChunkInPlace | undefined {
    const [x, y, z, w] = position;
    const known = this.#inPlace.get(x, y, z, w);
    if (known !== undefined) return known;
    if (!this.use(boxAt(position))) return undefined;
    const { editor, generated } = this.#state.editorOf(position);
    if (editor.before.data.size > 0) return undefined;
    const chunk = { editor, generated, clockedAt: -1 };
    this.#inPlace.set(x, y, z, w, chunk);
    return chunk;
  }

  /** The clocks of regions. */
  get clocks(): RegionClocks {
    this.#looks++;
    return this.#clocks;
  }

  /**
   * Gives the region of an edit in place a new clock, unless an edit of the chunk has got it one that nothing has seen. Nothing
   * may tell this one either.
   */
  clockInPlace(chunk: ChunkInPlace, region: Position, epoch: number): number | undefined {
    if (chunk.clockedAt === this.#looks) return undefined;
    chunk.clockedAt = this.#looks;
    return this.#clocks.bump([region], epoch)[0]?.after;
  }

  #endInPlace(): void {
    const { state, chunks } = this.#state.withEdited(this.#inPlace);
    this.#inPlace.clear();
    this.edit(state, chunks);
  }

  /** Takes over the state after an edit of these chunks. */
  edit(state: WorldState, chunks: readonly Position[]): void {
    const before = this.#state.overrides;
    this.#state = state;
    let grown = 0;
    for (const position of chunks)
      grown += this.#loaded.replace(
        regionOf(position),
        before.at(...position),
        state.overrides.at(...position),
      );
    this.#onGrown(grown);
  }

  /** Uses other generators from now on. */
  changeGenerators(generators: GeneratorRegistry, generator: GeneratorMap): void {
    this.#state = this.state.withGenerators(generators, generator);
  }

  /** Returns a chunk of a region in memory, which may have to be generated. */
  chunk(position: Position): Chunk | Promise<Chunk> {
    const state = this.#stateAt(position);
    if (!state.generatesAsync) return state.realizeChunk(...position);
    // Edits may change the state while the chunk is generated.
    return (
      state.overrides.at(...position) ??
      state.generateChunk(position).then((chunk) => this.state.overrides.at(...position) ?? chunk)
    );
  }

  /** Returns a chunk of a region in memory if it needs no asynchronous generator. */
  findChunk(position: Position): Chunk | undefined {
    return this.#stateAt(position).findChunk(...position);
  }

  /** Returns the block of a voxel in a chunk of a region in memory, if it needs no asynchronous generator. */
  blockAt(position: Position, index: number): number | undefined {
    return (this.inPlaceAt(position) ?? this.#state.findChunk(...position))?.get(index);
  }

  /** Returns a chunk that is being edited in place. */
  inPlaceAt([x, y, z, w]: Position): ChunkEditor | undefined {
    return this.#inPlace.get(x, y, z, w)?.editor;
  }

  /** Returns a state that has all edits of one chunk. */
  #stateAt([x, y, z, w]: Position): WorldState {
    return this.#inPlace.has(x, y, z, w) ? this.state : this.#state;
  }

  /** Returns the contents of a box of chunks in memory, of which some may have to be generated. */
  query(box: Box, detail: QueryDetail): RegionTree | Promise<RegionTree> {
    if (detail === "symbolic" || !this.state.generatesAsync) return this.state.queryRegion(box, detail);
    return this.state.generateBox(box).result.then((tree) => tree.under(this.state.overrides.slice(box)));
  }

  /**
   * Generates what an edit needs, if this thread cannot or should not do it while it applies the edit. Returns a
   * function that releases it.
   */
  prepare({ touched, generated }: GeneratedNeed): Promise<() => void> | undefined {
    const state = this.#state;
    if (!state.generatesAsync) return undefined;
    const boxes = generated === undefined ? touched : generated(this.state);
    const count = boxes.reduce((sum, box) => sum + boxVolume(box), 0);
    return state.isAsynchronous || count > CHUNKS_AT_ONCE ? state.keepGenerated(boxes) : undefined;
  }

  /** Whether everything in a box of chunks has been read. Always false for a very large box. */
  isLoaded(box: Box): boolean {
    return this.#reader.isLoaded(box);
  }

  /** Like {@link isLoaded}, and marks the regions in memory as just used. */
  use(box: Box): boolean {
    return this.#reader.use(box, this.#add);
  }

  load(box: Box): Promise<void> {
    return this.#reader.load(box, this.#add);
  }

  /** Whether everything that is stored for a chunk and those above it has been read. */
  isLoadedAbove(chunk: Position): boolean {
    return this.#reader.isLoadedAbove(chunk);
  }

  /** Notes that what is stored for a box of chunks and those above it has been read and is still in memory. */
  loadedAbove(chunks: Box): void {
    this.#reader.loadedAbove(chunks);
  }

  /** Returns those of some chunks that have ticks although they were never edited. */
  untouchedWithTicks(chunks: Iterable<Position>): readonly Position[] {
    const { overrides } = this.state;
    return [...chunks].filter(
      (position) => overrides.at(...position) === undefined && this.ticks.find(position) !== undefined,
    );
  }

  /** Makes what the generator produces an override, unless the chunk was edited meanwhile. */
  async generateOverride(position: Position): Promise<void> {
    const chunk = await this.state.generateChunk(position);
    const { overrides } = this.state;
    if (overrides.at(...position) === undefined)
      this.edit(this.state.withOverrides(overrides.set(position, chunk)), [position]);
  }

  /** Returns a chunk as the save has it, even one that is never shown; else what the generator produces. */
  storedChunk(position: Position): Promise<Chunk> {
    return this.#reader.storedChunk(position);
  }

  /** Keeps a box of chunks in memory once it is loaded. Returns a function that releases it. */
  keep(box: Box): () => void {
    return this.#loaded.keep(box);
  }

  /** Returns the clock of a region in memory; `undefined` for any other. */
  clockOf(region: Position): number | undefined {
    return this.#loaded.has(region) ? this.clocks.get(region) : undefined;
  }

  /**
   * Returns a box around everything in a box of chunks that is not air. Reads the index, and records only of
   * leaves at the edges of the result, a limited number of them; any other leaf that is not in memory counts
   * with its whole cube.
   */
  async contentBounds(box: Box): Promise<Box | undefined> {
    const stored = new Map<LeafEntry, Box | undefined>();
    for (let round = 0; ; round++) {
      while (!this.#reader.index.isLoaded(box)) await this.#reader.loadIndex(box);
      // Nothing awaits until the next leaves are read, so memory and index are consistent.
      let bounds = this.state.queryContentBounds(box);
      const unread: UnreadLeaf[] = [];
      for (const leaf of this.#reader.index.touching(box)) {
        const part = intersectBoxes(leaf.cube, box);
        if (part === undefined || leaf.chunkRefs.length === 0 || this.isLoaded(part)) continue;
        if (stored.has(leaf)) bounds = unionOf(bounds, stored.get(leaf));
        else unread.push({ leaf, part });
      }
      const outer = unread.reduce((sum, { part }) => unionOf(sum, part), bounds);
      const edge = round < BOUNDS_ROUNDS_MAX ? edgeLeaves(bounds, outer, unread) : [];
      if (edge.length === 0) return outer;
      for (const [leaf, content] of await this.#reader.storedBounds(edge, box)) stored.set(leaf, content);
    }
  }

  /**
   * Returns an independent reader that starts with what is in memory now. `save` must be a separately held
   * handle on the current generation.
   */
  readerFor(save: Save): RegionReader {
    // What the save has stays a change to the generators of now, whichever come later.
    const untouched = this.state.withOverrides(OverrideTree.UNTOUCHED);
    return this.#reader.copy(save, this.#loaded.copy(), () => untouched);
  }

  switchTo(save: Save): void {
    this.#reader.switchTo(save);
  }

  /** Approximate memory, in bytes, of the regions and their edited chunks. */
  get bytes(): number {
    return this.#loaded.bytes;
  }

  /** Returns the approximate memory of a region; 0 if it is not in memory. */
  bytesOf(region: Position): number {
    return this.#loaded.bytesOf(region);
  }

  /** Whether the regions take more memory than they should. */
  get isOverLimit(): boolean {
    return this.#loaded.bytes > this.bytesMax;
  }

  /** Evicts the least recently used regions that are saved. After many evictions unloads `index`, if given. */
  evict(isUnsaved: (region: Position) => boolean, index: LeafIndex | undefined): void {
    let { overrides } = this.state;
    for (const region of this.#loaded.removeCold(this.bytesMax * BYTES_LEFT, isUnsaved)) {
      overrides = overrides.carve(regionBox(region));
      this.#reader.evicted(region);
      this.#clocks.reset(region, CLOCK_NEVER);
      this.ticks.removeRegion(region);
      this.#evicted++;
    }
    this.#state = this.#state.withOverrides(overrides);
    if (this.#evicted < REGIONS_BEFORE_UNLOAD || index === undefined) return;
    this.#evicted = 0;
    index.unload(() => false);
  }
}

function unionOf(a: Box | undefined, b: Box | undefined): Box | undefined {
  return b === undefined ? a : unionBox(a, b);
}

/** Returns an unread leaf for each face of `outer` that only unread leaves reach. */
function edgeLeaves(
  bounds: Box | undefined,
  outer: Box | undefined,
  unread: readonly UnreadLeaf[],
): readonly LeafEntry[] {
  const found = new Set<LeafEntry>();
  if (outer === undefined) return [];
  for (const side of ["min", "max"] as const) {
    for (const axis of AXES) {
      if (bounds?.[side][axis] === outer[side][axis]) continue;
      const edge = unread.find(({ part }) => part[side][axis] === outer[side][axis]);
      if (edge !== undefined) found.add(edge.leaf);
    }
  }
  return [...found];
}
