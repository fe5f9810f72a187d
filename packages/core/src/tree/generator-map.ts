import { OrthantError } from "../error/orthant-error.ts";
import { type Box, boxEquals, boxVolume, intersectBoxes } from "../lattice/box.ts";
import { BoxSearch } from "../lattice/box-search.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { chunksOfRegions, regionsTouching } from "../lattice/region.ts";
import type { GeneratorRef } from "./content.ts";
import { RegionTree } from "./region-tree.ts";

/** Bits by which a chunk's position is shifted to get its region's. */
const REGION_SHIFT = 2;

/** A box of regions, not chunks, that has another generator than the rest of its world. */
export interface KeptRegions {
  readonly box: Box;
  readonly generator: GeneratorRef;
}

/**
 * The generators of a world and where each applies: one everywhere, except in boxes of regions that keep an earlier one.
 * A region has exactly one generator. Immutable.
 */
export class GeneratorMap {
  /** The generator outside of all boxes. */
  readonly current: GeneratorRef;
  /** All generators, the current one first, then in the order of the boxes. The boxes have these instances. */
  readonly refs: readonly GeneratorRef[];
  /** Disjoint boxes, ordered by their lowest corners. */
  readonly kept: readonly KeptRegions[];
  readonly #search: BoxSearch<KeptRegions>;

  private constructor(refs: readonly [GeneratorRef, ...GeneratorRef[]], kept: readonly KeptRegions[]) {
    this.current = refs[0];
    this.refs = refs;
    this.kept = kept;
    this.#search = new BoxSearch(kept);
  }

  /** Returns the map of a world with one generator. Returns a map as it is. */
  static of(generators: GeneratorRef | GeneratorMap): GeneratorMap {
    return generators instanceof GeneratorMap ? generators : new GeneratorMap([generators], []);
  }

  /**
   * Returns a map with boxes. Throws `ORT_GENERATOR_MAP` unless they are disjoint, ordered by their lowest corners, and
   * of other generators than the current one.
   */
  static from(current: GeneratorRef, kept: readonly KeptRegions[]): GeneratorMap {
    const refs: [GeneratorRef, ...GeneratorRef[]] = [current];
    const own = kept.map(({ box, generator }): KeptRegions => {
      // Boxes usually share an instance, and comparing parameters takes longer.
      const known = refs.find((ref) => ref === generator) ?? refs.find((ref) => ref.equals(generator));
      if (known === current) throw wrongMap("a box of the current generator");
      if (known === undefined) refs.push(generator);
      return { box, generator: known ?? generator };
    });
    const map = new GeneratorMap(refs, own);
    requireOrder(own);
    for (const { box } of own) {
      for (const other of map.#search.touching(box))
        if (other.box !== box) throw wrongMap("boxes that overlap");
    }
    return map;
  }

  /** Whether one generator applies everywhere. */
  get isSingle(): boolean {
    return this.refs.length === 1;
  }

  /** Returns the generator of a region. */
  ofRegion([x, y, z, w]: Position): GeneratorRef {
    return this.#search.at(x, y, z, w)?.generator ?? this.current;
  }

  /** Returns the generator of a chunk. */
  ofChunk(x: number, y: number, z: number, w: number): GeneratorRef {
    const kept = this.#search.at(x >> REGION_SHIFT, y >> REGION_SHIFT, z >> REGION_SHIFT, w >> REGION_SHIFT);
    return kept?.generator ?? this.current;
  }

  /** Returns the generator of all chunks of a box; `undefined` if there are several. */
  onlyIn(chunks: Box): GeneratorRef | undefined {
    if (this.isSingle) return this.current;
    const regions = regionsTouching(chunks);
    let only: GeneratorRef | undefined;
    let keptVolume = 0;
    for (const { box, generator } of this.#search.touching(regions)) {
      if (only !== undefined && only !== generator) return undefined;
      only = generator;
      keptVolume += boxVolume(intersectBoxes(box, regions) ?? box);
    }
    if (only === undefined) return this.current;
    return keptVolume === boxVolume(regions) ? only : undefined;
  }

  /** Returns a tree that has the generator of every chunk of a box. */
  treeOf(chunks: Box): RegionTree {
    let tree = RegionTree.EMPTY.fill(chunks, this.current);
    if (this.isSingle) return tree;
    for (const { box, generator } of this.#search.touching(regionsTouching(chunks))) {
      const part = intersectBoxes(chunksOfRegions(box), chunks);
      if (part !== undefined) tree = tree.fill(part, generator);
    }
    return tree;
  }

  /** Whether both have the same generators and the same boxes. */
  equals(other: GeneratorMap): boolean {
    return (
      this === other ||
      (this.current.equals(other.current) &&
        this.kept.length === other.kept.length &&
        this.kept.every(({ box, generator }, index) => {
          const theirs = other.kept[index];
          return theirs !== undefined && boxEquals(box, theirs.box) && generator.equals(theirs.generator);
        }))
    );
  }
}

function requireOrder(kept: readonly KeptRegions[]): void {
  for (const [index, { box }] of kept.entries()) {
    const next = kept[index + 1];
    if (next !== undefined && comparePositions(box.min, next.box.min) >= 0)
      throw wrongMap("boxes out of order");
  }
}

function wrongMap(what: string): OrthantError {
  return new OrthantError("ORT_GENERATOR_MAP", `a map of generators with ${what}`);
}
