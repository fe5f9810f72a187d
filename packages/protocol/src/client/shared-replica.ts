import {
  type Box,
  type Chunk,
  type ChunkShape,
  emptyChunk,
  type GeneratorRegistry,
  isOrthantError,
  OrthantError,
  type Position,
} from "@orthant/core";
import type { IsSameType } from "@orthant/core/chunk";
import { type GeneratedSpace, GeneratorRef } from "@orthant/core/generate";
import {
  boxContains,
  boxVolume,
  chunkOfVoxel,
  intersectBoxes,
  type PositionSet,
  positionsEqual,
  positionsLexicographic,
  regionBox,
  regionOf,
  regionsTouching,
  voxelIndex,
} from "@orthant/core/lattice";
import {
  buildRegionSnapshot,
  buildSnapshot,
  CLOCK_NEVER,
  GeneratedChunkCache,
  OverrideTree,
  type Piece,
  type RegionChange,
  type RegionClock,
  RegionClocks,
  type RegionPatch,
  RegionReplica,
  type RegionTree,
} from "@orthant/core/tree";
import { INTEREST_REGIONS_MAX } from "../message/limits.ts";
import type { Blank, Welcome } from "../message/server-message.ts";
import { type CachedRegion, decodeCachedRegion, encodeCachedRegion } from "./cached-region.ts";
import type { OpenEdit } from "./joint-edits.ts";
import { Predictions } from "./predictions.ts";
import type { EditedChunks, LayersBefore, ReplicaChanges } from "./replica-changes.ts";

/** Default memory for the generated chunks that a client caches for reading. */
const GENERATED_CACHE_BYTES: number = 32 * 1024 * 1024;
/** Maximum number of held regions: those of an interest, and those of the previous one still to drop. */
export const HELD_REGIONS_MAX: number = 2 * INTEREST_REGIONS_MAX;

/** What a replica needs to start. */
interface ReplicaSource {
  readonly welcome: Welcome;
  readonly generators: GeneratorRegistry;
  readonly generatedCacheBytes: number | undefined;
  readonly changes: ReplicaChanges;
  /** Whether a voxel that changes from one block to another keeps its data. */
  readonly isSameType: IsSameType;
}

/** What a client reads of the regions that it holds, its own edits included. */
export interface HeldRegions {
  readonly shape: ChunkShape;
  /** Whether this client can generate every untouched chunk. */
  readonly generatesEverywhere: boolean;
  /** Returns the clock of a region, or `undefined` when it is not held. */
  clockOf(region: Position): number | undefined;
  /** Returns the block of a voxel, or `undefined` when its region is not held. */
  voxelAt(voxel: Position): number | undefined;
  /** Returns a copy of the data of a voxel; `undefined` if it has none or is not held. */
  dataAt(voxel: Position): Uint8Array | undefined;
  /** Returns the voxels of a chunk, or `undefined` when its region is not held. */
  chunkAt(chunk: Position): Chunk | undefined;
  /** Returns a chunk as it was generated, or `undefined` when this client cannot generate it. */
  generatedChunk(chunk: Position): Chunk | undefined;
  /** Returns the contents of a box of chunks. Regions that are not held look like air. */
  region(chunks: Box): RegionTree;
  /** Whether all regions are held that a box of chunks touches. */
  holdsAll(chunks: Box): boolean;
  /** Returns the chunks of a box that are not as generated, of the regions that are held. */
  madeIn(chunks: Box): Iterable<Piece<Chunk>>;
  /** From this height up generators make only air; `undefined` without a sky, or with generators that are not known. */
  readonly skyAbove: number | undefined;
  /** Returns one region for a cache, or `undefined` when it is not held. */
  keep(region: Position): CachedRegion | undefined;
}

/** The regions of one world that a client holds, with its own edits over them. */
export class SharedReplica implements HeldRegions {
  readonly #predictions: Predictions;
  readonly #world: Welcome;
  /** The world's generators that this client has. Of regions with others, the server sends every voxel. */
  readonly #known: ReadonlySet<GeneratorRef>;
  readonly #generated: GeneratedChunkCache;
  readonly skyAbove: number | undefined;
  readonly #space: GeneratedSpace;
  readonly #changes: ReplicaChanges;
  readonly #regions: RegionReplica;
  #heldCount = 0;

