import {
  type Box,
  boxContains,
  boxesIntersect,
  boxVolume,
  floorDivide,
  type Place,
  PlaceMap,
  placeFrom,
  placesLexicographic,
} from "@orthant/core";
import type { HasCell } from "../tree-index/leaf-trie.ts";

/** Leaves whose cells are regions of one edge, as a flat save has them. The edge need not be a power of two. */
export class LeafGrid<Leaf extends HasCell> {
  readonly #edge: number;
  readonly #byRegion = new PlaceMap<Leaf>();

  constructor(leaves: Iterable<Leaf>, edge: number) {
    this.#edge = edge;
    for (const leaf of leaves) this.#byRegion.set(...regionAt(leaf.cell.min, edge), leaf);
  }

  /** Every leaf, in no order. */
  leaves(): Iterable<Leaf> {
    return this.#byRegion.values();
  }

  /** The leaf that holds a chunk. */
  find(place: Place): Leaf | undefined {
    const leaf = this.#byRegion.get(...regionAt(place, this.#edge));
    return leaf !== undefined && boxContains(leaf.cell, place) ? leaf : undefined;
  }

  /** The region that holds a chunk. */
  cellFor(place: Place): Box {
    return regionCell(regionAt(place, this.#edge), this.#edge);
  }

  /** The leaves that a box of chunks touches. Costs what is touched, not how many leaves there are. */
  *touching(box: Box): Generator<Leaf> {
    const last = regionAt(
      placeFrom((axis) => box.max[axis] - 1),
      this.#edge,
    );
    const regions = { min: regionAt(box.min, this.#edge), max: placeFrom((axis) => last[axis] + 1) };
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

/** The region of an edge that a chunk lies in. */
export function regionAt(chunk: Place, edge: number): Place {
  return placeFrom((axis) => floorDivide(chunk[axis], edge));
}

/** The chunks of a region. */
export function regionCell(region: Place, edge: number): Box {
  const min = placeFrom((axis) => region[axis] * edge);
  return { min, max: placeFrom((axis) => min[axis] + edge) };
}
