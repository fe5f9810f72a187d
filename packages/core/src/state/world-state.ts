import type { Chunk } from "../chunk/chunk.ts";
import { ChunkEditor } from "../chunk/chunk-editor.ts";
import { type BlockEdit, editBlocks, type IsSameType } from "../chunk/edit-blocks.ts";
import { OrthantError } from "../error/orthant-error.ts";
import type { GeneratedSpace } from "../generate/generated-space.ts";
import type { GenerationJob, GenerationPool, PooledSpace } from "../generate/generation-pool.ts";
import type { GeneratorRegistry } from "../generate/generator-registry.ts";
import { type Box, boxAt, unionBox } from "../lattice/box.ts";
import { type ChunkShape, chunkOfVoxel, voxelIndex } from "../lattice/chunk-shape.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { PositionMap, PositionSet } from "../lattice/position-map.ts";

import { regionOf } from "../lattice/region.ts";

import type { GeneratorRef } from "../tree/content.ts";
import { GeneratorMap } from "../tree/generator-map.ts";
import { OverrideTree } from "../tree/override-tree.ts";
import type { RegionTree } from "../tree/region-tree.ts";
import { AsyncGeneration } from "./async-generation.ts";
import { type CacheLimits, GeneratedChunkCache } from "./generated-chunk-cache.ts";

/** `symbolic` leaves untouched space to the generator; `concrete` includes its chunks. */
export type QueryDetail = "symbolic" | "concrete";

/** Edits of this many chunks change the tree once for each region, not for each chunk. */
const CHUNKS_AT_ONCE = 16;

/** The parts of a world. */
export interface WorldStateOptions {
  readonly generators: GeneratorRegistry;
  /** The generator of untouched space, or several and where each applies. */
  readonly generator: GeneratorRef | GeneratorMap;
  readonly shape: ChunkShape;
  /** Edits made so far. Default: none. */
  readonly overrides?: OverrideTree;
  /** Memory for generated chunks, `SIMULATION_CACHE_LIMITS` by default. */
  readonly cacheLimits?: CacheLimits;
  /** Accepts a missing generator: then only what needs generated chunks throws. Default: false. */
  readonly allowUnknownGenerator?: boolean;
  /** Generates chunks off the main thread. Default: this thread does it. */
  readonly pool?: GenerationPool | undefined;
}

/** Identifies an edit and its author, to tell a resent edit from a new one. */
export interface EditOrigin {
  /** Unique to the client; 64 random bits will do. */
  readonly clientId: bigint;
  /** Sequence number among the client's edits, starting at 1. */
  readonly editId: number;
  /** The client's player; omitted for a client without one. */
  readonly playerId?: bigint;
  /**
   * True if the edit may have been sent before. A world refuses such an edit with `ORT_EDIT_REPEAT` when it does not
   * remember the client and may have forgotten it.
   */
  readonly isRepeat?: boolean;
}

/** A voxel of the world, its new block and its new data. */
export interface VoxelPlacement {
  readonly voxel: Position;
  /** Omitted: the voxel keeps its block, and only its data changes. */
  readonly block?: number | undefined;
  /**
   * Bytes, or `null` to remove what the voxel has. Without either, its data stays when the new block is of the same type,
   * and goes otherwise.
   */
  readonly data?: Uint8Array | null | undefined;
}

/** Voxels of a chunk and their new blocks, in the order in which they are set. */
export interface ChunkBlocks {
  readonly chunk: Position;
  /** The indices of the voxels in the chunk. */
  readonly indices: readonly number[];
  /** The block of each. */
  readonly blocks: readonly number[];
}

/** The result of an edit. */
export interface StateEdit {
  /** The world after the edit; the same state when nothing changed. */
  readonly state: WorldState;
  /** The changed chunks, in lexicographic order. */
  readonly chunks: readonly Position[];
  /** The regions of these chunks, in lexicographic order. */
  readonly regions: readonly Position[];
}

/** A chunk that is edited in place, and what the generator makes there, if that is known. */
export interface EditedChunk {
  readonly editor: ChunkEditor;
  readonly generated: Chunk | undefined;
}

/** What an edit puts in the place of a chunk, `undefined` for what the generator makes there. */
interface ChunkReplacement {
  readonly position: Position;
  readonly chunk: Chunk | undefined;
  /** What the generator makes there; not needed without a chunk. */
  readonly generated: Chunk | undefined;
}

/** A chunk with its position. */
interface PlacedChunk {
  readonly position: Position;
  readonly chunk: Chunk;
}

