import { type Box, clampInto, type Position } from "@orthant/core";
import { type LeafEntry, LeafMap, type Save, type StoredEntity } from "@orthant/save";
import { cellKey, leavesTouching } from "../regions/region-loader.ts";

/** The entities stored in a leaf. */
export interface LoadedEntities {
  readonly cell: Box;
  readonly entities: readonly StoredEntity[];
}

/** The leaves that a commit added and removed. */
export interface LeafStep {
  readonly added: readonly LeafEntry[];
  readonly removed: readonly LeafEntry[];
}

/** Receives the entities of a leaf that was read. */
export type TakeEntities = (loaded: LoadedEntities) => void;

/** Reads the entities of leaves on demand, each leaf once, and keeps them in memory. */
export class EntityLoader {
  /** Cells of leaves whose entities have been read. */
  readonly #read = new Set<string>();
  readonly #reading = new Map<LeafEntry, Promise<LoadedEntities>>();
  #save: Save;

  constructor(save: Save) {
    this.#save = save;
  }

  /** The generation being read from. */
  get save(): Save {
    return this.#save;
  }

  /** Whether the entities of all leaves that touch a box of chunks are in memory. */
  isLoaded(box: Box): boolean {
    const { index } = this.#save;
    return index.isLoaded(box) && [...index.touching(box)].every((leaf) => !this.#isMissing(leaf));
  }

  /** Reads the entities of all leaves that touch a box of chunks and have not been read. */
  async load(box: Box, take: TakeEntities): Promise<void> {
    // During every await, a commit may replace leaves that have not been read yet.
    for (let leaves = await this.#missingIn(box); leaves.length > 0; leaves = await this.#missingIn(box)) {
      for (const leaf of leaves) await this.#loadLeaf(leaf, take);
    }
  }

  /**
   * Switches to the next generation. A new leaf counts as read when everything in its cell had been read. If
   * only part of it had been, the rest is read first, so that no leaf is half read.
   */
  async follow(save: Save, { added, removed }: LeafStep, take: TakeEntities): Promise<void> {
    // While one is being read, another reader may read a part of another, so check all of them again.
    for (let halves = this.#halves(added); halves.length > 0; halves = this.#halves(added)) {
      for (const { cell } of halves) await this.load(cell, take);
    }
    // Nothing awaits from here on, so no caller sees the leaves of one generation with the save of the other.
    const read = added.filter(({ entityRefs, cell }) => entityRefs.length > 0 && this.isLoaded(cell));
    for (const { cell } of removed) this.#read.delete(cellKey(cell));
    for (const { cell } of read) this.#read.add(cellKey(cell));
    this.#save = save;
  }

  /**
   * Returns the new leaves with entities that are partly in memory. Only a leaf that keeps its cell may stay
   * unread: one with a new cell may contain entities that were spawned between leaves, and those are in
   * memory.
   */
  #halves(added: readonly LeafEntry[]): readonly LeafEntry[] {
    return added.filter(({ cell, entityRefs }) => {
      if (entityRefs.length === 0 || this.isLoaded(cell)) return false;
      return !this.#save.index.isLoaded(cell) || this.#save.index.at(cell) === undefined;
    });
  }

  async #missingIn(box: Box): Promise<readonly LeafEntry[]> {
    return (await leavesTouching(this.#save.index, box)).filter((leaf) => this.#isMissing(leaf));
  }

  #isMissing({ cell, entityRefs }: LeafEntry): boolean {
    return entityRefs.length > 0 && !this.#read.has(cellKey(cell));
  }

  async #loadLeaf(leaf: LeafEntry, take: TakeEntities): Promise<void> {
    const { index } = this.#save;
    const loaded = await this.#share(leaf);
    // Another reader may have loaded the leaf and changed its entities meanwhile, or a commit may have
    // replaced it.
    if (this.#save.index !== index || !this.#isMissing(leaf)) return;
    this.#read.add(cellKey(leaf.cell));
    take(loaded);
  }

  #share(leaf: LeafEntry): Promise<LoadedEntities> {
    const reading = this.#reading.get(leaf) ?? this.#readNow(leaf).finally(() => this.#reading.delete(leaf));
    this.#reading.set(leaf, reading);
    return reading;
  }

  async #readNow(leaf: LeafEntry): Promise<LoadedEntities> {
    // Hold the save separately: the world may switch to the next generation and close this one before we
    // finish.
    const save = this.#save.follow();
    try {
      return { cell: leaf.cell, entities: await save.readEntities(leaf) };
    } finally {
      await save.close();
    }
  }
}

/**
 * Returns a function that maps an entity's cell before a commit to its cell after it. They differ only when
 * the commit split or merged the leaf.
 */
export function homesAfter({ added }: Pick<LeafStep, "added">): (home: Box, storedAt: Position) => Box {
  const map = new LeafMap(added);
  // Leaves do not overlap, so a new leaf at the entity's stored position is the one that stores it now.
  return (home, storedAt) => map.find(clampInto(home, storedAt))?.cell ?? home;
}
