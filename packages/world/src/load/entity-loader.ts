import type { Box } from "@orthant/core";
import type { EntityRecord, LeafEntry, Save } from "@orthant/formats";
import { cellKey } from "../cell-key.ts";
import { leavesTouching } from "./region-loader.ts";

/** The entities that a leaf holds. */
export interface LoadedEntities {
  readonly cell: Box;
  readonly entities: readonly EntityRecord[];
}

/** Which leaves a commit put in the place of which. */
export interface LeafStep {
  readonly added: readonly LeafEntry[];
  readonly removed: readonly LeafEntry[];
}

/** Takes over what was read of a leaf. */
export type TakeEntities = (loaded: LoadedEntities) => void;

/** Reads the entities of leaves when they are needed, each leaf once; they stay in memory. */
export class EntityLoader {
  /** The cells of leaves with entities that were read. */
  readonly #read = new Set<string>();
  readonly #reading = new Map<LeafEntry, Promise<LoadedEntities>>();
  #save: Save;

  constructor(save: Save) {
    this.#save = save;
  }

  /** The generation that is read from. */
  get save(): Save {
    return this.#save;
  }

  /** Whether the entities of all leaves that a box of chunks touches are in memory. */
  isLoaded(box: Box): boolean {
    const { index } = this.#save;
    return index.isLoaded(box) && [...index.touching(box)].every((leaf) => !this.#isMissing(leaf));
  }

  /** Reads the entities of leaves that a box of chunks touches and that were not read before. */
  async load(box: Box, take: TakeEntities): Promise<void> {
    // Whenever this waits, a commit may put other leaves in the place of those that are not read yet.
    for (let leaves = await this.#missingIn(box); leaves.length > 0; leaves = await this.#missingIn(box)) {
      for (const leaf of leaves) await this.#loadLeaf(leaf, take);
    }
  }

  /**
   * Goes over to the next generation. A leaf in it is read when all that lay there was; one that a commit has made of
   * leaves that were read and others gets the others read first, so that no leaf is read by half.
   */
  async follow(save: Save, { added, removed }: LeafStep, take: TakeEntities): Promise<void> {
    // While one is read, a part of another may be read by somebody else, so all are looked at again.
    for (let halves = this.#halves(added); halves.length > 0; halves = this.#halves(added)) {
      for (const { cell } of halves) await this.load(cell, take);
    }
    // From here on nothing waits, so nobody sees the one generation's leaves with the other's save.
    const read = added.filter(({ entityRefs, cell }) => entityRefs.length > 0 && this.isLoaded(cell));
    for (const { cell } of removed) this.#read.delete(cellKey(cell));
    for (const { cell } of read) this.#read.add(cellKey(cell));
    this.#save = save;
  }

  /**
   * The new leaves with entities of which a part is in memory and another part is not. Only a leaf that keeps its cell
   * may stay unread: one with another cell may hold what came to the gaps between leaves, and that is in memory.
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
    // Somebody else may have taken the leaf meanwhile and changed what it held, or a commit may have replaced it.
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
    // Held on its own: the world may go over to the next generation and close this one before the end.
    const save = this.#save.follow();
    try {
      return { cell: leaf.cell, entities: await save.readEntities(leaf) };
    } finally {
      await save.close();
    }
  }
}
