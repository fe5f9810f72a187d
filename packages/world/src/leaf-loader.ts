import { type Box, boxVolume, OverrideTree } from "@orthant/core";
import { type EntityRecord, type LeafEntry, LeafMap, type Save } from "@orthant/formats";

/** What a leaf holds. */
export interface LoadedLeaf {
  readonly leaf: LeafEntry;
  readonly overrides: OverrideTree;
  readonly entities: readonly EntityRecord[];
}

/**
 * Reads the leaves of a save when they are needed, each once. What was not read yet is what lies on the disk, so it
 * may be read at any later time.
 */
export class LeafLoader {
  readonly #loaded: Set<LeafEntry>;
  readonly #reading = new Map<LeafEntry, Promise<LoadedLeaf>>();
  #save: Save;
  #map: LeafMap<LeafEntry> | undefined;

  constructor(save: Save, loaded: Iterable<LeafEntry> = []) {
    this.#save = save;
    this.#loaded = new Set(loaded);
  }

  /** The leaves by place. Made when it is needed first: a snapshot of what is loaded never needs it. */
  get map(): LeafMap<LeafEntry> {
    this.#map ??= new LeafMap(this.#save.leaves);
    return this.#map;
  }

  /** Reads what a box of chunks touches and was not read before, and hands it over, leaf by leaf. */
  async load(box: Box, take: (leaf: LoadedLeaf) => void): Promise<void> {
    for (const leaf of this.#unloadedIn(box)) {
      const loaded = await this.#read(leaf);
      // Somebody else may have waited for the same leaf, and have taken it already.
      if (this.#loaded.has(leaf)) continue;
      this.#loaded.add(leaf);
      take(loaded);
    }
  }

  /**
   * Goes over to the next generation. A leaf in it is loaded when all that lay there was; one that a commit has made
   * of loaded leaves and others gets the others read first, so that no leaf is loaded by half.
   */
  async follow(save: Save, take: (leaf: LoadedLeaf) => void): Promise<void> {
    const before = new Set(this.#save.leaves);
    const added = save.leaves.filter((leaf) => !before.delete(leaf));
    const loaded: LeafEntry[] = [];
    for (const leaf of added) if (await this.#complete(leaf, take)) loaded.push(leaf);
    // From here on nothing waits, so nobody sees the one generation's leaves with the other's save.
    for (const leaf of before) {
      this.map.remove(leaf.cell);
      this.#loaded.delete(leaf);
    }
    for (const leaf of added) this.map.add(leaf);
    for (const leaf of loaded) this.#loaded.add(leaf);
    this.#save = save;
  }

  /** A loader of its own with what is loaded now, for another handle on the same generation. */
  copy(save: Save): LeafLoader {
    return new LeafLoader(save, this.#loaded);
  }

  async #complete(leaf: LeafEntry, take: (leaf: LoadedLeaf) => void): Promise<boolean> {
    const before = [...this.map.touching(leaf.cell)];
    if (before.length > 0 && before.every((old) => !this.#loaded.has(old))) return false;
    await this.load(leaf.cell, take);
    return true;
  }

  #unloadedIn(box: Box): readonly LeafEntry[] {
    if (boxVolume(box) > 1) return [...this.map.touching(box)].filter((leaf) => !this.#loaded.has(leaf));
    const leaf = this.map.find(box.min);
    return leaf === undefined || this.#loaded.has(leaf) ? [] : [leaf];
  }

  #read(leaf: LeafEntry): Promise<LoadedLeaf> {
    const reading = this.#reading.get(leaf) ?? this.#readNow(leaf).finally(() => this.#reading.delete(leaf));
    this.#reading.set(leaf, reading);
    return reading;
  }

  async #readNow(leaf: LeafEntry): Promise<LoadedLeaf> {
    const blocks = await this.#save.readBlocks(leaf);
    const entities = await this.#save.readEntities(leaf);
    const overrides = blocks.reduce((tree, { place, chunk }) => tree.set(place, chunk), OverrideTree.VIRGIN);
    return { leaf, overrides, entities };
  }
}
