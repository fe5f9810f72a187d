import { type Box, boxAt, type ClockStep, type Place, RegionClocks, type WorldField } from "@orthant/core";
import {
  chunkOfEntity,
  type EntityRecord,
  type GlobalState,
  type PlayerRecord,
  type Save,
  type SaveChange,
  type WorldDescription,
} from "@orthant/formats";
import { EditLedger, type EditOrigin } from "./edit-ledger.ts";
import { type EntityEvent, EntityStore } from "./entity-store.ts";
import { homeAfter, leafChanges } from "./leaf-changes.ts";
import { LeafLoader, type LoadedLeaf } from "./leaf-loader.ts";
import { Listeners } from "./listeners.ts";
import { type PlayerChange, PlayerStore } from "./player-store.ts";
import { Unsaved } from "./unsaved.ts";

/** What an edit changed. */
interface FieldChange {
  readonly chunks: readonly Place[];
  readonly clocks: readonly ClockStep[];
}

/** All that a world holds: what is read of the save, what was made since, and in what the two differ. */
export class WorldContent {
  readonly entities: EntityStore;
  readonly entityListeners: Listeners<EntityEvent> = new Listeners();
  readonly players: PlayerStore;
  readonly ledger: EditLedger;
  readonly clocks: RegionClocks = new RegionClocks();
  global: GlobalState;
  field: WorldField;
  readonly #loader: LeafLoader;
  #unsaved = new Unsaved();

  constructor(save: Save, field: WorldField) {
    this.global = save.global;
    this.field = field;
    this.entities = new EntityStore(field.shape, save.manifest.limits.entityBlobHardMaxBytes);
    this.players = new PlayerStore(save.players);
    this.ledger = new EditLedger(save.global.description.edits);
    this.#loader = new LeafLoader(save);
    for (const { clocks } of save.leaves)
      for (const { region, clock } of clocks) this.clocks.reset(region, clock);
  }

  /** The generation that was committed last. */
  get save(): Save {
    return this.#loader.save;
  }

  /** What differs from that generation, or from the next one while it is being committed. */
  get unsaved(): Unsaved {
    return this.#unsaved;
  }

  /** Whether nothing that a box of chunks needs is still to be read. */
  isLoaded(box: Box): boolean {
    return this.#loader.isLoaded(box);
  }

  /** Reads what a box of chunks needs from the disk. */
  load(box: Box): Promise<void> {
    return this.#loader.load(box, (leaf) => this.#tellOf(this.#take(leaf)));
  }

  /** Puts another description in the place of the one that there is. */
  describe(description: WorldDescription): void {
    this.global = { ...this.global, description };
    this.#unsaved.global = true;
  }

  /** A loader for a save of the same generation that is held on its own. */
  loaderFor(save: Save): LeafLoader {
    return this.#loader.copy(save);
  }

  /** Takes over what an edit made of the field. */
  noteEdit(field: WorldField, { chunks, clocks }: FieldChange): void {
    this.field = field;
    for (const place of chunks) this.#unsaved.addChunk(place);
    for (const { region, after } of clocks) this.#unsaved.clocks.set(...region, after);
  }

  /** Gives a region the clock that it had when an edit was made before. */
  issueClock(region: Place, clock: number): void {
    this.clocks.reset(region, clock);
    this.#unsaved.clocks.set(...region, clock);
  }

  /** Remembers that an edit was made. */
  noteOrigin(origin: EditOrigin): void {
    this.ledger.note(origin);
    this.#unsaved.global = true;
  }

  /** Adds or changes a player. */
  upsertPlayer(player: PlayerChange, nowMs: number): PlayerRecord {
    const stored = this.players.upsert(player, this.global.description.spawn, nowMs);
    this.#unsaved.players.add(player.playerId);
    return stored;
  }

  /** Puts an entity as it was written down. The next save has it, however little it moved. */
  restoreEntity(entity: EntityRecord, nowMs: number): void {
    const home = this.entities.homeOf(entity.entityId);
    const { crosses } = this.entities.restore(entity, nowMs);
    if (home !== undefined) this.#unsaved.addEntityCell(home);
    this.#unsaved.homeless ||= crosses;
    this.useEntityId(entity.entityId);
  }