/** The generated part of a world, shared by all its states. */
interface UntouchedWorld {
  readonly options: Omit<WorldStateOptions, "overrides">;
  readonly space: GeneratedSpace;
  readonly map: GeneratorMap;
  readonly generated: GeneratedChunkCache;
  /** Generators that are missing. Usually none. */
  readonly unknown: ReadonlySet<GeneratorRef>;
  readonly asynchronous: AsyncGeneration;
  /** Whether concrete contents should be generated off the main thread. */
  readonly isAsynchronous: boolean;
}

/** One state of a world: edits on top of generated content. Immutable: an edit returns another state. */
export class WorldState {
  readonly shape: ChunkShape;
  readonly overrides: OverrideTree;
  readonly #world: UntouchedWorld;

  private constructor(world: UntouchedWorld, overrides: OverrideTree) {
    this.#world = world;
    this.shape = world.space.shape;
    this.overrides = overrides;
  }

  /** Returns the first snapshot of a world. */
  static open({ overrides = OverrideTree.UNTOUCHED, ...options }: WorldStateOptions): WorldState {
    const { generators, generator, shape, cacheLimits, pool } = options;
    const isAllowed = options.allowUnknownGenerator === true;
    const map = GeneratorMap.of(generator);
    // A world opens without generators that it only keeps in some places.
    if (!isAllowed && !map.isSingle) generators.open(map.current, shape);
    const isLenient = isAllowed || !map.isSingle;
    const space = isLenient ? generators.openIfKnown(map, shape) : generators.open(map, shape);
    const generated = new GeneratedChunkCache(space, cacheLimits);
    const unknown = new Set(map.refs.filter((ref) => !generators.knows(ref)));
    const pooled = pool && new Map(map.refs.map((ref) => [ref, pooledSpace(pool, ref, options)]));
    const asynchronous = new AsyncGeneration(space, generated, { map, pooled });
    const isAsynchronous = pool !== undefined || space.isAsynchronous;
    return new WorldState(
      { options, space, map, generated, unknown, asynchronous, isAsynchronous },
      overrides,
    );
  }

