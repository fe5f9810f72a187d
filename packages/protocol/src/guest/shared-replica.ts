import {
  type Box,
  boxContains,
  buildRegionSnapshot,
  buildSnapshot,
  type Chunk,
  type ChunkShape,
  CLOCK_NEVER,
  cellOfVoxel,
  chunkOfVoxel,
  emptyChunk,
  GeneratedChunkCache,
  GeneratorRef,
  type GeneratorRegistry,
  isOrthantError,
  OrthantError,
  type Place,
  placesEqual,
  type RegionClock,
  RegionClocks,
  type RegionPatch,
  RegionReplica,
  type RegionTree,
  regionOf,
} from "@orthant/core";
import { INTEREST_REGIONS_MAX } from "../message/limits.ts";
import type { Blank, Welcome } from "../message/server-message.ts";
import type { ChangeNotes } from "./change-notes.ts";
import { decodeKeptRegion, encodeKeptRegion } from "./kept-region-codec.ts";
import type { KeptRegion } from "./kept-replica.ts";
import type { OpenEdit } from "./open-edits.ts";
import { Predictions } from "./predictions.ts";

/** Default memory for the generated chunks that a guest keeps for reading. */
export const GENERATED_CACHE_BYTES: number = 32 * 1024 * 1024;
/** The most regions that a guest holds: those of an interest, and those of the one before that are still to go. */
export const HELD_REGIONS_MAX: number = 2 * INTEREST_REGIONS_MAX;

/** What a replica is made for. */
export interface ReplicaSource {
  readonly welcome: Welcome;
  readonly generators: GeneratorRegistry;
  readonly generatedCacheBytes: number | undefined;
  readonly notes: ChangeNotes;
}

/** The regions of one world that a guest holds, with its own edits laid over them. */
export class SharedReplica {
  readonly #predictions: Predictions;
  readonly #world: Welcome;
  /** Only where server and guest have the same generators; else everything comes voxel by voxel. */
  readonly #generated: GeneratedChunkCache | undefined;
  readonly #notes: ChangeNotes;
  readonly #regions: RegionReplica;
  #heldCount = 0;

  /** Holds nothing. Throws an `OrthantError` where the generators are equal and the world's is not among them. */
  constructor({ welcome, generators, generatedCacheBytes = GENERATED_CACHE_BYTES, notes }: ReplicaSource) {
    const { shape, generator } = welcome;
    this.#world = welcome;
    this.#notes = notes;
    this.#predictions = new Predictions(shape);
    if (welcome.manifestHash === generators.manifestHash) {
      const limits = { softBytes: generatedCacheBytes, hardBytes: generatedCacheBytes };
      const generated = new GeneratedChunkCache(generators.open(generator, shape), limits);
      const realize = (_: GeneratorRef, chunk: Place): Chunk => generated.at(...chunk);
      this.#generated = generated;
      this.#regions = new RegionReplica(shape.volume, { generator, realize });
    } else {
      this.#regions = new RegionReplica(shape.volume);
    }
  }

  get shape(): ChunkShape {
    return this.#world.shape;
  }

  /** What the regions contain, without predictions. */
  get tree(): RegionTree {
    return this.#regions.tree;
  }

