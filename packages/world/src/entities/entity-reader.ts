import type { Box, Position } from "@orthant/core";
import { clampInto, getOrAdd } from "@orthant/core/lattice";
import type { ListenerSet } from "@orthant/core/world";
import type { CommittedChange, LeafEntry, Save, StoredEntity } from "@orthant/save";
import { LeafMap } from "@orthant/save/content";
import { cubeKey, loadLeavesTouching } from "../regions/region-reader.ts";
import type { LoadedEntities, StoredEntityEvent } from "./loaded-entities.ts";

/** Receives the entities that a leaf added to those in memory. */
type OnAdded = (added: readonly StoredEntity[]) => void;

/** Loads the entities of leaves on demand, each leaf once. */
export class EntityReader {
  /** Cubes of leaves whose entities have been read. */
  readonly #read = new Set<string>();
  readonly #reading = new Map<LeafEntry, Promise<readonly StoredEntity[]>>();
  readonly #loaded: LoadedEntities;
  readonly #listeners: ListenerSet<[StoredEntityEvent]>;
  #save: Save;

  constructor(save: Save, loaded: LoadedEntities, listeners: ListenerSet<[StoredEntityEvent]>) {
    this.#save = save;
    this.#loaded = loaded;
    this.#listeners = listeners;
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

  /**
   * Reads the entities of all leaves that touch a box of chunks and have not been read. Throws the error of a
   * listener.
   */
  load(box: Box): Promise<void> {
    return this.#load(box, (added) => this.#emit(added));
  }

  /** Like {@link load}, but an error in a listener does not fail the save that needs the entities. */
  loadForSave(box: Box): Promise<void> {
    return this.#load(box, (added) => {
      try {
        this.#emit(added);
      } catch {
        // The entities are in memory.
      }
    });
  }

  /**
   * Switches to the next generation. A new leaf counts as read when everything in its cube had been read. If
   * only part of it had been, the rest is read first, so that no leaf is half read.
   */
  async switchTo(save: Save, { added, removed }: CommittedChange): Promise<void> {
    // While one is being read, another reader may read a part of another, so check all of them again.
    for (let halves = this.#halves(added); halves.length > 0; halves = this.#halves(added)) {
      for (const { cube } of halves) await this.loadForSave(cube);
    }
    // Nothing awaits from here on, so no caller sees the leaves of one generation with the save of the other.
    const read = added.filter(({ entityRefs, cube }) => entityRefs.length > 0 && this.isLoaded(cube));
    for (const { cube } of removed) this.#read.delete(cubeKey(cube));
    for (const { cube } of read) this.#read.add(cubeKey(cube));
    this.#save = save;
  }

  /**
   * Returns the new leaves with entities that are partly in memory. Only a leaf that keeps its cube may stay
   * unread: one with a new cube may contain entities that were spawned between leaves, and those are in
   * memory.
   */
  #halves(added: readonly LeafEntry[]): readonly LeafEntry[] {
    return added.filter(({ cube, entityRefs }) => {
      if (entityRefs.length === 0 || this.isLoaded(cube)) return false;
      return !this.#save.index.isLoaded(cube) || this.#save.index.at(cube) === undefined;
    });
  }

  async #missingIn(box: Box): Promise<readonly LeafEntry[]> {
    return (await loadLeavesTouching(this.#save.index, box)).filter((leaf) => this.#isMissing(leaf));
  }

  #isMissing({ cube, entityRefs }: LeafEntry): boolean {
    return entityRefs.length > 0 && !this.#read.has(cubeKey(cube));
  }

  async #load(box: Box, onAdded: OnAdded): Promise<void> {
    // During every await, a commit may replace leaves that have not been read yet.
    for (let leaves = await this.#missingIn(box); leaves.length > 0; leaves = await this.#missingIn(box)) {
      for (const leaf of leaves) await this.#loadLeaf(leaf, onAdded);
    }
  }

  async #loadLeaf(leaf: LeafEntry, onAdded: OnAdded): Promise<void> {
    const { index } = this.#save;
    const entities = await this.#share(leaf);
    // Another reader may have loaded the leaf and changed its entities meanwhile, or a commit may have
    // replaced it.
    if (this.#save.index !== index || !this.#isMissing(leaf)) return;
    this.#read.add(cubeKey(leaf.cube));
    onAdded(this.#loaded.load(leaf.cube, entities));
  }

  #emit(added: readonly StoredEntity[]): void {
    this.#listeners.emitAll(added.map((entity) => [{ kind: "present", entity }]));
  }

  #share(leaf: LeafEntry): Promise<readonly StoredEntity[]> {
    return getOrAdd(this.#reading, leaf, () => this.#readNow(leaf).finally(() => this.#reading.delete(leaf)));
  }

  async #readNow(leaf: LeafEntry): Promise<readonly StoredEntity[]> {
    // Hold the save separately: the world may switch to the next generation and close this one before we
    // finish.
    const save = this.#save.share();
    try {
      return await save.readEntities(leaf);
    } finally {
      await save.close();
    }
  }
}

/**
 * Returns a function that maps an entity's cube before a commit to its cube after it. They differ only when
 * the commit split or merged the leaf.
 */
export function cubesAfter({
  added,
}: Pick<CommittedChange, "added">): (cube: Box, storedAt: Position) => Box {
  const map = new LeafMap(added);
  // Leaves do not overlap, so a new leaf at the entity's stored position is the one that stores it now.
  return (cube, storedAt) => map.find(clampInto(cube, storedAt))?.cube ?? cube;
}