  /** Returns the same edits over other generators. */
  withGenerators(generators: GeneratorRegistry, generator: GeneratorMap): WorldState {
    return WorldState.open({ ...this.#world.options, generators, generator, overrides: this.overrides });
  }

  /** The generators of the untouched space. */
  get generatorMap(): GeneratorMap {
    return this.#world.map;
  }

  /** All available generators. */
  get generators(): GeneratorRegistry {
    return this.#world.options.generators;
  }

  /** Returns the contents of a box. Concrete results are limited: see `GeneratedSpace.describe`. */
  queryRegion(box: Box, detail: QueryDetail): RegionTree {
    const { space, map } = this.#world;
    const untouched = detail === "symbolic" ? map.treeOf(box) : space.describe(box);
    return untouched.under(this.overrides.slice(box));
  }

  /** Whether untouched space should be generated with `generateBox` and `generateChunk`, off the main thread. */
  get generatesAsync(): boolean {
    return this.#world.isAsynchronous;
  }

  /** Generates all chunks of a box, ignoring edits, without blocking the loop. */
  generateBox(box: Box): GenerationJob<RegionTree> {
    return this.#world.asynchronous.describe(box);
  }

  /** Generates a region, ignoring edits, and encodes it as patches. See `PooledSpace.encodeRegion`. */
  generateRegion(region: Position, pieceBytesMax: number): GenerationJob<readonly Uint8Array[]> {
    return this.#world.asynchronous.encodeRegion(region, pieceBytesMax);
  }

  /** Returns the generated chunk, ignoring edits, as soon as it is there. */
  generateChunk(position: Position): Promise<Chunk> {
    return this.#world.asynchronous.chunk(position);
  }

  /** Whether synchronous calls cannot generate: they find only what `keepGenerated` keeps or a cache has. */
  get isAsynchronous(): boolean {
    return this.#world.space.isAsynchronous;
  }

  /** Height in voxels from which on generators make only air, if they say so. */
  get skyAbove(): number | undefined {
    return this.#world.space.skyAbove;
  }

  /** Whether every chunk can be generated by a synchronous call at any time. */
  get generatesAnywhere(): boolean {
    const { space, unknown } = this.#world;
    return !space.isAsynchronous && unknown.size === 0;
  }

  /** Generates the chunks of boxes and keeps them for synchronous calls. Returns a function that releases them. */
  keepGenerated(boxes: readonly Box[]): Promise<() => void> {
    return this.#world.asynchronous.keep(boxes);
  }

  /**
   * Returns a box around everything in a box that is not air, possibly too large; `undefined` when all of it
   * is air. A state knows only loaded content: for a world on disk use `WorldEngine.contentBounds`.
   */
  queryContentBounds(box: Box): Box | undefined {
    const generated = this.#world.space.contentBounds(box);
    const made = this.overrides.slice(box).bounds();
    if (generated === undefined || made === undefined) return generated ?? made;
    return unionBox(generated, made);
  }

  /** Returns the voxels of one chunk. */
  realizeChunk(x: number, y: number, z: number, w: number): Chunk {
    return this.overrides.at(x, y, z, w) ?? this.generatedChunk(x, y, z, w);
  }

  /** Returns the voxels of one chunk if it needs no asynchronous generator. */
  findChunk(x: number, y: number, z: number, w: number): Chunk | undefined {
    return this.overrides.at(x, y, z, w) ?? this.#world.asynchronous.find(x, y, z, w);
  }

  /** Returns the generated chunk, ignoring edits. Throws `ORT_NOT_LOADED` if only a promise can have it. */
  generatedChunk(x: number, y: number, z: number, w: number): Chunk {
    const { asynchronous, generated } = this.#world;
    return asynchronous.find(x, y, z, w) ?? generated.at(x, y, z, w);
  }

  /** Returns the block of one voxel. */
  voxelAt(x: number, y: number, z: number, w: number): number {
    const [chunkX, chunkY, chunkZ, chunkW] = chunkOfVoxel(this.shape, [x, y, z, w]);
    const chunk = this.realizeChunk(chunkX, chunkY, chunkZ, chunkW);
    return chunk.get(voxelIndex(this.shape, x, y, z, w));
  }

  /** Returns the world with other overrides. */
  withOverrides(overrides: OverrideTree): WorldState {
    return overrides === this.overrides ? this : new WorldState(this.#world, overrides);
  }

  /** Returns the data of one voxel, shared; `undefined` if it has none. */
  dataAt(x: number, y: number, z: number, w: number): Uint8Array | undefined {
    // Generated chunks have no data.
    const chunk = this.overrides.at(...chunkOfVoxel(this.shape, [x, y, z, w]));
    return chunk?.data.at(voxelIndex(this.shape, x, y, z, w));
  }

  /**
   * Returns the world with these voxels, set one after the other. `isSameType` tells whether a voxel keeps its data; by
   * default it does while its block stays.
   */
  setVoxels(placements: readonly VoxelPlacement[], isSameType: IsSameType = Object.is): StateEdit {
    const { shape } = this;
    const [only] = placements;
    // Most edits are of one voxel and need no map.
    if (only !== undefined && placements.length === 1) {
      const position = chunkOfVoxel(shape, only.voxel);
      return this.#apply([this.#edited(position, [blockEditOf(only, shape)], isSameType)]);
    }
    return this.#apply(
      editsByChunk(placements, shape).map(([position, edits]) => this.#edited(position, edits, isSameType)),
    );
  }

  /** Does the same with voxels that are gathered by chunk, each chunk once. */
  setBlocks(gathered: readonly ChunkBlocks[], isSameType: IsSameType = Object.is): StateEdit {
    return this.#apply(
      gathered.map(({ chunk, indices, blocks }) => {
        const edits = indices.map((index, at): BlockEdit => ({ index, block: blocks[at], data: undefined }));
        return this.#edited(chunk, edits, isSameType);
      }),
    );
  }

  /** Returns the world with these chunks, `undefined` for untouched; the last one for a position wins. */
  setChunks(chunks: Iterable<readonly [position: Position, chunk: Chunk | undefined]>): StateEdit {
    const { volume } = this.shape;
    const edited = new PositionMap<Chunk | undefined>();
    for (const [position, chunk] of chunks) {
      if (chunk !== undefined && chunk.volume !== volume)
        throw new OrthantError("ORT_ARGUMENT", otherVolume(chunk, volume));
      edited.set(...position, chunk);
    }
    return this.#apply(Array.from(edited, ([position, chunk]) => this.#replacement(position, chunk)));
  }

  /** Returns a chunk to edit in place. The world gets the edits with {@link withEdited}; until then it is as it was. */
  editorOf(position: Position): EditedChunk {
    const chunk = this.realizeChunk(...position);
    const { generated } = this.#replacement(position, chunk);
    return { editor: new ChunkEditor(chunk), generated };
  }

  /** Returns the world with chunks that were edited in place. */
  withEdited(edited: Iterable<readonly [position: Position, edited: EditedChunk]>): StateEdit {
    const replacements = Array.from(edited, ([position, { editor, generated }]) => ({
      position,
      chunk: editor.chunk(),
      generated,
    }));
    return this.#apply(replacements);
  }

  #edited(position: Position, edits: readonly BlockEdit[], isSameType: IsSameType): ChunkReplacement {
    return this.#replacement(position, editBlocks(this.realizeChunk(...position), edits, isSameType));
  }

  #replacement(position: Position, chunk: Chunk | undefined): ChunkReplacement {
    // Without the generator, an edited chunk stays edited even if it equals the generated one.
    const isKnown = chunk !== undefined && this.#isGeneratorKnown(position);
    return { position, chunk, generated: isKnown ? this.generatedChunk(...position) : undefined };
  }