  /** Whether the world of another welcome is the same, told in the same way. */
  isOf({ worldId, manifestHash, shape, generator }: Welcome): boolean {
    return (
      this.#world.worldId === worldId &&
      this.#world.manifestHash === manifestHash &&
      placesEqual(this.#world.shape.extents, shape.extents) &&
      this.#world.generator.equals(generator)
    );
  }

  holds(region: Place): boolean {
    return this.#regions.holds(region);
  }

  clockOf(region: Place): number | undefined {
    return this.#regions.clockOf(region);
  }

  /** Every region that is held, with its clock, in the order of the regions. */
  held(): readonly RegionClock[] {
    return this.#regions.held();
  }

  /** Takes a patch, all of it or, where it does not fit, nothing; tells which. `ORT_LIMIT` for too many regions. */
  apply(patch: RegionPatch): "applied" | "refused" {
    if (patch.changes.some(({ leaves }) => leaves.some(({ content }) => !this.#canHold(content))))
      return "refused";
    const finished = patch.changes.filter(({ next }) => next !== undefined).map(({ region }) => region);
    return this.#change(finished, () => {
      try {
        return this.#regions.apply(patch).length === 0 ? "applied" : "refused";
      } catch (error) {
        // Nothing was changed; the regions come anew.
        if (isOrthantError(error)) return "refused";
        throw error;
      }
    });
  }

  /** Takes regions that nobody ever changed; refuses them as generated where they cannot be generated. */
  blank({ content, mask }: Blank): "applied" | "refused" {
    if (content === "generated" && this.#generated === undefined) return "refused";
    return this.#change(mask.regions, () => {
      this.#regions.hold(mask.regions, CLOCK_NEVER, content);
      return "applied";
    });
  }

  /** Lets go of regions. */
  forget(regions: readonly Place[]): void {
    this.#change(regions, () => {
      this.#regions.forget(regions);
      return "applied";
    });
  }

  /** Takes a region from a cache, and tells whether it could be believed. */
  restore(worldId: bigint, kept: KeptRegion): boolean {
    try {
      const patches = decodeKeptRegion(worldId, kept, this.shape.volume);
      if (patches.every((patch) => this.apply(patch) === "applied")) return true;
    } catch (error) {
      // A cache may be damaged in any way: then the region comes from the server.
      if (!isOrthantError(error)) throw error;
    }
    this.#regions.forget([kept.region]);
    return false;
  }

  /** A region as a cache can keep it; `undefined` when it is not held. */
  keep(region: Place): KeptRegion | undefined {
    const clock = this.clockOf(region);
    if (clock === undefined) return undefined;
    const { worldId, shape } = this.#world;
    const [change] = this.#snapshotOf({ region, clock }).changes;
    return change && { region, clock, bytes: encodeKeptRegion(worldId, change, shape.volume) };
  }

  /** Lays an edit of the guest's own over everything. `ORT_PLACE_RANGE` for voxels off the lattice. */
  predict({ editId, placements }: OpenEdit): void {
    this.#notes.predicted(this.#predictions.lay(editId, placements));
  }

  /** Takes an edit of the guest's own away again. */
  takeBack(editId: number): void {
    this.#notes.predicted(this.#predictions.takeBack(editId));
  }

  /** The voxels of a chunk, with predictions; `undefined` when its region is not held. */
  chunkAt(place: Place): Chunk | undefined {
    if (!this.holds(regionOf(place))) return undefined;
    const content = this.tree.at(...place) ?? emptyChunk(this.shape.volume);
    return this.#predictions.over(place, content instanceof GeneratorRef ? this.#realize(place) : content);
  }

  /** The material of a voxel, with predictions; `undefined` when its region is not held. */
  voxelAt(voxel: Place): number | undefined {
    const chunk = this.chunkAt(chunkOfVoxel(this.shape, voxel));
    return chunk?.get(cellOfVoxel(this.shape, ...voxel));
  }

  /** What is in a box of chunks, with predictions. Regions that are not held look like air. */
  region(box: Box): RegionTree {
    let tree = this.tree.slice(box);
    for (const place of this.#predictions.chunks()) {
      const chunk = boxContains(box, place) ? this.chunkAt(place) : undefined;
      if (chunk !== undefined) tree = tree.set(place, chunk);
    }
    return tree;
  }

  /** Makes a change to regions, noting it when it is made. */
  #change(regions: readonly Place[], make: () => "applied" | "refused"): "applied" | "refused" {
    const before = this.tree;
    const wasHeld = regions.map((region) => this.holds(region));
    const outcome = make();
    if (outcome === "refused") return outcome;
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

  /** Whether this program can make the voxels of a content, if it has to. */
  #canHold(content: unknown): boolean {
    if (!(content instanceof GeneratorRef)) return true;
    return this.#generated !== undefined && this.#world.generator.equals(content);
  }

  #realize(place: Place): Chunk {
    if (this.#generated !== undefined) return this.#generated.at(...place);
    throw new OrthantError("ORT_GENERATOR_UNKNOWN", `chunk [${place}] has to be generated, and cannot be`);
  }
}
