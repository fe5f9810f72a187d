import {
  type Box,
  boxAt,
  boxContains,
  buildRegionSnapshot,
  buildSnapshot,
  type Chunk,
  type ChunkShape,
  CLOCK_NEVER,
  chunkOfVoxel,
  emptyChunk,
  GeneratedChunkCache,
  GeneratorRef,
  type GeneratorRegistry,
  isOrthantError,
  OrthantError,
  type Position,
  PositionMap,
  PositionSet,
  positionsEqual,
  type RegionClock,
  RegionClocks,
  type RegionPatch,
  RegionReplica,
  type RegionTree,
  regionBox,
  regionOf,
  voxelIndex,
} from "@orthant/core";
import { INTEREST_REGIONS_MAX } from "../message/limits.ts";
import type { Blank, Welcome } from "../message/server-message.ts";
import { type CachedRegion, decodeCachedRegion, encodeCachedRegion } from "./cached-region.ts";
import type { OpenEdit } from "./open-edits.ts";
import { Predictions } from "./predictions.ts";

/** The parts of a replica that are needed to find out what changed. */
interface Replica {
  readonly tree: RegionTree;
  holds(region: Position): boolean;
}

/** A region whose content changed, or that is no longer held. */
export interface RegionNews {
  readonly region: Position;
  readonly state: "held" | "forgotten";
}

/** What happened to a replica in one step. */
export interface ReplicaNews {
  readonly regions: readonly RegionNews[];
  /** Boxes of the chunks that look different. */
  readonly chunks: readonly Box[];
}

/** Records what happens to a replica, to report at the end of a step what looks different. */
export class ChangeNotes {
  /** Each affected region, and whether it was held at the start of the step. */
  readonly #wasHeld = new PositionMap<boolean>();
  /** Regions that came from the cache, which therefore has them already. */
  readonly #restored = new PositionSet();
  /** Chunks whose predictions changed. */
  readonly #predicted = new PositionSet();
  #treeBefore: RegionTree | undefined;

