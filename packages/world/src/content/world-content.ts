import {
  type Box,
  boxAt,
  CLOCK_NEVER,
  type ClockStep,
  intersectBoxes,
  OverrideTree,
  type Position,
  PositionSet,
  RegionClocks,
  regionBox,
  regionOf,
  roundOutToRegions,
  unionBox,
  type WorldField,
} from "@orthant/core";
import {
  chunkOfEntity,
  type GlobalState,
  type Save,
  type SaveChange,
  type StoredEntity,
  type StoredPlayer,
  type WorldDescription,
} from "@orthant/save";
import { type EditOrigin, LastEditStore } from "../edit/last-edit-store.ts";
import { EntityLoader, homesAfter, type LeafStep, type LoadedEntities } from "../entities/entity-loader.ts";
import {
  type ChangedEntity,
  type EntityChange,
  type EntityEvent,
  EntityStore,
  type NewEntity,
} from "../entities/entity-store.ts";
import { type PlayerChange, PlayerStore } from "../entities/player-store.ts";
import { Listeners } from "../listeners.ts";
import { LoadedRegions } from "../regions/loaded-regions.ts";
import { type LoadedRegion, RegionLoader } from "../regions/region-loader.ts";
import type { WorldOptions } from "../world-options.ts";
import { leafChanges, Unsaved } from "./unsaved-changes.ts";

/** Fraction of the memory limit that remains in use after eviction. */
const WEIGHT_LEFT = 0.9;
/** Number of evicted regions after which the index is unloaded too; its parts are read again on demand. */
const REGIONS_BEFORE_UNLOAD = 4_096;

/** What an edit changed. */
interface FieldChange {
  readonly chunks: readonly Position[];
  readonly clocks: readonly ClockStep[];
}

/** The options that concern the content of a world. */
export type ContentLimits = Required<Pick<WorldOptions, "loadedChunksMax" | "entityHysteresisChunks">>;