  /** Starts empty. Throws an `OrthantError` if a known generator refuses the world's parameters. */
  constructor(source: ReplicaSource) {
    const { welcome, generators, generatedCacheBytes = GENERATED_CACHE_BYTES, changes, isSameType } = source;
    const { shape, generators: map } = welcome;
    this.#world = welcome;
    this.#changes = changes;
    this.#predictions = new Predictions(shape, isSameType);
    this.#known = new Set(map.refs.filter((ref) => generators.knows(ref)));
    const limits = { softBytes: generatedCacheBytes, hardBytes: generatedCacheBytes };
    this.#space = generators.openIfKnown(map, shape);
    this.skyAbove = this.#space.skyAbove;
    const generated = new GeneratedChunkCache(this.#space, limits);
    const realize = (_: GeneratorRef, chunk: Position): Chunk => generated.at(...chunk);
    this.#generated = generated;
    this.#regions = new RegionReplica(shape.volume, { generators: map, realize });
  }

  get shape(): ChunkShape {
    return this.#world.shape;
  }

  get generatesEverywhere(): boolean {
    return this.#known.size === this.#world.generators.refs.length && !this.#space.isAsynchronous;
  }

  generatedChunk(position: Position): Chunk | undefined {
    if (this.#space.isAsynchronous || !this.#generates(regionOf(position))) return undefined;
    return this.#generated.at(...position);
  }

  /** The contents of the regions, without predictions. */
  get tree(): RegionTree {
    return this.#regions.tree;
  }

  /** Returns true when another welcome is for the same world, encoded in the same way. */
  isOf({ worldId, shape, generators }: Welcome): boolean {
    return (
      this.#world.worldId === worldId &&
      positionsEqual(this.#world.shape.extents, shape.extents) &&
      this.#world.generators.equals(generators)
    );
  }

  holds(region: Position): boolean {
    return this.#regions.holds(region);
  }

  clockOf(region: Position): number | undefined {
    return this.#regions.clockOf(region);
  }

  /** Returns all held regions with their clocks, in region order. */
  held(): readonly RegionClock[] {
    return this.#regions.held();
  }

  /** Applies a patch, or refuses all of it if it does not fit. Throws `ORT_LIMIT` for too many regions. */
  apply(patch: RegionPatch): "applied" | "rejected" {
    if (!patch.changes.every((change) => this.#canHold(change))) return "rejected";
    const finished = patch.changes.filter(({ next }) => next !== undefined).map(({ region }) => region);
    return this.#change(finished, () => {
      try {
        return this.#regions.apply(patch).length === 0 ? "applied" : "rejected";
      } catch (error) {
        // Nothing was changed, and the regions will be fetched again.
        if (isOrthantError(error)) return "rejected";
        throw error;
      }
    });
  }

  /** Holds regions that were never edited. Refuses generated ones if this client cannot generate them. */
  blank({ content, mask }: Blank): "applied" | "rejected" {
    if (content === "generated" && !mask.regions.every((region) => this.#generates(region)))
      return "rejected";
    return this.#change(mask.regions, () => {
      this.#regions.hold(mask.regions, CLOCK_NEVER, content);
      return "applied";
    });
  }

  forget(regions: readonly Position[]): void {
    this.#change(regions, () => {
      this.#regions.forget(regions);
      return "applied";
    });
  }

  /** Restores a region from a cache. Returns false if it is not valid. */
  restore(worldId: bigint, kept: CachedRegion): boolean {
    try {
      const patches = decodeCachedRegion(worldId, kept, this.shape.volume);
      if (patches.every((patch) => this.apply(patch) === "applied")) return true;
    } catch (error) {
      // A cache may be damaged in any way; the region then comes from the server.
      if (!isOrthantError(error)) throw error;
    }
    this.#regions.forget([kept.region]);
    return false;
  }

  /** Encodes a region for a cache, or returns `undefined` when it is not held. */
  keep(region: Position): CachedRegion | undefined {
    const clock = this.clockOf(region);
    if (clock === undefined) return undefined;
    const { worldId, shape } = this.#world;
    const [change] = this.#snapshotOf({ region, clock }).changes;
    return change && { region, clock, bytes: encodeCachedRegion(worldId, change, shape.volume) };
  }

  /** Applies an own edit over everything. Throws `ORT_POSITION_RANGE` for voxels off the lattice. */
  predict({ number, edit }: OpenEdit): void {
    this.#changes.predictionsChanged(this.#predictions.lay(number, edit));
  }

  /** Removes the predictions of own edits. */
  takeBack(numbers: ReadonlySet<number>): void {
    this.#changes.predictionsChanged(this.#predictions.takeBack(numbers));
  }

  /** Returns the voxels of a chunk with predictions, or `undefined` when its region is not held. */
  chunkAt(position: Position): Chunk | undefined {
    if (!this.holds(regionOf(position))) return undefined;
    return this.#predictions.over(position, this.#contentIn(this.tree, position));
  }

  /** Returns those of some chunks that look different than with an earlier tree and earlier predictions. */
  editsSince(candidates: PositionSet, tree: RegionTree, layers: LayersBefore): EditedChunks | undefined {
    const before = (chunk: Position): Chunk =>
      this.#predictions.overLayer(layers.get(...chunk), this.#contentIn(tree, chunk));
    const chunks: Position[] = [];
    for (const chunk of candidates) {
      // Layers never change, so `before` is valid even when later edits change the predictions.
      if (!layers.has(...chunk)) layers.set(...chunk, this.#predictions.layerAt(chunk));
      if (this.chunkAt(chunk)?.equals(before(chunk)) === false) chunks.push(chunk);
    }
    return chunks.length === 0 ? undefined : { chunks, before };
  }

  /** Returns the block of a voxel with predictions, or `undefined` when its region is not held. */
  voxelAt(voxel: Position): number | undefined {
    const chunk = this.chunkAt(chunkOfVoxel(this.shape, voxel));
    return chunk?.get(voxelIndex(this.shape, ...voxel));
  }

  /** Returns a copy of the data of a voxel with predictions; `undefined` if it has none or is not held. */
  dataAt(voxel: Position): Uint8Array | undefined {
    return this.chunkAt(chunkOfVoxel(this.shape, voxel))?.dataAt(voxelIndex(this.shape, ...voxel));
  }

  /** Returns the contents of a box of chunks with predictions. Regions that are not held look like air. */
  region(box: Box): RegionTree {
    let tree = this.tree.slice(box);
    for (const position of this.#predictions.chunks()) {
      const chunk = boxContains(box, position) ? this.chunkAt(position) : undefined;
      if (chunk !== undefined) tree = tree.set(position, chunk);
    }
    return tree;
  }

  holdsAll(chunks: Box): boolean {
    const regions = regionsTouching(chunks);
    if (boxVolume(regions) > this.#heldCount) return false;
    for (const region of positionsLexicographic(regions)) if (!this.holds(region)) return false;
    return true;
  }

  madeIn(chunks: Box): Iterable<Piece<Chunk>> {
    let made = OverrideTree.UNTOUCHED;
    const air = emptyChunk(this.shape.volume);
    // What a region has no content for is air, whatever its generator would make.
    for (const region of this.#heldIn(chunks)) {
      const part = intersectBoxes(regionBox(region), chunks);
      if (part !== undefined) made = made.fill(part, air);
    }
    for (const { box, content } of this.region(chunks).pieces())
      made = content instanceof GeneratorRef ? made.carve(box) : made.fill(box, content);
    return made.pieces() as Iterable<Piece<Chunk>>;
  }

  #heldIn(chunks: Box): Iterable<Position> {
    const regions = regionsTouching(chunks);
    if (boxVolume(regions) <= this.#heldCount)
      return [...positionsLexicographic(regions)].filter((region) => this.holds(region));
    return this.held()
      .map(({ region }) => region)
      .filter((region) => boxContains(regions, region));
  }

  /** Changes regions and records the change unless it is refused. */
  #change(regions: readonly Position[], make: () => "applied" | "rejected"): "applied" | "rejected" {
    const before = this.tree;
    const wasHeld = regions.map((region) => this.holds(region));
    const outcome = make();
    if (outcome === "rejected") return outcome;
    for (const [index, region] of regions.entries()) {
      this.#changes.regionChanged(region, wasHeld[index] === true, before);
      this.#heldCount += Number(this.holds(region)) - Number(wasHeld[index]);
    }
    if (this.#heldCount <= HELD_REGIONS_MAX) return outcome;
    throw new OrthantError("ORT_LIMIT", `more than ${HELD_REGIONS_MAX} regions to hold`);
  }

  #snapshotOf(held: RegionClock): RegionPatch {
    if (this.#generates(held.region)) {
      return buildRegionSnapshot({
        patchSeq: 0,
        tree: this.tree,
        generator: this.#world.generators.ofRegion(held.region),
        regions: [held],
        detail: "chunks",
      });
    }
    const clocks = new RegionClocks();
    clocks.reset(held.region, held.clock);
    return buildSnapshot(0, this.tree, clocks, [held.region]);
  }

  /** Returns true when this client can generate what a change leaves to the generator of its region. */
  #canHold({ region, base, leaves }: RegionChange): boolean {
    const generator = this.#world.generators.ofRegion(region);
    const isKnown = this.#known.has(generator);
    if (base === "generated" && !isKnown) return false;
    return leaves.every(
      ({ content }) => !(content instanceof GeneratorRef) || (isKnown && generator.equals(content)),
    );
  }

  /** Returns true when this client has the generator of a region. */
  #generates(region: Position): boolean {
    return this.#known.has(this.#world.generators.ofRegion(region));
  }

  /** Returns the voxels of a chunk in a tree of this replica, without predictions. */
  #contentIn(tree: RegionTree, position: Position): Chunk {
    const content = tree.at(...position) ?? emptyChunk(this.shape.volume);
    return content instanceof GeneratorRef ? this.#generated.at(...position) : content;
  }
}