  /** Records a change to a region. `treeBefore` is the tree before that change. */
  touched(region: Position, wasHeld: boolean, treeBefore: RegionTree): void {
    this.#treeBefore ??= treeBefore;
    if (!this.#wasHeld.has(...region)) this.#wasHeld.set(...region, wasHeld);
  }

  /** Records that a region was restored from the cache. */
  restored(region: Position): void {
    this.#restored.add(...region);
  }

  /** Records that the predictions over some chunks changed. */
  predicted(chunks: Iterable<Position>): void {
    for (const chunk of chunks) this.#predicted.add(...chunk);
  }

  /** Returns what happened since the last call. */
  take(replica: Replica): ReplicaNews {
    const regions: RegionNews[] = [];
    const chunks: Box[] = [];
    for (const [region, wasHeld] of this.#wasHeld) {
      const isHeld = replica.holds(region);
      const isCached = this.#restored.has(...region);
      if (isHeld && !isCached) regions.push({ region, state: "held" });
      if (!isHeld && (wasHeld || isCached)) regions.push({ region, state: "forgotten" });
      if (isHeld !== wasHeld) chunks.push(regionBox(region));
      else if (isHeld) chunks.push(...this.#differences(region, replica.tree));
    }
    for (const chunk of this.#predicted) if (replica.holds(regionOf(chunk))) chunks.push(boxAt(chunk));
    this.#wasHeld.clear();
    this.#restored.clear();
    this.#predicted.clear();
    this.#treeBefore = undefined;
    return { regions, chunks };
  }

  #differences(region: Position, after: RegionTree): readonly Box[] {
    const box = regionBox(region);
    const before = this.#treeBefore ?? after;
    return Array.from(before.slice(box).differences(after.slice(box)), (difference) => difference.box);
  }
}

/** Default memory for the generated chunks that a client caches for reading. */
const GENERATED_CACHE_BYTES: number = 32 * 1024 * 1024;
/** Maximum number of held regions: those of an interest, and those of the previous one still to drop. */
export const HELD_REGIONS_MAX: number = 2 * INTEREST_REGIONS_MAX;

/** What a replica needs to start. */
export interface ReplicaSource {
  readonly welcome: Welcome;
  readonly generators: GeneratorRegistry;
  readonly generatedCacheBytes: number | undefined;
  readonly notes: ChangeNotes;
}

/** The regions of one world that a client holds, with its own edits over them. */
export class SharedReplica {
  readonly #predictions: Predictions;
  readonly #world: Welcome;
  /** Present only if server and client have the same generators; otherwise the server sends every voxel. */
  readonly #generated: GeneratedChunkCache | undefined;
  readonly #notes: ChangeNotes;
  readonly #regions: RegionReplica;
  #heldCount = 0;

  /** Starts empty. Throws an `OrthantError` if the generators match but lack the world's generator. */
  constructor({ welcome, generators, generatedCacheBytes = GENERATED_CACHE_BYTES, notes }: ReplicaSource) {
    const { shape, generator } = welcome;
    this.#world = welcome;
    this.#notes = notes;
    this.#predictions = new Predictions(shape);
    if (welcome.generatorsHash === generators.generatorsHash) {
      const limits = { softBytes: generatedCacheBytes, hardBytes: generatedCacheBytes };
      const generated = new GeneratedChunkCache(generators.open(generator, shape), limits);
      const realize = (_: GeneratorRef, chunk: Position): Chunk => generated.at(...chunk);
      this.#generated = generated;
      this.#regions = new RegionReplica(shape.volume, { generator, realize });
    } else {
      this.#regions = new RegionReplica(shape.volume);
    }
  }

  get shape(): ChunkShape {
    return this.#world.shape;
  }

  /** The contents of the regions, without predictions. */
  get tree(): RegionTree {
    return this.#regions.tree;
  }

  /** Returns true when another welcome is for the same world, encoded in the same way. */
  isOf({ worldId, generatorsHash, shape, generator }: Welcome): boolean {
    return (
      this.#world.worldId === worldId &&
      this.#world.generatorsHash === generatorsHash &&
      positionsEqual(this.#world.shape.extents, shape.extents) &&
      this.#world.generator.equals(generator)
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
    if (patch.changes.some(({ leaves }) => leaves.some(({ content }) => !this.#canHold(content))))
      return "rejected";
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
    if (content === "generated" && this.#generated === undefined) return "rejected";
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
  predict({ editId, placements }: OpenEdit): void {
    this.#notes.predicted(this.#predictions.lay(editId, placements));
  }

  /** Removes the prediction of an own edit. */
  takeBack(editId: number): void {
    this.#notes.predicted(this.#predictions.takeBack(editId));
  }

  /** Returns the voxels of a chunk with predictions, or `undefined` when its region is not held. */
  chunkAt(position: Position): Chunk | undefined {
    if (!this.holds(regionOf(position))) return undefined;
    const content = this.tree.at(...position) ?? emptyChunk(this.shape.volume);
    return this.#predictions.over(
      position,
      content instanceof GeneratorRef ? this.#realize(position) : content,
    );
  }

  /** Returns the block of a voxel with predictions, or `undefined` when its region is not held. */
  voxelAt(voxel: Position): number | undefined {
    const chunk = this.chunkAt(chunkOfVoxel(this.shape, voxel));
    return chunk?.get(voxelIndex(this.shape, ...voxel));
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

  /** Changes regions and records the change unless it is refused. */
  #change(regions: readonly Position[], make: () => "applied" | "rejected"): "applied" | "rejected" {
    const before = this.tree;
    const wasHeld = regions.map((region) => this.holds(region));
    const outcome = make();
    if (outcome === "rejected") return outcome;
    for (const [index, region] of regions.entries()) {
      this.#notes.touched(region, wasHeld[index] === true, before);
      this.#heldCount += Number(this.holds(region)) - Number(wasHeld[index]);
    }
    if (this.#heldCount <= HELD_REGIONS_MAX) return outcome;
    throw new OrthantError("ORT_LIMIT", `more than ${HELD_REGIONS_MAX} regions to hold`);
  }

  #snapshotOf(held: RegionClock): RegionPatch {
    if (this.#generated !== undefined) {
      const { generator } = this.#world;
      return buildRegionSnapshot({
        patchSeq: 0,
        tree: this.tree,
        generator,
        regions: [held],
        detail: "chunks",
      });
    }
    const clocks = new RegionClocks();
    clocks.reset(held.region, held.clock);
    return buildSnapshot(0, this.tree, clocks, [held.region]);
  }

  /** Returns true when this client can hold `content`, generating its voxels if necessary. */
  #canHold(content: unknown): boolean {
    if (!(content instanceof GeneratorRef)) return true;
    return this.#generated !== undefined && this.#world.generator.equals(content);
  }

  #realize(position: Position): Chunk {
    if (this.#generated !== undefined) return this.#generated.at(...position);
    throw new OrthantError("ORT_GENERATOR_UNKNOWN", `chunk [${position}] has to be generated, and cannot be`);
  }
}
