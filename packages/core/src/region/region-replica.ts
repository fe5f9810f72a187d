import { Chunk, emptyChunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { comparePositions, type Position, positionsEqual } from "../lattice/position.ts";
import { PositionMap } from "../lattice/position-map.ts";
import { regionBox } from "../lattice/region.ts";
import type { GeneratorMap } from "../tree/generator-map.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray, treeOfArray } from "./chunk-array.ts";
import { boxesOfRegions } from "./region-cells.ts";
import { CLOCK_NEVER, type RegionClock, requireClock, requireRegion } from "./region-clock.ts";
import {
  type ChangeBase,
  type PatchLeaf,
  type RegionChange,
  type RegionPatch,
  requirePatchForm,
} from "./region-patch.ts";
import type { RealizeChunk } from "./region-patch-build.ts";

/** What a replica knows about the world besides patches. */
export interface RegionReplicaOptions {
  /** The generators of the untouched space. Without them, changes cannot be based on generated content. */
  readonly generators?: GeneratorMap;
  /** Computes a chunk. Without it, generated chunks cannot be edited. */
  readonly realize?: RealizeChunk;
}

/** A region that lacks its last piece, and is not visible until then. */
interface Unfinished {
  readonly region: Position;
  readonly base: ChangeBase;
  readonly pieceCount: number;
  readonly tree: RegionTree;
}

/** A copy of some regions of a world that patches keep up to date, always consistent with its clocks. */
export class RegionReplica {
  readonly #volume: number;
  readonly #generators: GeneratorMap | undefined;
  readonly #realize: RealizeChunk | undefined;
  readonly #clocks = new PositionMap<number>();
  #tree: RegionTree = RegionTree.EMPTY;
  #unfinished: Unfinished | undefined;

  /** Creates an empty replica of a world whose chunks have this volume. */
  constructor(volume: number, { generators, realize }: RegionReplicaOptions = {}) {
    this.#volume = volume;
    this.#generators = generators;
    this.#realize = realize;
  }

  /** The contents of the held regions; empty everywhere else. */
  get tree(): RegionTree {
    return this.#tree;
  }

  /** Returns the clock of a region; `undefined` when it is not held. */
  clockOf([x, y, z, w]: Position): number | undefined {
    return this.#clocks.get(x, y, z, w);
  }

  /** Whether a region is held: then the tree matches the world at that clock, including its gaps. */
  holds([x, y, z, w]: Position): boolean {
    return this.#clocks.has(x, y, z, w);
  }

  /** Returns all held regions with their clocks, ordered by region. */
  held(): readonly RegionClock[] {
    return Array.from(this.#clocks, ([region, clock]) => ({ region, clock })).sort((a, b) =>
      comparePositions(a.region, b.region),
    );
  }

  /** Holds regions at this clock, all air or all generated, and replaces what was held. */
  hold(regions: readonly Position[], clock: number, content: "air" | "generated"): void {
    requireClock(clock);
    for (const region of regions) requireRegion(region);
    const generators = content === "generated" ? this.#worldGenerators() : undefined;
    let tree = this.#tree;
    for (const box of boxesOfRegions(regions)) {
      tree = generators === undefined ? tree.carve(box) : tree.merge(generators.treeOf(box));
    }
    this.#tree = tree;
    for (const region of regions) {
      this.#clocks.set(...region, clock);
      this.#dropPieces(region);
    }
  }

  /** Drops regions and their contents. */
  forget(regions: readonly Position[]): void {
    const held: Position[] = [];
    for (const region of regions) {
      this.#dropPieces(region);
      if (this.#clocks.delete(...region)) held.push(region);
    }
    let tree = this.#tree;
    for (const box of boxesOfRegions(held)) tree = tree.carve(box);
    this.#tree = tree;
  }

  /** Drops everything. */
  clear(): void {
    this.#clocks.clear();
    this.#tree = RegionTree.EMPTY;
    this.#unfinished = undefined;
  }

  /**
   * Applies a patch, all or nothing. Returns the regions whose clocks or pieces are not those that the patch
   * builds on, with the held clocks (`CLOCK_NEVER` for a region that is not held), as a resync request needs
   * them; unless this is empty, nothing was changed. Throws for a patch that breaks the rules, or what
   * `realize` throws; then, too, nothing was changed.
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
        unfinished !== undefined && positionsEqual(unfinished.region, region) ? unfinished : undefined;
      if (typeof base === "number" && piece === 0 && next !== undefined) {
        // Most patches change a few voxels, so do not extract and reinsert the region for them.
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

  /** Whether a change builds on the current state. */
  #fits({ region, base, piece }: RegionChange): boolean {
    if (typeof base === "number" && base !== this.clockOf(region)) return false;
    if (piece === 0) return true;
    const unfinished = this.#unfinished;
    return (
      unfinished !== undefined &&
      positionsEqual(unfinished.region, region) &&
      unfinished.base === base &&
      unfinished.pieceCount === piece
    );
  }

  #startOf({ region, base }: RegionChange, tree: RegionTree): RegionTree {
    if (base === "air") return RegionTree.EMPTY;
    const chunks = regionBox(region);
    return base === "generated" ? this.#worldGenerators().treeOf(chunks) : tree.slice(chunks);
  }

  #changed(start: RegionTree, { leaves, edits, data }: RegionChange): RegionTree {
    let tree = start;
    for (const leaf of leaves) tree = withLeaf(tree, leaf);
    for (const { chunk, edits: voxels } of edits) {
      tree = tree.set(chunk, this.#chunkIn(tree, chunk).edit(voxels));
    }
    for (const { chunk, edits: values } of data) {
      tree = tree.set(chunk, this.#chunkIn(tree, chunk).editData(values));
    }
    return tree;
  }

  /** Returns the chunk that edits change. */
  #chunkIn(tree: RegionTree, chunk: Position): Chunk {
    const held = tree.at(...chunk) ?? emptyChunk(this.#volume);
    if (held instanceof Chunk) return held;
    if (this.#realize !== undefined) return this.#realize(held, chunk);
    throw new OrthantError("ORT_PATCH_TARGET", `chunk [${chunk}] is ${held.generatorId}'s to generate`);
  }

  #worldGenerators(): GeneratorMap {
    if (this.#generators !== undefined) return this.#generators;
    throw new OrthantError(
      "ORT_PATCH_TARGET",
      "a region as the generator makes it, and no generator is known",
    );
  }

  /** Drops the pieces of a region that was replaced, since no later piece can follow them. */
  #dropPieces(region: Position): void {
    if (this.#unfinished !== undefined && positionsEqual(this.#unfinished.region, region)) {
      this.#unfinished = undefined;
    }
  }
}

function withLeaf(tree: RegionTree, { box, content }: PatchLeaf): RegionTree {
  if (content === undefined) return tree.carve(box);
  return content instanceof ChunkArray ? tree.graft(box, treeOfArray(content)) : tree.fill(box, content);
}
