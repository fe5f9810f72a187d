import { type Box, boxAt, type WorldField } from "@orthant/core";
import { chunkOfEntity, type GlobalState, type Save, type SaveChange } from "@orthant/formats";
import { EntityStore } from "./entity-store.ts";
import { homeAfter, leafChanges } from "./leaf-changes.ts";
import { LeafLoader, type LoadedLeaf } from "./leaf-loader.ts";
import { PlayerStore } from "./player-store.ts";
import { Unsaved } from "./unsaved.ts";

/** All that a world holds: what is read of the save, what was made since, and in what the two differ. */
export class WorldContent {
  readonly entities: EntityStore;
  readonly players: PlayerStore;
  global: GlobalState;
  field: WorldField;
  readonly #loader: LeafLoader;
  #unsaved = new Unsaved();

  constructor(save: Save, field: WorldField) {
    this.global = save.global;
    this.field = field;
    this.entities = new EntityStore(field.shape, save.manifest.limits.entityBlobHardMaxBytes);
    this.players = new PlayerStore(save.players);
    this.#loader = new LeafLoader(save);
  }

  /** The generation that was committed last. */
  get save(): Save {
    return this.#loader.save;
  }

  /** What differs from that generation, or from the next one while it is being committed. */
  get unsaved(): Unsaved {
    return this.#unsaved;
  }

  /** Reads what a box of chunks needs from the disk. */
  load(box: Box): Promise<void> {
    return this.#loader.load(box, (leaf) => this.#take(leaf));
  }

  /** A loader for a save of the same generation that is held on its own. */
  loaderFor(save: Save): LeafLoader {
    return this.#loader.copy(save);
  }

  /** The chunks that new entities are in and whose leaves are not read: without the rest, a leaf cannot be written. */
  unreadHomes(): readonly Box[] {
    return this.entities
      .homeless()
      .map((entity) => boxAt(chunkOfEntity(entity, this.field.shape)))
      .filter((box) => !this.#loader.isLoaded(box));
  }

  /**
   * What a commit has to write, as everything is at this moment; from now on, changes belong to the next one. Entities
   * that only moved are part of it when they have waited since `dueMs` or longer. `undefined` when nothing differs.
   */
  takeUnsaved(nowMs: number, dueMs: number): SaveChange | undefined {
    const unsaved = this.#unsaved;
    for (const cell of this.entities.changedSince(dueMs)) unsaved.addEntityCell(cell);
    if (unsaved.isEmpty) return undefined;
    this.#unsaved = new Unsaved();
    const leaves = leafChanges(unsaved, this.#loader.map, this.field.overrides, this.entities).map(
      (change) => {
        const entities = change.entities?.map((entity) => ({ ...entity, lastSavedMs: nowMs }));
        for (const entity of entities ?? []) this.entities.markStored(entity, change.cell);
        return entities === undefined ? change : { ...change, entities };
      },
    );
    const players = Array.from(unsaved.players, (id) => this.players.get(id)).filter(
      (player) => player !== undefined,
    );
    return { nowMs, leaves, players, ...(unsaved.global && { global: this.global }) };
  }

  /** Goes over to the generation that was committed. */
  async follow(save: Save): Promise<void> {
    const before = this.save;
    try {
      await this.#loader.follow(save, (leaf) => this.#take(leaf));
    } catch (error) {
      await save.close();
      throw error;
    }
    const { map } = this.#loader;
    for (const cell of this.entities.rehome((home, storedAt) => homeAfter(map, home, storedAt))) {
      this.#unsaved.addEntityCell(cell);
      this.#unsaved.homeless = true;
    }
    await before.close();
  }

  #take({ leaf, overrides, entities }: LoadedLeaf): void {
    // What is in memory counts before what a leaf brings: it is newer, or comes from a flat save's global file.
    this.field = this.field.withOverrides(overrides.merge(this.field.overrides));
    this.entities.load(leaf.cell, entities);
  }
}
