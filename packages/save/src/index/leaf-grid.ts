import {
  type Box,
  boxContains,
  boxesIntersect,
  boxVolume,
  type Position,
  PositionMap,
  positionFrom,
  positionsLexicographic,
} from "@orthant/core";
import { flatRegionCell, flatRegionOf } from "../flat/flat-regions.ts";
import type { HasCell } from "./leaf-trie.ts";

/** The leaves of a flat save, whose cells are regions of one edge. The edge need not be a power of two. */
export class LeafGrid<Leaf extends HasCell> {
  readonly #edge: number;
  readonly #byRegion = new PositionMap<Leaf>();

  constructor(leaves: Iterable<Leaf>, edge: number) {
    this.#edge = edge;
    for (const leaf of leaves) this.#byRegion.set(...flatRegionOf(leaf.cell.min, edge), leaf);
  }

  /** Returns all leaves, in no particular order. */
  leaves(): Iterable<Leaf> {
    return this.#byRegion.values();
  }

  /** Returns the leaf that contains a chunk. */
  find(position: Position): Leaf | undefined {
    const leaf = this.#byRegion.get(...flatRegionOf(position, this.#edge));
    return leaf !== undefined && boxContains(leaf.cell, position) ? leaf : undefined;
  }

  /** Returns the region that contains a chunk. */
  cellFor(position: Position): Box {
    return flatRegionCell(flatRegionOf(position, this.#edge), this.#edge);
  }

  /**
   * Yields the leaves that intersect a box of chunks. The cost depends on the result, not on the number of
   * leaves.
   */
  *touching(box: Box): Generator<Leaf> {
    const last = flatRegionOf(
      positionFrom((axis) => box.max[axis] - 1),
      this.#edge,
    );
    const regions = { min: flatRegionOf(box.min, this.#edge), max: positionFrom((axis) => last[axis] + 1) };
    if (boxVolume(regions) > this.#byRegion.size) {
      for (const leaf of this.#byRegion.values()) if (boxesIntersect(leaf.cell, box)) yield leaf;
      return;
    }
    for (const region of positionsLexicographic(regions)) {
      const leaf = this.#byRegion.get(...region);
      if (leaf !== undefined) yield leaf;
    }
  }
}
