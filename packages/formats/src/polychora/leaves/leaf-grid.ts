import {
  type Box,
  boxContains,
  boxesIntersect,
  boxVolume,
  type Place,
  PlaceMap,
  placeFrom,
  placesLexicographic,
} from "@orthant/core";
import { flatRegionCell, flatRegionOf } from "../flat/flat-regions.ts";
import type { HasCell } from "../tree-index/leaf-trie.ts";

/** Leaves whose cells are regions of one edge, as a flat save has them. The edge need not be a power of two. */
export class LeafGrid<Leaf extends HasCell> {
  readonly #edge: number;
  readonly #byRegion = new PlaceMap<Leaf>();

  constructor(leaves: Iterable<Leaf>, edge: number) {
    this.#edge = edge;
    for (const leaf of leaves) this.#byRegion.set(...flatRegionOf(leaf.cell.min, edge), leaf);
  }

  /** Every leaf, in no order. */
  leaves(): Iterable<Leaf> {
    return this.#byRegion.values();
  }

  /** The leaf that holds a chunk. */
  find(place: Place): Leaf | undefined {
    const leaf = this.#byRegion.get(...flatRegionOf(place, this.#edge));
    return leaf !== undefined && boxContains(leaf.cell, place) ? leaf : undefined;
  }

  /** The region that holds a chunk. */
  cellFor(place: Place): Box {
    return flatRegionCell(flatRegionOf(place, this.#edge), this.#edge);
  }

  /** The leaves that a box of chunks touches. Costs what is touched, not how many leaves there are. */
  *touching(box: Box): Generator<Leaf> {
    const last = flatRegionOf(
      placeFrom((axis) => box.max[axis] - 1),
      this.#edge,
    );
    const regions = { min: flatRegionOf(box.min, this.#edge), max: placeFrom((axis) => last[axis] + 1) };
    if (boxVolume(regions) > this.#byRegion.size) {
      for (const leaf of this.#byRegion.values()) if (boxesIntersect(leaf.cell, box)) yield leaf;
      return;
    }
    for (const region of placesLexicographic(regions)) {
      const leaf = this.#byRegion.get(...region);
      if (leaf !== undefined) yield leaf;
    }
  }
}
