import {
  type Box,
  boxEquals,
  boxesIntersect,
  boxVolume,
  intersectBoxes,
  OrthantError,
  type Place,
  PlaceMap,
  placeFrom,
  placesLexicographic,
  WHOLE_LATTICE,
} from "@orthant/core";
import { LEAF_LEVEL_MAX } from "../layout.ts";
import { cellAt, childCell, requireLevel } from "../tree-index/cell.ts";
import { CHILDREN } from "../tree-index/index-node.ts";
import { describeCell } from "../tree-index/index-tree.ts";

/** What has a cell: a leaf of the index, or what a program keeps for one. */
export interface HasCell {
  readonly cell: Box;
}

/** Leaves by place: which one holds a chunk, and which cell a chunk without one should get. */
export class LeafMap<Leaf extends HasCell> {
  /** For each level: leaves of that level, and how many leaves of any level lie in a cell. */
  readonly #levels: readonly Level<Leaf>[] = Array.from({ length: LEAF_LEVEL_MAX + 1 }, () => ({
    leaves: new PlaceMap<Leaf>(),
    counts: new PlaceMap<number>(),
  }));

  constructor(leaves: Iterable<Leaf> = []) {
    for (const leaf of leaves) this.add(leaf);
  }

  /** Adds a leaf; `ORT_ARGUMENT` when its cell is no aligned cube or overlaps another leaf. */
  add(leaf: Leaf): void {
    const level = requireLevel(leaf.cell, LEAF_LEVEL_MAX);
    const { min } = leaf.cell;
    if (this.find(min) !== undefined || this.#countIn(min, level) > 0) {
      throw new OrthantError("ORT_ARGUMENT", `the leaf at ${describeCell(leaf.cell)} overlaps another`);
    }
    this.#at(level).leaves.set(...indexOf(min, level), leaf);
    this.#addToCounts(min, level, 1);
  }

  /** Removes the leaf that has exactly this cell, and gives it; `undefined` when there is none. */
  remove(cell: Box): Leaf | undefined {
    const leaf = this.at(cell);
    if (leaf === undefined) return undefined;
    const level = requireLevel(cell, LEAF_LEVEL_MAX);
    this.#at(level).leaves.delete(...indexOf(cell.min, level));
    this.#addToCounts(cell.min, level, -1);
    return leaf;
  }

  /** The leaf that has exactly this cell. */
  at(cell: Box): Leaf | undefined {
    const leaf = this.find(cell.min);
    return leaf !== undefined && boxEquals(leaf.cell, cell) ? leaf : undefined;
  }

  /** The leaf that holds a place. */
  find([x, y, z, w]: Place): Leaf | undefined {
    for (let level = 0; level <= LEAF_LEVEL_MAX; level++) {
      const { leaves } = this.#at(level);
      // Few levels have leaves at all, and every edit and read comes through here.
      if (leaves.size === 0) continue;
      const leaf = leaves.get(x >> level, y >> level, z >> level, w >> level);
      if (leaf !== undefined) return leaf;
    }
    return undefined;
  }

  /**
   * The cell for a place: that of the leaf which holds it or, when none does, the largest aligned cube around it,
   * up to an edge of 2^16, that has no leaf in it. So a small world has few leaves.
   */
  cellFor(place: Place): Box {
    const leaf = this.find(place);
    if (leaf !== undefined) return leaf.cell;
    let level = LEAF_LEVEL_MAX;
    while (this.#countIn(place, level) > 0) level--;
    return cellAt(place, level);
  }

  /** The leaves inside an aligned cube of edge 2^16 or less. */
  *inside(cell: Box): Generator<Leaf> {
    const level = requireLevel(cell, LEAF_LEVEL_MAX);
    if (this.#countIn(cell.min, level) === 0) return;
    const leaf = this.#at(level).leaves.get(...indexOf(cell.min, level));
    if (leaf !== undefined) yield leaf;
    else for (let slot = 0; slot < CHILDREN; slot++) yield* this.inside(childCell(cell, slot));
  }

  /** The leaves that a box of chunks touches. Costs what is touched, not how many leaves there are. */
  *touching(touched: Box): Generator<Leaf> {
    // Beyond the lattice there is nothing, and a shift would take it for the other end.
    const box = intersectBoxes(touched, WHOLE_LATTICE);
    if (box === undefined) return;
    const top = this.#at(LEAF_LEVEL_MAX).counts;
    const min = indexOf(box.min, LEAF_LEVEL_MAX);
    const end = placeFrom((axis) => ((box.max[axis] - 1) >> LEAF_LEVEL_MAX) + 1);
    const tops = { min, max: end };
    const places = boxVolume(tops) < top.size ? placesLexicographic(tops) : [...top.places()];
    for (const index of places) {
      yield* this.#touchingIn(
        cellAt(
          placeFrom((axis) => index[axis] * 2 ** LEAF_LEVEL_MAX),
          LEAF_LEVEL_MAX,
        ),
        LEAF_LEVEL_MAX,
        box,
      );
    }
  }

  *#touchingIn(cell: Box, level: number, box: Box): Generator<Leaf> {
    if (this.#countIn(cell.min, level) === 0 || !boxesIntersect(cell, box)) return;
    const leaf = this.#at(level).leaves.get(...indexOf(cell.min, level));
    if (leaf !== undefined) yield leaf;
    else {
      for (let slot = 0; slot < CHILDREN; slot++)
        yield* this.#touchingIn(childCell(cell, slot), level - 1, box);
    }
  }

  #at(level: number): Level<Leaf> {
    return this.#levels[level] as Level<Leaf>;
  }

  #countIn(place: Place, level: number): number {
    return this.#at(level).counts.get(...indexOf(place, level)) ?? 0;
  }

  #addToCounts(place: Place, from: number, change: number): void {
    for (let level = from; level <= LEAF_LEVEL_MAX; level++) {
      const { counts } = this.#at(level);
      const index = indexOf(place, level);
      const count = (counts.get(...index) ?? 0) + change;
      if (count > 0) counts.set(...index, count);
      else counts.delete(...index);
    }
  }
}

interface Level<Leaf> {
  readonly leaves: PlaceMap<Leaf>;
  readonly counts: PlaceMap<number>;
}

/** Which cell of a level a place lies in. An arithmetic shift divides and rounds down. */
function indexOf(place: Place, level: number): Place {
  return placeFrom((axis) => place[axis] >> level);
}
