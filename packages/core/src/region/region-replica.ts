import { Chunk, emptyChunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Place, placesEqual } from "../lattice/place.ts";
import { regionBox } from "../lattice/region.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { ChunkArray } from "./chunk-array.ts";
import type { ChunkEdits } from "./chunk-edits.ts";
import type { RegionClock } from "./region-clock-list.ts";
import { RegionClocks } from "./region-clocks.ts";
import { type PatchLeaf, type RegionChange, type RegionPatch, requirePatchForm } from "./region-patch.ts";
import { treeOfArray } from "./tree-of-nodes.ts";

/** A region of which some pieces have come, and not yet the last. Nobody sees it before that. */
interface Unfinished {
  readonly region: Place;
  readonly expected: number | undefined;
  readonly pieceCount: number;
  readonly tree: RegionTree;
}

/** A copy of a world's regions that patches keep up to date: trees with their clocks, always of one moment. */
export class RegionReplica {
  readonly #volume: number;
  readonly #clocks: RegionClocks;
  #tree: RegionTree;
  #unfinished: Unfinished | undefined;

  /** A replica of a world whose chunks have this volume; the clocks are copied. */
  constructor(
    volume: number,
    tree: RegionTree = RegionTree.EMPTY,
    clocks: RegionClocks = new RegionClocks(),
  ) {
    this.#volume = volume;
    this.#tree = tree;
    this.#clocks = clocks.copy();
  }

  /** What the replica holds. */
  get tree(): RegionTree {
    return this.#tree;
  }

  /** The clock of a region. */
  clockOf(region: Place): number {
    return this.#clocks.get(region);
  }

  /** Every clock, in the order of the regions. */
  clocks(): readonly RegionClock[] {
    return this.#clocks.entries();
  }

  /**
   * Applies a patch, all of it or nothing. Gives the regions whose clocks, or pieces, are not those that the patch
   * builds on, with the clocks held: what a resync request needs. Nothing was changed unless there are none.
   * Throws for a patch that breaks the rules; then, too, nothing was changed.
   */
  apply(patch: RegionPatch): readonly RegionClock[] {
    requirePatchForm(patch, this.#volume);
    const mismatches = patch.changes
      .filter((change) => !this.#fits(change))
      .map(({ region }) => ({ region, clock: this.#clocks.get(region) }));
    if (mismatches.length > 0) return mismatches;

    let tree = this.#tree;
    let unfinished = this.#unfinished;
    for (const change of patch.changes) {
      const { region, expected, next, piece } = change;
      const chunks = regionBox(region);
      const begun =
        unfinished !== undefined && placesEqual(unfinished.region, region) ? unfinished : undefined;
      const base = piece > 0 && begun !== undefined ? begun.tree : this.#startOf(change, tree);
      const changed = this.#changed(base, change);
      if (next === undefined) {
        unfinished = { region, expected, pieceCount: piece + 1, tree: changed };
      } else {
        tree = tree.graft(chunks, changed);
        if (begun !== undefined) unfinished = undefined;
      }
    }

    this.#tree = tree;
    this.#unfinished = unfinished;
    for (const { region, next } of patch.changes) if (next !== undefined) this.#clocks.reset(region, next);
    return [];
  }

  /** Whether a change builds on what is here. */
  #fits({ region, expected, piece }: RegionChange): boolean {
    if (expected !== undefined && expected !== this.#clocks.get(region)) return false;
    if (piece === 0) return true;
    const unfinished = this.#unfinished;
    return (
      unfinished !== undefined &&
      placesEqual(unfinished.region, region) &&
      unfinished.expected === expected &&
      unfinished.pieceCount === piece
    );
  }

  #startOf({ region, expected }: RegionChange, tree: RegionTree): RegionTree {
    return expected === undefined ? RegionTree.EMPTY : tree.slice(regionBox(region));
  }

  #changed(base: RegionTree, { leaves, edits }: RegionChange): RegionTree {
    let tree = base;
    for (const leaf of leaves) tree = withLeaf(tree, leaf);
    for (const list of edits) tree = this.#withEdits(tree, list);
    return tree;
  }

  #withEdits(tree: RegionTree, { chunk, edits }: ChunkEdits): RegionTree {
    const held = tree.at(...chunk) ?? emptyChunk(this.#volume);
    if (held instanceof Chunk) return tree.set(chunk, held.edit(edits));
    throw new OrthantError("ORT_PATCH_TARGET", `chunk [${chunk}] is ${held.generatorId}'s to generate`);
  }
}

function withLeaf(tree: RegionTree, { box, content }: PatchLeaf): RegionTree {
  if (content === undefined) return tree.carve(box);
  return content instanceof ChunkArray ? tree.graft(box, treeOfArray(content)) : tree.fill(box, content);
}