  /** Removes an entity that is loaded. */
  despawnEntity(entityId: bigint): void {
    const home = this.entities.homeOf(entityId);
    this.entities.despawn(entityId);
    if (home !== undefined) this.#unsaved.addEntityCell(home);
  }

  /** No entity gets this id from now on. */
  useEntityId(entityId: bigint): void {
    if (entityId < this.global.nextEntityId) return;
    this.global = { ...this.global, nextEntityId: entityId + 1n };
    this.#unsaved.global = true;
  }

  /** Whether there are new entities in leaves that are not read: without the rest, a leaf cannot be written. */
  get hasUnreadHomes(): boolean {
    return this.#unreadHomes().length > 0;
  }

  /** Reads these leaves. Entities may come to others while this waits. */
  async loadHomes(): Promise<void> {
    for (const box of this.#unreadHomes()) {
      await this.#loader.load(box, (leaf) => this.#takeForSave(leaf));
    }
  }

  /**
   * What a commit has to write, as everything is at this moment; from now on, changes belong to the next one. Entities
   * that only moved are part of it when they have waited since `dueMs` or longer. `undefined` when nothing differs.
   */
  takeUnsaved(nowMs: number, dueMs: number): SaveChange | undefined {
    for (const cell of this.entities.changedSince(dueMs)) this.#unsaved.addEntityCell(cell);
    const change = this.unsavedChange(nowMs);
    if (change === undefined) return undefined;
    this.#unsaved = new Unsaved();
    for (const { cell, entities = [] } of change.leaves ?? [])
      for (const entity of entities) this.entities.markStored(entity, cell);
    return change;
  }

  /** The same, once all leaves are read that it takes. */
  async loadedChange(nowMs: number): Promise<SaveChange | undefined> {
    while (this.hasUnreadHomes) await this.loadHomes();
    return this.unsavedChange(nowMs);
  }

  /** What a commit would have to write now, but for entities that only moved; `undefined` when nothing differs. */
  unsavedChange(nowMs: number): SaveChange | undefined {
    const unsaved = this.#unsaved;
    if (unsaved.isEmpty) return undefined;
    const leaves = leafChanges(unsaved, this.#loader.map, this.field.overrides, this.entities).map(
      (change) => {
        const entities = change.entities?.map((entity) => ({ ...entity, lastSavedMs: nowMs }));
        return entities === undefined ? change : { ...change, entities };
      },
    );
    const players = Array.from(unsaved.players, (id) => this.players.get(id)).filter(
      (player) => player !== undefined,
    );
    return { nowMs, leaves, players, ...(unsaved.global && { global: this.#globalNow() }) };
  }

  /** Goes over to the generation that was committed. */
  async follow(save: Save): Promise<void> {
    const before = this.save;
    try {
      await this.#loader.follow(save, (leaf) => this.#takeForSave(leaf));
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

  #unreadHomes(): readonly Box[] {
    return this.entities
      .homeless()
      .map((entity) => boxAt(chunkOfEntity(entity, this.field.shape)))
      .filter((box) => !this.#loader.isLoaded(box));
  }

  #globalNow(): GlobalState {
    const { description } = this.global;
    return { ...this.global, description: { ...description, edits: this.ledger.entries() } };
  }

  #takeForSave(leaf: LoadedLeaf): void {
    const added = this.#take(leaf);
    try {
      this.#tellOf(added);
    } catch {
      // What a listener throws is no reason to call a save failed.
    }
  }

  #tellOf(added: readonly EntityRecord[]): void {
    this.entityListeners.tellAll(added.map((entity) => ({ kind: "present", entity })));
  }

  /** Takes in what was read, and gives the entities that are new here. */
  #take({ leaf, overrides, entities }: LoadedLeaf): readonly EntityRecord[] {
    // What is in memory counts before what a leaf brings: it is newer, or comes from a flat save's global file.
    this.field = this.field.withOverrides(overrides.merge(this.field.overrides));
    return this.entities.load(leaf.cell, entities);
  }
}