  #apply(edited: readonly ChunkReplacement[]): StateEdit {
    let { overrides } = this;
    let changed: Position[] | undefined;
    const many = edited.length < CHUNKS_AT_ONCE ? undefined : new PositionMap<PlacedChunk[]>();
    for (const { position, chunk, generated } of edited) {
      const before = this.overrides.at(...position);
      const isUntouched = chunk === undefined || (generated !== undefined && chunk.equals(generated));
      const known = before ?? generated;
      if (chunk === undefined ? before !== undefined : known === undefined || !chunk.equals(known)) {
        // Pushing the first would reserve room for many, and most edits change one chunk.
        if (changed === undefined) changed = [position];
        else changed.push(position);
      }
      if (isUntouched) {
        if (before !== undefined) overrides = overrides.carve(boxAt(position));
      } else if (many === undefined) overrides = overrides.set(position, chunk);
      else ofRegion(many, position).push({ position, chunk });
    }
    for (const [region, chunks] of many ?? [])
      overrides = overrides.merge(OverrideTree.ofRegion(region, chunks));
    return editOf(this.withOverrides(overrides), changed ?? []);
  }

  #isGeneratorKnown(chunk: Position): boolean {
    const { map, unknown } = this.#world;
    return unknown.size === 0 || !unknown.has(map.ofChunk(...chunk));
  }
}

function pooledSpace(
  pool: GenerationPool,
  ref: GeneratorRef,
  { generators, shape }: Omit<WorldStateOptions, "overrides">,
): PooledSpace | undefined {
  return pool.open({ ref, shape, module: generators.moduleOf(ref) });
}

/** Returns the list of the region of a chunk. */
function ofRegion(byRegion: PositionMap<PlacedChunk[]>, chunk: Position): PlacedChunk[] {
  const region = regionOf(chunk);
  const known = byRegion.get(...region);
  if (known !== undefined) return known;
  const chunks: PlacedChunk[] = [];
  byRegion.set(...region, chunks);
  return chunks;
}

/** Returns placements by chunk, in the order of their first ones. */
function editsByChunk(
  placements: readonly VoxelPlacement[],
  shape: ChunkShape,
): readonly (readonly [chunk: Position, edits: readonly BlockEdit[]])[] {
  const byChunk = new PositionMap<BlockEdit[]>();
  for (const placement of placements) {
    const [x, y, z, w] = chunkOfVoxel(shape, placement.voxel);
    const edit = blockEditOf(placement, shape);
    const edits = byChunk.get(x, y, z, w);
    if (edits === undefined) byChunk.set(x, y, z, w, [edit]);
    else edits.push(edit);
  }
  return [...byChunk];
}

function blockEditOf({ voxel, block, data }: VoxelPlacement, shape: ChunkShape): BlockEdit {
  return { index: voxelIndex(shape, ...voxel), block, data };
}

function editOf(state: WorldState, changed: readonly Position[]): StateEdit {
  // Most edits change one chunk and need no set of regions.
  if (changed.length <= 1) return { state, chunks: changed, regions: changed.map(regionOf) };
  const regions = new PositionSet();
  for (const position of changed) regions.add(...regionOf(position));
  const chunks = [...changed].sort(comparePositions);
  return { state, chunks, regions: [...regions].sort(comparePositions) };
}

function otherVolume(chunk: Chunk, volume: number): string {
  return `a chunk of ${chunk.volume} voxels, where the chunks of this world have ${volume}`;
}
