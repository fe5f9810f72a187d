import { type Box, boxVolume, OverrideTree } from "@orthant/core";
import type { EntityRecord, LeafEntry, LeafIndex, Save } from "@orthant/formats";

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

  constructor(save: Save, loaded: Iterable<LeafEntry> = []) {
    this.#save = save;
    this.#loaded = new Set(loaded);
  }

  /** The generation that is read from. */
  get save(): Save {
    return this.#save;
  }

  /** The leaves by place. */
  get map(): LeafIndex {
    return this.#save.index;
  }

  /** Whether nothing that a box of chunks touches is still to be read. */
  isLoaded(box: Box): boolean {
    return this.#unloadedIn(box).length === 0;
  }

  /** Reads what a box of chunks touches and was not read before, and hands it over, leaf by leaf. */
  async load(box: Box, take: (leaf: LoadedLeaf) => void): Promise<void> {
    // Whenever this waits, a commit may put other leaves in the place of those that are not read yet.
    for (let leaves = this.#unloadedIn(box); leaves.length > 0; leaves = this.#unloadedIn(box)) {
      for (const leaf of leaves) if (this.#isMissing(leaf)) await this.#loadLeaf(leaf, take);
    }
  }

  /**
   * Goes over to the next generation. A leaf in it is loaded when all that lay there was; one that a commit has made
   * of loaded leaves and others gets the others read first, so that no leaf is loaded by half.
   */
  async follow(save: Save, take: (leaf: LoadedLeaf) => void): Promise<void> {
    const removed: LeafEntry[] = [];
    const added: LeafEntry[] = [];
    for await (const { before, after } of save.index.changesSince(this.#save.index)) {
      if (before !== undefined) removed.push(before);
      if (after !== undefined) added.push(after);
    }
    // While one is read, a part of another may be read by somebody else, so all are looked at again.
    for (let halves = this.#halves(added); halves.length > 0; halves = this.#halves(added)) {
      for (const leaf of halves) await this.load(leaf.cell, take);
    }
    // From here on nothing waits, so nobody sees the one generation's leaves with the other's save.
    const loaded = added.filter(({ cell }) => this.isLoaded(cell));
    for (const leaf of removed) this.#loaded.delete(leaf);
    for (const leaf of loaded) this.#loaded.add(leaf);
    this.#save = save;
  }

  /** A loader of its own with what is loaded now, for another handle on the same generation. */
  copy(save: Save): LeafLoader {
    return new LeafLoader(save, this.#loaded);
  }

  /**
   * The new leaves of which a part is in memory and another part is not. Only a leaf that keeps its cell may stay
   * unread: one with another cell may hold what was made in the gaps between leaves, and that is in memory.
   */
  #halves(added: readonly LeafEntry[]): readonly LeafEntry[] {
    return added.filter(({ cell }) => {
      const old = this.map.at(cell);
      return old === undefined && !this.isLoaded(cell);
    });
  }

  #unloadedIn(box: Box): readonly LeafEntry[] {
    if (boxVolume(box) > 1) return [...this.map.touching(box)].filter((leaf) => !this.#loaded.has(leaf));
    const leaf = this.map.find(box.min);
    return leaf === undefined || this.#loaded.has(leaf) ? [] : [leaf];
  }

  async #loadLeaf(leaf: LeafEntry, take: (leaf: LoadedLeaf) => void): Promise<void> {
    const loaded = await this.#read(leaf);
    // Somebody else may have taken the leaf meanwhile and changed what it held, or a commit may have replaced it.
    if (!this.#isMissing(leaf)) return;
    this.#loaded.add(leaf);
    take(loaded);
  }

  /** Whether the leaf is one of this generation and was not read. */
  #isMissing(leaf: LeafEntry): boolean {
    return !this.#loaded.has(leaf) && this.map.at(leaf.cell) === leaf;
  }

  #read(leaf: LeafEntry): Promise<LoadedLeaf> {
    const reading = this.#reading.get(leaf) ?? this.#readNow(leaf).finally(() => this.#reading.delete(leaf));
    this.#reading.set(leaf, reading);
    return reading;
  }

  async #readNow(leaf: LeafEntry): Promise<LoadedLeaf> {
    // Held on its own: the world may go over to the next generation and close this one before the end.
    const save = this.#save.follow();
    try {
      const blocks = await save.readBlocks(leaf);
      const entities = await save.readEntities(leaf);
      const overrides = blocks.reduce(
        (tree, { place, chunk }) => tree.set(place, chunk),
        OverrideTree.VIRGIN,
      );
      return { leaf, overrides, entities };
    } finally {
      await save.close();
    }
  }
}
