import {
  type Box,
  boxAt,
  CLOCK_NEVER,
  type ClockStep,
  intersectBoxes,
  type Place,
  PlaceSet,
  RegionClocks,
  regionBox,
  regionOf,
  roundOutToRegions,
  unionBox,
  type WorldField,
} from "@orthant/core";
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
import {
  type ChangedEntity,
  type EntityChange,
  type EntityEvent,
  EntityStore,
  type NewEntity,
} from "./entity-store.ts";
import { leafChanges } from "./leaf-changes.ts";
import { Listeners } from "./listeners.ts";
import { EntityLoader, type LeafStep, type LoadedEntities } from "./load/entity-loader.ts";
import { homesAfter } from "./load/homes-after.ts";
import { LoadedRegions } from "./load/loaded-regions.ts";
import { type LoadedRegion, RegionLoader } from "./load/region-loader.ts";
import { type PlayerChange, PlayerStore } from "./player-store.ts";
import { Unsaved } from "./unsaved.ts";
import type { WorldOptions } from "./world-options.ts";

/** How much of what may be in memory is left there when there was too much of it. */
const WEIGHT_LEFT = 0.9;
/** After so many regions were let go, so are the parts of the index that named them; who needs them reads them again. */
const REGIONS_BEFORE_UNLOAD = 4_096;

/** What an edit changed. */
interface FieldChange {
  readonly chunks: readonly Place[];
  readonly clocks: readonly ClockStep[];
}

/** What the options say about the content of a world. */
export type ContentLimits = Required<Pick<WorldOptions, "loadedChunksMax" | "entityHysteresisChunks">>;

/** All that a world holds: what is read of the save, what was made since, and in what the two differ. */
export class WorldContent {
  readonly entities: EntityStore;
  readonly entityListeners: Listeners<EntityEvent> = new Listeners();
  readonly players: PlayerStore;
  readonly ledger: EditLedger;
  readonly clocks: RegionClocks = new RegionClocks();
  global: GlobalState;
  field: WorldField;
  readonly #weightMax: number;
  readonly #loaded = new LoadedRegions();
  readonly #regionLoader: RegionLoader;
  readonly #entityLoader: EntityLoader;
  #unsaved = new Unsaved();
  /** What is being committed: it is in no generation that can be read yet. */
  #committing: Unsaved | undefined;
  #droppedRegions = 0;

  constructor(save: Save, field: WorldField, { loadedChunksMax, entityHysteresisChunks }: ContentLimits) {
    this.global = save.global;
    this.field = field;
    this.#weightMax = loadedChunksMax;
    this.entities = new EntityStore(field.shape, {
      recordBytesMax: save.manifest.limits.entityBlobHardMaxBytes,
      hysteresisChunks: entityHysteresisChunks,
    });
    this.players = new PlayerStore(save.players);
    this.ledger = new EditLedger(save.global.description.edits);
    this.#regionLoader = new RegionLoader(save, this.#loaded, (place) => this.field.generatedChunk(...place));
    this.#entityLoader = new EntityLoader(save);
  }

  /** The generation that was committed last. */
  get save(): Save {
    return this.#entityLoader.save;
  }

  /** What differs from that generation, or from the next one while it is being committed. */
  get unsaved(): Unsaved {
    return this.#unsaved;
  }

  /** Whether nothing that a box of chunks needs is still to be read. A box that is very large never is. */
  isLoaded(box: Box): boolean {
    return this.#regionLoader.isLoaded(box);
  }