/** The contents of a world: what was read from the save, what changed since, and how the two differ. */
export class WorldContent {
  readonly entities: EntityStore;
  readonly entityListeners: Listeners<EntityEvent> = new Listeners();
  readonly players: PlayerStore;
  readonly lastEdits: LastEditStore;
  readonly clocks: RegionClocks = new RegionClocks();
  global: GlobalState;
  field: WorldField;
  readonly #weightMax: number;
  readonly #loaded = new LoadedRegions();
  readonly #regionLoader: RegionLoader;
  readonly #entityLoader: EntityLoader;
  #unsaved = new Unsaved();
  /** Changes being committed, which no readable generation includes yet. */
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
    this.lastEdits = new LastEditStore(save.global.description.edits);
    this.#regionLoader = new RegionLoader(save, this.#loaded, (position) =>
      this.field.generatedChunk(...position),
    );
    this.#entityLoader = new EntityLoader(save);
  }

  /** The last committed generation. */
  get save(): Save {
    return this.#entityLoader.save;
  }

  /** The differences from that generation, or from the next one while it is being committed. */
  get unsaved(): Unsaved {
    return this.#unsaved;
  }

  /** Whether everything in a box of chunks has been read. Always false for a very large box. */
  isLoaded(box: Box): boolean {
    return this.#regionLoader.isLoaded(box);
  }

  /** Reads boxes of chunks from the disk, then calls `use` before any of them can be evicted. */
  async whenLoaded<Result>(boxes: readonly Box[], use: () => Result | Promise<Result>): Promise<Result> {
    const releases = boxes.map((box) => this.#loaded.keep(box));
    try {
      const take = (region: LoadedRegion): void => this.#takeRegion(region);
      for (const box of boxes) {
        if (this.#regionLoader.use(box, take)) continue;
        await this.loadEntities(roundOutToRegions(box));
        await this.#regionLoader.load(box, take);
      }
      return await use();
    } finally {
      for (const release of releases) release();
      this.#dropCold();
    }
  }

  /**
   * Returns a box around everything in a box of chunks that is not air. Reads the index but no records: a
   * leaf that is not in memory counts with its whole cell.
   */
  async contentBounds(box: Box): Promise<Box | undefined> {
    await this.#loadIndex(box);
    // Nothing awaits from here on, so memory and index are consistent.
    let bounds = this.field.queryContentBounds(box);
    for (const { cell, blockRefs } of this.save.index.touching(box)) {
      const part = intersectBoxes(cell, box);
      if (part === undefined || blockRefs.length === 0 || this.isLoaded(part)) continue;
      bounds = bounds === undefined ? part : unionBox(bounds, part);
    }
    return bounds;
  }

  /** Reads a box of chunks from the disk. */
  load(box: Box): Promise<void> {
    return this.whenLoaded([box], () => undefined);
  }

  /** Reads the entities stored in a box of chunks. */
  loadEntities(box: Box): Promise<void> {
    return this.#entityLoader.load(box, (loaded) => this.#tellOf(this.#takeEntities(loaded)));
  }

  /** Keeps a box of chunks in memory once it is loaded. Returns a function that releases it. */
  keep(box: Box): () => void {
    return this.#loaded.keep(box);
  }

  /** Returns the clock of a region in memory; `undefined` for any other. */
  clockOf(region: Position): number | undefined {
    return this.#loaded.has(region) ? this.clocks.get(region) : undefined;
  }

  /** Replaces the description of the world. */
  describe(description: WorldDescription): void {
    this.global = { ...this.global, description };
    this.#unsaved.global = true;
  }

  /**
   * Returns an independent loader that starts with what is in memory now. `save` must be a separately held
   * handle on the current generation.
   */
  loaderFor(save: Save): RegionLoader {
    return new RegionLoader(save, this.#loaded.copy(), (position) => this.field.generatedChunk(...position));
  }

  /** Records an edit and its resulting field. */
  noteEdit(field: WorldField, { chunks, clocks }: FieldChange): void {
    this.field = field;
    for (const position of chunks) this.#unsaved.addChunk(position);
    for (const { region, after } of clocks) this.#unsaved.clocks.set(...region, after);
  }

  /** Sets the clock of a region to the one it got when a replayed edit was first made. */
  issueClock(region: Position, clock: number): void {
    this.clocks.reset(region, clock);
    this.#unsaved.clocks.set(...region, clock);
  }

  /** Records that an edit was made. */
  noteOrigin(origin: EditOrigin): void {
    this.lastEdits.add(origin);
    this.#unsaved.global = true;
  }

  /** Adds or changes a player. */
  upsertPlayer(player: PlayerChange, nowMs: number): StoredPlayer {
    const stored = this.players.upsert(player, this.global.description.spawn, nowMs);
    this.#unsaved.players.add(player.playerId);
    return stored;
  }

  /** Adds an entity with a new, never used id. */
  spawnEntity(entity: NewEntity, nowMs: number): StoredEntity {
    const record = this.entities.spawn(this.global.nextEntityId, entity, nowMs);
    this.useEntityId(record.entityId);
    this.#unsaved.homeless = true;
    return record;
  }

  /** Changes a loaded entity. The next save includes it if it left its leaf, otherwise one that is due. */
  changeEntity(entityId: bigint, change: EntityChange, nowMs: number): ChangedEntity {
    const home = this.entities.homeOf(entityId);
    const changed = this.entities.change(entityId, change, nowMs);
    if (changed.crosses && home !== undefined) this.#unsaved.addEntityCell(home);
    this.#unsaved.homeless ||= changed.crosses;
    return changed;
  }

  /** Restores an entity from a log. The next save includes it even if it barely moved. */
  restoreEntity(entity: StoredEntity, nowMs: number): void {
    const home = this.entities.homeOf(entity.entityId);
    const { crosses } = this.entities.restore(entity, nowMs);
    if (home !== undefined) this.#unsaved.addEntityCell(home);
    this.#unsaved.homeless ||= crosses;
    this.useEntityId(entity.entityId);
  }

  /** Removes a loaded entity. */
  despawnEntity(entityId: bigint): void {
    const home = this.entities.homeOf(entityId);
    this.entities.despawn(entityId);
    if (home !== undefined) this.#unsaved.addEntityCell(home);
  }

  /** Marks an entity id as used. */
  useEntityId(entityId: bigint): void {
    if (entityId < this.global.nextEntityId) return;
    this.global = { ...this.global, nextEntityId: entityId + 1n };
    this.#unsaved.global = true;
  }

  /** Whether everything that a commit needs is in memory. */
  get isReadyToCommit(): boolean {
    return (
      this.#unreadHomes().length === 0 && this.#unsavedBoxes().every((box) => this.save.index.isLoaded(box))
    );
  }

  /**
   * Reads what a commit needs: the parts of the index that name its leaves, and entities that share a leaf
   * with new ones, without which that leaf cannot be written. More may be needed by the time this resolves.
   */
  async makeReadyToCommit(): Promise<void> {
    for (const box of this.#unreadHomes()) {
      await this.#entityLoader.load(box, (loaded) => this.#takeForSave(loaded));
    }
    for (const box of this.#unsavedBoxes()) await this.save.index.load(box);
  }

  /**
   * Takes the changes that a commit has to write now; later changes belong to the next commit. Includes
   * entities that only moved if they have waited since `dueMs` or earlier. Returns `undefined` when there are
   * no changes.
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

  /** Like {@link unsavedChange}, after reading everything it needs. */
  async loadedChange(nowMs: number): Promise<SaveChange | undefined> {
    while (!this.isReadyToCommit) await this.makeReadyToCommit();
    return this.unsavedChange(nowMs);
  }

  /** Returns what a commit would write now, without entities that only moved, or `undefined`. */
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

  /** Returns the global state, including the remembered edits. */
  globalNow(): GlobalState {
    const { description } = this.global;
    return { ...this.global, description: { ...description, edits: this.lastEdits.entries() } };
  }

  /** Switches to the committed generation; `step` lists the leaves it replaced. */
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

  /** Evicts the least recently used regions when too many are in memory. */
  #dropCold(): void {
    if (this.#loaded.weight <= this.#weightMax) return;
    const isUnsaved = (region: Position): boolean =>
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

  /** Reads the parts of the index that name the leaves in a box, even if a commit switches indexes. */
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

  /** Returns where leaves will be written, as whole regions, of which there are far fewer than chunks. */
  #unsavedBoxes(): readonly Box[] {
    const { chunks, clocks, entityCells } = this.#unsaved;
    const regions = new PositionSet();
    for (const chunk of chunks) regions.add(...regionOf(chunk));
    for (const region of clocks.positions()) regions.add(...region);
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
      // An error in a listener must not fail the save.
    }
  }

  #tellOf(added: readonly StoredEntity[]): void {
    this.entityListeners.emitAll(added.map((entity) => ({ kind: "present", entity })));
  }

  /** Adds entities that were read and returns those that were not yet loaded. */
  #takeEntities({ cell, entities }: LoadedEntities): readonly StoredEntity[] {
    return this.entities.load(cell, entities);
  }

  #takeRegion({ region, overrides, clock }: LoadedRegion): void {
    // Chunks in memory take precedence over the save: they come from a flat save's global file.
    if (overrides !== OverrideTree.UNTOUCHED)
      this.field = this.field.withOverrides(overrides.merge(this.field.overrides));
    this.clocks.reset(region, clock);
  }
}
