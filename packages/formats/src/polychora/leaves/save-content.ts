import {
  type Box,
  boxesIntersect,
  boxVolume,
  comparePlaces,
  floorDivide,
  type Place,
  PlaceMap,
  placeFrom,
  placesLexicographic,
} from "@orthant/core";
import type { EntityRecord } from "../records/entity-record.ts";
import type { LeafEntry } from "../records/leaf-entry.ts";
import type { BlockEntry } from "../records/prepared-blocks.ts";
import type { Save } from "../save.ts";
import { LeafMap } from "./leaf-map.ts";

/**
 * What a save holds, leaf by leaf, whichever dialect it is in. Chunks that a flat save keeps in its global file are
 * in the leaves of their places. Nothing that was read is kept.
 */
export class SaveContent {
  /** In lexicographic order of the cells, which do not overlap. */
  readonly leaves: readonly LeafEntry[];
  readonly #save: Save;
  readonly #apart: PlaceMap<BlockEntry[]>;
  readonly #touching: (box: Box) => Iterable<LeafEntry>;

  constructor(save: Save) {
    this.#save = save;
    const { flat } = save;
    if (flat === undefined) {
      const map = new LeafMap(save.leaves);
      this.leaves = save.leaves;
      this.#apart = new PlaceMap();
      this.#touching = (box) => map.touching(box);
    } else {
      const edge = flat.regionChunkEdge;
      this.#apart = blocksByRegion(flat.globalBlocks, edge);
      const byRegion = new PlaceMap<LeafEntry>();
      for (const leaf of save.leaves) byRegion.set(...regionAt(leaf.cell.min, edge), leaf);
      for (const region of this.#apart.places()) {
        if (!byRegion.has(...region)) byRegion.set(...region, emptyLeaf(region, edge));
      }
      this.leaves = [...byRegion.values()].sort((a, b) => comparePlaces(a.cell.min, b.cell.min));
      this.#touching = (box) => flatTouching(byRegion, edge, box);
    }
  }

  /** The leaves that a box of chunks touches. Costs what is touched, not how many leaves there are. */
  touching(box: Box): Iterable<LeafEntry> {
    return this.#touching(box);
  }

  /** The overridden chunks of a leaf. */
  async readBlocks(leaf: LeafEntry): Promise<readonly BlockEntry[]> {
    const blocks = await this.#save.readBlocks(leaf);
    const edge = this.#save.flat?.regionChunkEdge;
    const apart = edge === undefined ? undefined : this.#apart.get(...regionAt(leaf.cell.min, edge));
    if (apart === undefined) return blocks;
    // Rule S41: those in the global file count before those in records.
    const merged = new PlaceMap<BlockEntry>();
    for (const block of [...blocks, ...apart]) merged.set(...block.place, block);
    return [...merged.values()];
  }

  /** The entities of a leaf. */
  readEntities(leaf: LeafEntry): Promise<readonly EntityRecord[]> {
    return this.#save.readEntities(leaf);
  }
}

function blocksByRegion(blocks: readonly BlockEntry[], edge: number): PlaceMap<BlockEntry[]> {
  const regions = new PlaceMap<BlockEntry[]>();
  for (const block of blocks) {
    const region = regionAt(block.place, edge);
    const found = regions.get(...region);
    if (found === undefined) regions.set(...region, [block]);
    else found.push(block);
  }
  return regions;
}

function emptyLeaf(region: Place, edge: number): LeafEntry {
  const min = placeFrom((axis) => region[axis] * edge);
  const cell = { min, max: placeFrom((axis) => min[axis] + edge) };
  return { cell, blockRefs: [], entityRefs: [], clocks: [] };
}

function* flatTouching(byRegion: PlaceMap<LeafEntry>, edge: number, box: Box): Generator<LeafEntry> {
  const last = regionAt(
    placeFrom((axis) => box.max[axis] - 1),
    edge,
  );
  const regions = { min: regionAt(box.min, edge), max: placeFrom((axis) => last[axis] + 1) };
  if (boxVolume(regions) > byRegion.size) {
    for (const leaf of byRegion.values()) if (boxesIntersect(leaf.cell, box)) yield leaf;
    return;
  }
  for (const region of placesLexicographic(regions)) {
    const leaf = byRegion.get(...region);
    if (leaf !== undefined) yield leaf;
  }
}

function regionAt(chunk: Place, edge: number): Place {
  return placeFrom((axis) => floorDivide(chunk[axis], edge));
}