  /** Reads what boxes of chunks need from the disk, and then does something with it before any of it is let go. */
  async whenLoaded<Result>(boxes: readonly Box[], use: () => Result | Promise<Result>): Promise<Result> {
    const releases = boxes.map((box) => this.#loaded.keep(box));
    try {
      for (const box of boxes) {
        if (this.#regionLoader.use(box)) continue;
        await this.loadEntities(roundOutToRegions(box));
        await this.#regionLoader.load(box, (region) => this.#takeRegion(region));
      }
      return await use();
    } finally {
      for (const release of releases) release();
      this.#dropCold();
    }
  }

  /**
   * A box around all that is not air in a box of chunks. It asks the index, but reads no records: of a leaf that is not
   * in memory all of its cell counts.
   */
  async contentBounds(box: Box): Promise<Box | undefined> {
    await this.#loadIndex(box);
    // Nothing waits from here on: memory and index are of one moment.
    let bounds = this.field.queryContentBounds(box);
    for (const { cell, blockRefs } of this.save.index.touching(box)) {
      const part = intersectBoxes(cell, box);
      if (part === undefined || blockRefs.length === 0 || this.isLoaded(part)) continue;
      bounds = bounds === undefined ? part : unionBox(bounds, part);
    }
    return bounds;
  }

  /** Reads what a box of chunks needs from the disk. */
  load(box: Box): Promise<void> {
    return this.whenLoaded([box], () => undefined);
  }

  /** Reads the entities that are stored where a box of chunks is. */
  loadEntities(box: Box): Promise<void> {
    return this.#entityLoader.load(box, (loaded) => this.#tellOf(this.#takeEntities(loaded)));
  }

  /** Keeps what a box of chunks has in memory, once it is there, until the function returned is called. */
  keep(box: Box): () => void {
    return this.#loaded.keep(box);
  }

  /** The clock of a region that is in memory; `undefined` for any other. */
  clockOf(region: Place): number | undefined {
    return this.#loaded.has(region) ? this.clocks.get(region) : undefined;
  }

  /** Puts another description in the place of the one that there is. */
  describe(description: WorldDescription): void {
    this.global = { ...this.global, description };
    this.#unsaved.global = true;
  }

  /** A loader of its own, with what is in memory now, for a save of the same generation that is held on its own. */
  loaderFor(save: Save): RegionLoader {
    return new RegionLoader(save, this.#loaded.copy(), (place) => this.field.generatedChunk(...place));
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

  /** Adds an entity with an id that was never used before. */
  spawnEntity(entity: NewEntity, nowMs: number): EntityRecord {
    const record = this.entities.spawn(this.global.nextEntityId, entity, nowMs);
    this.useEntityId(record.entityId);
    this.#unsaved.homeless = true;
    return record;
  }

  /** Changes an entity that is loaded. The next save has it when it left its leaf, else one that is due for it. */
  changeEntity(entityId: bigint, change: EntityChange, nowMs: number): ChangedEntity {
    const home = this.entities.homeOf(entityId);
    const changed = this.entities.change(entityId, change, nowMs);
    if (changed.crosses && home !== undefined) this.#unsaved.addEntityCell(home);
    this.#unsaved.homeless ||= changed.crosses;
    return changed;
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

  /** Whether all is in memory that has to be known before a commit can take what is unsaved. */
  get isReadyToCommit(): boolean {
    return (
      this.#unreadHomes().length === 0 && this.#unsavedBoxes().every((box) => this.save.index.isLoaded(box))
    );
  }

  /**
   * Reads it: the parts of the index that name the leaves, and entities that share a leaf with new ones, without which
   * that leaf cannot be written. More may be missing when this is done.
   */
  async makeReadyToCommit(): Promise<void> {
    for (const box of this.#unreadHomes()) {
      await this.#entityLoader.load(box, (loaded) => this.#takeForSave(loaded));
    }
    for (const box of this.#unsavedBoxes()) await this.save.index.load(box);
  }

  /**
   * What a commit has to write, as everything is at this moment; from now on, changes belong to the next one. Entities
   * that only moved are part of it when they have waited since `dueMs` or longer. `undefined` when nothing differs.
   */
  takeUnsaved(nowMs: number, dueMs: number): SaveChange | undefined {
    for (const cell of this.entities.changedSince(dueMs)) this.#unsaved.addEntityCell(cell);
    const change = this.unsavedChange(nowMs);
    if (change === undefined) return undefined;
    this.#committing = this.#unsaved;
    this.#unsaved = new Unsaved();
    for (const { cell, entities = [] } of change.leaves ?? [])
      for (const entity of entities) this.entities.markStored(entity, cell);
    return change;
  }

  /** The same, once all is read that it takes. */
  async loadedChange(nowMs: number): Promise<SaveChange | undefined> {
    while (!this.isReadyToCommit) await this.makeReadyToCommit();
    return this.unsavedChange(nowMs);
  }

  /** What a commit would have to write now, but for entities that only moved; `undefined` when nothing differs. */
  unsavedChange(nowMs: number): SaveChange | undefined {
    const unsaved = this.#unsaved;
    if (unsaved.isEmpty) return undefined;
    const leaves = leafChanges(unsaved, this.save.index, this.field.overrides, this.entities).map(
      (change) => {
        const entities = change.entities?.map((entity) => ({ ...entity, lastSavedMs: nowMs }));
        return entities === undefined ? change : { ...change, entities };
      },
    );
    const players = Array.from(unsaved.players, (id) => this.players.get(id)).filter(
      (player) => player !== undefined,
    );
    return { nowMs, leaves, players, ...(unsaved.global && { global: this.globalNow() }) };
  }

  /** What is said about the world as a whole, with all edits that are remembered. */
  globalNow(): GlobalState {
    const { description } = this.global;
    return { ...this.global, description: { ...description, edits: this.ledger.entries() } };
  }

  /** Goes over to the generation that was committed, which has these leaves in the place of others. */
  async follow(save: Save, step: LeafStep): Promise<void> {
    const before = this.save;
    try {
      await this.#entityLoader.follow(save, step, (loaded) => this.#takeForSave(loaded));
    } catch (error) {
      await save.close();
      throw error;
    }
    this.#regionLoader.follow(save);
    this.#committing = undefined;
    for (const cell of this.entities.rehome(homesAfter(step))) {
      this.#unsaved.addEntityCell(cell);
      this.#unsaved.homeless = true;
    }
    this.#dropCold();
    await before.close();
  }

  /** Lets go of regions that were not used for long, when there are too many in memory. */
  #dropCold(): void {
    if (this.#loaded.weight <= this.#weightMax) return;
    const isUnsaved = (region: Place): boolean =>
      this.#unsaved.clocks.has(...region) || this.#committing?.clocks.has(...region) === true;
    let { overrides } = this.field;
    for (const region of this.#loaded.takeCold(this.#weightMax * WEIGHT_LEFT, isUnsaved)) {
      overrides = overrides.carve(regionBox(region));
      this.clocks.reset(region, CLOCK_NEVER);
      this.#droppedRegions++;
    }
    this.field = this.field.withOverrides(overrides);
    if (this.#droppedRegions < REGIONS_BEFORE_UNLOAD || this.#committing !== undefined) return;
    this.#droppedRegions = 0;
    this.save.index.unload(() => false);
  }

  /** Reads the parts of the index that name the leaves in a box. A commit meanwhile leads to another index. */
  async #loadIndex(box: Box): Promise<void> {
    while (!this.save.index.isLoaded(box)) {
      const save = this.save.follow();
      try {
        await save.index.load(box);
      } finally {
        await save.close();
      }
    }
  }

  #unreadHomes(): readonly Box[] {
    return this.entities
      .homeless()
      .map((entity) => boxAt(chunkOfEntity(entity, this.field.shape)))
      .filter((box) => !this.#entityLoader.isLoaded(box));
  }

  /** Where leaves will be written: whole regions, of which there are far fewer than chunks. */
  #unsavedBoxes(): readonly Box[] {
    const { chunks, clocks, entityCells } = this.#unsaved;
    const regions = new PlaceSet();
    for (const chunk of chunks) regions.add(...regionOf(chunk));
    for (const region of clocks.places()) regions.add(...region);
    return [
      ...Array.from(regions, regionBox),
      ...entityCells,
      ...this.entities.homeless().map((entity) => boxAt(chunkOfEntity(entity, this.field.shape))),
    ];
  }

  #takeForSave(loaded: LoadedEntities): void {
    const added = this.#takeEntities(loaded);
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
  #takeEntities({ cell, entities }: LoadedEntities): readonly EntityRecord[] {
    return this.entities.load(cell, entities);
  }

  #takeRegion({ region, overrides, clock }: LoadedRegion): void {
    // What is in memory counts before what a save brings: it comes from a flat save's global file.
    this.field = this.field.withOverrides(overrides.merge(this.field.overrides));
    this.clocks.reset(region, clock);
  }
}
