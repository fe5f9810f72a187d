import { Chunk, emptyChunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { comparePlaces, type Place, placesEqual } from "../lattice/place.ts";
import { PlaceMap } from "../lattice/place-map.ts";
import { regionBox } from "../lattice/region.ts";
import type { GeneratorRef } from "../tree/generator-ref.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray } from "./chunk-array.ts";
import type { ChunkEdits } from "./chunk-edits.ts";
import { boxesOfRegions } from "./region-boxes.ts";
import type { RealizeChunk } from "./region-change-build.ts";
import { CLOCK_NEVER, requireClock } from "./region-clock.ts";
import { type RegionClock, requireRegion } from "./region-clock-list.ts";
import {
  type ChangeBase,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
  requirePatchForm,
} from "./region-patch.ts";
import { treeOfArray } from "./tree-of-nodes.ts";

/** What a replica may know of the world besides what patches tell. */
export interface RegionReplicaOptions {
  /** What makes the space that nobody touched; without it nothing can come over generated content. */
  readonly generator?: GeneratorRef;
  /** Computes a chunk; without it no edits can come for chunks that have to be generated. */
  readonly realize?: RealizeChunk;
}

/** A region of which some pieces have come, and not yet the last. Nobody sees it before that. */
interface Unfinished {
  readonly region: Place;
  readonly base: ChangeBase;
  readonly pieceCount: number;
  readonly tree: RegionTree;
}

/** A copy of some regions of a world that patches keep up to date: trees with their clocks, always of one moment. */
export class RegionReplica {
  readonly #volume: number;
  readonly #generator: GeneratorRef | undefined;
  readonly #realize: RealizeChunk | undefined;
  readonly #clocks = new PlaceMap<number>();
  #tree: RegionTree = RegionTree.EMPTY;
  #unfinished: Unfinished | undefined;

  /** A replica that holds nothing yet, of a world whose chunks have this volume. */
  constructor(volume: number, { generator, realize }: RegionReplicaOptions = {}) {
    this.#volume = volume;
    this.#generator = generator;
    this.#realize = realize;
  }

  /** What the regions that are held contain; nothing lies outside of them. */
  get tree(): RegionTree {
    return this.#tree;
  }

  /** The clock of a region; `undefined` when it is not held. */
  clockOf([x, y, z, w]: Place): number | undefined {
    return this.#clocks.get(x, y, z, w);
  }

  /** Whether a region is held: then what the tree has there, and has not, is what the world has at that clock. */
  holds([x, y, z, w]: Place): boolean {
    return this.#clocks.has(x, y, z, w);
  }

  /** Every region that is held, with its clock, in the order of the regions. */
  held(): readonly RegionClock[] {
    return Array.from(this.#clocks, ([region, clock]) => ({ region, clock })).sort((a, b) =>
      comparePlaces(a.region, b.region),
    );
  }

  /** Holds regions at this clock that are all air, or all as the generator makes them, whatever was held. */
  hold(regions: readonly Place[], clock: number, content: "air" | "generated"): void {
    requireClock(clock);
    for (const region of regions) requireRegion(region);
    const generator = content === "generated" ? this.#worldGenerator() : undefined;
    let tree = this.#tree;
    for (const box of boxesOfRegions(regions)) {
      tree = generator === undefined ? tree.carve(box) : tree.fill(box, generator);
    }
    this.#tree = tree;
    for (const region of regions) {
      this.#clocks.set(...region, clock);
      this.#dropPieces(region);
    }
  }

  /** Lets go of regions and of what is in them. */
  forget(regions: readonly Place[]): void {
    const held: Place[] = [];
    for (const region of regions) {
      this.#dropPieces(region);
      if (this.#clocks.delete(...region)) held.push(region);
    }
    let tree = this.#tree;
    for (const box of boxesOfRegions(held)) tree = tree.carve(box);
    this.#tree = tree;
  }

  /** Lets go of everything. */
  clear(): void {
    this.#clocks.clear();
    this.#tree = RegionTree.EMPTY;
    this.#unfinished = undefined;
  }

  /**
   * Applies a patch, all of it or nothing. Gives the regions whose clocks, or pieces, are not those that the patch
   * builds on, with the clocks held (`CLOCK_NEVER` for a region that is not held): what a resync request needs.
   * Nothing was changed unless there are none. Throws for a patch that breaks the rules, and what `realize` throws;
   * then, too, nothing was changed.
   */
  apply(patch: RegionPatch): readonly RegionClock[] {
    requirePatchForm(patch, this.#volume);
    const mismatches = patch.changes
      .filter((change) => !this.#fits(change))
      .map(({ region }) => ({ region, clock: this.clockOf(region) ?? CLOCK_NEVER }));
    if (mismatches.length > 0) return mismatches;

    let tree = this.#tree;
    let unfinished = this.#unfinished;
    for (const change of patch.changes) {
      const { region, base, next, piece } = change;
      const begun =
        unfinished !== undefined && placesEqual(unfinished.region, region) ? unfinished : undefined;
      if (typeof base === "number" && piece === 0 && next !== undefined) {
        // By far the most patches say a few voxels: no need to take the region out for them and put it back.
        tree = this.#changed(tree, change);
      } else {
        const start = piece > 0 && begun !== undefined ? begun.tree : this.#startOf(change, tree);
        const changed = this.#changed(start, change);
        if (next !== undefined) tree = tree.graft(regionBox(region), changed);
        else unfinished = { region, base, pieceCount: piece + 1, tree: changed };
      }
      if (next !== undefined && begun !== undefined) unfinished = undefined;
    }

    this.#tree = tree;
    this.#unfinished = unfinished;
    for (const { region, next } of patch.changes) if (next !== undefined) this.#clocks.set(...region, next);
    return [];
  }

  /** Whether a change builds on what is here. */
  #fits({ region, base, piece }: RegionChange): boolean {
    if (typeof base === "number" && base !== this.clockOf(region)) return false;
    if (piece === 0) return true;
    const unfinished = this.#unfinished;
    return (
      unfinished !== undefined &&
      placesEqual(unfinished.region, region) &&
      unfinished.base === base &&
      unfinished.pieceCount === piece
    );
  }

  #startOf({ region, base }: RegionChange, tree: RegionTree): RegionTree {
    if (base === "air") return RegionTree.EMPTY;
    const chunks = regionBox(region);
    return base === "generated" ? RegionTree.EMPTY.fill(chunks, this.#worldGenerator()) : tree.slice(chunks);
  }

  #changed(start: RegionTree, { leaves, edits }: RegionChange): RegionTree {
    let tree = start;
    for (const leaf of leaves) tree = withLeaf(tree, leaf);
    for (const list of edits) tree = this.#withEdits(tree, list);
    return tree;
  }

  #withEdits(tree: RegionTree, { chunk, edits }: ChunkEdits): RegionTree {
    const held = tree.at(...chunk) ?? emptyChunk(this.#volume);
    if (held instanceof Chunk) return tree.set(chunk, held.edit(edits));
    if (this.#realize !== undefined) return tree.set(chunk, this.#realize(held, chunk).edit(edits));
    throw new OrthantError("ORT_PATCH_TARGET", `chunk [${chunk}] is ${held.generatorId}'s to generate`);
  }

  #worldGenerator(): GeneratorRef {
    if (this.#generator !== undefined) return this.#generator;
    throw new OrthantError(
      "ORT_PATCH_TARGET",
      "a region as the generator makes it, and no generator is known",
    );
  }

  /** A region that is replaced has no pieces that others could follow. */
  #dropPieces(region: Place): void {
    if (this.#unfinished !== undefined && placesEqual(this.#unfinished.region, region)) {
      this.#unfinished = undefined;
    }
  }
}

function withLeaf(tree: RegionTree, { box, content }: PatchLeaf): RegionTree {
  if (content === undefined) return tree.carve(box);
  return content instanceof ChunkArray ? tree.graft(box, treeOfArray(content)) : tree.fill(box, content);
}
