import {
  type BlockCatalog,
  type Box,
  type Chunk,
  type GeneratorRegistry,
  OrthantError,
  type Position,
} from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { blockCatalogCodec } from "@orthant/core/chunk";
import { boxAt, chunkOfVoxel, regionOf, roundOutToRegions, voxelIndex } from "@orthant/core/lattice";
import type { ClockChange, EditOrigin, StateEdit, WorldState } from "@orthant/core/tree";
import { ListenerSet } from "@orthant/core/world";
import {
  type CommittedChange,
  catalogOf,
  chunkOfEntity,
  type GlobalState,
  type Save,
  type SaveChange,
  type StoredPlayer,
  type WorldDescription,
} from "@orthant/save";
import { generatorMapOf } from "@orthant/save/content";
import type { ChunkTickChanges } from "@orthant/save/journal";
import { cubesAfter, EntityReader } from "../entities/entity-reader.ts";
import { LoadedEntities, type StoredEntityEvent } from "../entities/loaded-entities.ts";
import { type PlayerChange, PlayerRecords } from "../entities/player-records.ts";
import { StoredLight } from "../light/stored-light.ts";
import type { EngineOptions } from "../options/world-options.ts";
import type { ChunkTicks } from "../regions/loaded-ticks.ts";
import { upToTheTop } from "../regions/region-reader.ts";
import { WorldRegions } from "../regions/world-regions.ts";
import { LastEdits } from "./last-edits.ts";
import { LeafCollector } from "./leaf-collector.ts";
import { StepNumbers } from "./step-number.ts";
import { StoreContent, storeChangesOf } from "./store-content.ts";
import { UnsavedChanges } from "./unsaved-changes.ts";

/** The first version of the index whose world can have data of voxels and a store. */
const DATA_INDEX_VERSION = 2;

/** Everything that was unsaved at one moment. The leaves are collected afterwards, because that takes long. */
interface TakenChange {
  readonly change: Omit<SaveChange, "leaves">;
  readonly leaves: LeafCollector;
}

/** The options that concern the content of a world. */
type ContentLimits = Required<Pick<EngineOptions, "loadedBytesMax" | "entityHysteresisChunks">> & {
  /** Clients whose last edit is remembered. */
  readonly clientsMax: number;
};

/**
 * The contents of a world: its regions and entities in memory, its players and description, and how all of
 * them differ from the last save.
 */
export class WorldContent {
  readonly regions: WorldRegions;
  readonly entities: LoadedEntities;
  readonly entityListeners: ListenerSet<[StoredEntityEvent]> = new ListenerSet();
  readonly players: PlayerRecords;
  readonly lastEdits: LastEdits;
  /** The key-value store. */
  readonly store: StoreContent;
  /** The steps of the simulation. Every commit includes them; a step that changed nothing needs none. */
  readonly steps: StepNumbers;
  readonly #entityReader: EntityReader;
  #global: GlobalState;
  /** The decoded catalog of the description; decoded when it is first needed. */
  #catalog: BlockCatalog | undefined;
  /** Made when it is first asked for. */
  #light: StoredLight | undefined;
  #unsaved: UnsavedChanges;
  /** Changes being committed, which no readable generation includes yet. */
  #committing: UnsavedChanges | undefined;
  /** Entities that the running commit stores for the first time, or in another leaf than before. */
  #newlyStored: readonly bigint[] = [];

  constructor(save: Save, state: WorldState, limits: ContentLimits) {
    const { loadedBytesMax, entityHysteresisChunks, clientsMax } = limits;
    this.#global = save.global;
    this.regions = new WorldRegions(save, state, loadedBytesMax, (bytes) => this.#unsaved.addBytes(bytes));
    this.#unsaved = new UnsavedChanges(this.regions);
    this.entities = new LoadedEntities(state.shape, {
      recordBytesMax: save.manifest.limits.entityBlobHardMaxBytes,
      hysteresisChunks: entityHysteresisChunks,
      nextId: save.global.nextEntityId,
      unsaved: () => this.#unsaved,
    });
    this.#entityReader = new EntityReader(save, this.entities, this.entityListeners);
    this.players = new PlayerRecords(save.players);
    this.lastEdits = new LastEdits(save.global.description.edits, clientsMax);
    this.store = new StoreContent(() => ({
      save: this.save,
      unsaved: this.#unsaved,
      committing: this.#committing,
    }));
    this.steps = new StepNumbers(save.global.description, () => this.touch());
  }

  /** The last committed generation. */
  get save(): Save {
    return this.#entityReader.save;
  }

  /** The name, spawn, generators and so on. What the parts of the content count is as of the opening, see {@link globalNow}. */
  get global(): GlobalState {
    return this.#global;
  }

  /** Whether anything differs from that generation, or from the next one while it is being committed. */
  get hasUnsaved(): boolean {
    return !this.#unsaved.isEmpty;
  }

  /** Whether the next save gives some entities to other leaves. */
  get hasUnassignedEntities(): boolean {
    return this.#unsaved.hasUnassigned;
  }

  /** Approximate memory of the regions that no commit has begun to write. */
  get unsavedBytes(): number {
    return this.#unsaved.regionBytes;
  }

  /** Approximate memory of the regions that a running commit writes. */
  get committingBytes(): number {
    return this.#committing?.regionBytes ?? 0;
  }

  /** Returns the approximate memory of a region, or of all regions in memory after evicting what is too much. */
  loadedBytes(region?: Position): number {
    if (region !== undefined) return this.regions.bytesOf(region);
    this.#evict();
    return this.regions.bytes;
  }

  /** Whether this world's save can hold a store. */
  get hasStore(): boolean {
    return this.save.indexVersion >= DATA_INDEX_VERSION;
  }

  /** Throws `ORT_VERSION` unless this world's save can hold what version 1 of the format lacks. */
  requireRoomFor(what: "data of voxels" | "a store" | "a simulation"): void {
    const { indexVersion } = this.save;
    if (indexVersion >= DATA_INDEX_VERSION) return;
    throw new OrthantError(
      "ORT_VERSION",
      `this world has an index of version ${indexVersion}, which cannot hold ${what}: run orthant upgrade on it`,
    );
  }

  /** Calls `use` as soon as boxes of chunks are in memory, at once if possible, and before any can be evicted. */
  whenLoaded<Result>(boxes: readonly Box[], use: () => Result | Promise<Result>): Result | Promise<Result> {
    if (!boxes.every((box) => this.regions.use(box))) return this.#whenRead(boxes, use);
    const result = use();
    if (result instanceof Promise) return this.#whenRead(boxes, () => result);
    this.#evict();
    return result;
  }

  /** Keeps boxes in memory until the promise of `use` is settled, which is called after they are read. */
  async #whenRead<Result>(boxes: readonly Box[], use: () => Result | Promise<Result>): Promise<Result> {
    const releases = boxes.map((box) => this.regions.keep(box));
    try {
      for (const box of boxes) {
        if (this.regions.use(box)) continue;
        await this.loadEntities(roundOutToRegions(box));
        await this.regions.load(box);
      }
      return await use();
    } finally {
      for (const release of releases) release();
      this.#evict();
    }
  }

  /** The light of the world. */
  get light(): StoredLight {
    this.#light ??= this.#newLight();
    return this.#light;
  }

  #newLight(): StoredLight {
    const catalog = (): BlockCatalog => this.catalog;
    const { regions } = this;
    return new StoredLight({
      get state() {
        return regions.state;
      },
      get catalog() {
        return catalog();
      },
      isLoaded: (chunk) => regions.isLoaded(boxAt(chunk)),
      isLoadedAbove: (chunk) => regions.isLoadedAbove(chunk),
      whenLoadedAbove: async (chunks, use) =>
        this.whenLoaded([upToTheTop(chunks)], () => {
          regions.loadedAbove(chunks);
          return use();
        }),
    });
  }

  async load(box: Box): Promise<void> {
    await this.whenLoaded([box], () => undefined);
  }

  loadEntities(box: Box): Promise<void> {
    return this.#entityReader.load(box);
  }

  /** The blocks of the world. */
  get catalog(): BlockCatalog {
    this.#catalog ??= catalogOf(this.global.description);
    return this.#catalog;
  }

  /** Replaces the catalog with a later one. */
  changeCatalog(catalog: BlockCatalog): void {
    this.describe({ ...this.global.description, blocks: encode(blockCatalogCodec, catalog) });
    this.#catalog = catalog;
  }

  /** Takes over the generators of a committed generation. Everything stored keeps its own. */
  changeGenerators(committed: GlobalState, generators: GeneratorRegistry): void {
    const { base, generators: stored, generatorRegions = [] } = committed;
    this.#global = { ...this.global, base, generators: stored, generatorRegions };
    this.regions.changeGenerators(generators, generatorMapOf(committed));
  }

  describe(description: WorldDescription): void {
    this.#global = { ...this.global, description };
    this.touch();
  }

  /** Has the next save write the description, even if nothing else changed. */
  touch(): void {
    this.#unsaved.hasGlobal = true;
  }

  /** Takes over the state after an edit, and returns the new clocks that its regions got. */
  applyEdit({ state, chunks, regions }: StateEdit, epoch: number): readonly ClockChange[] {
    const clocks = this.#bump(regions, epoch);
    this.#changeChunks(state, chunks);
    return clocks;
  }

  /** Notes an edit in place, and returns the new clocks that its regions got. */
  editedInPlace(
    chunks: readonly Position[],
    regions: readonly Position[],
    epoch: number,
  ): readonly ClockChange[] {
    for (const position of chunks) this.#unsaved.chunks.add(...position);
    return this.#bump(regions, epoch);
  }

  /**
   * Sets the block of a voxel in place; `undefined` if that cannot be. Edits of a chunk share a clock until something looks at
   * clocks, so most of them leave nothing to note.
   */
  setInPlace(voxel: Position, block: number, epoch: number): "unchanged" | "changed" | "noted" | undefined {
    const { regions } = this;
    const position = chunkOfVoxel(regions.shape, voxel);
    regions.beginInPlace();
    const chunk = regions.editInPlace(position);
    if (chunk === undefined) return undefined;
    const index = voxelIndex(regions.shape, voxel[0], voxel[1], voxel[2], voxel[3]);
    if (!chunk.editor.set(index, block)) return "unchanged";
    const region = regionOf(position);
    const clock = regions.clockInPlace(chunk, region, epoch);
    if (clock === undefined) return "changed";
    this.#unsaved.chunks.add(...position);
    this.#unsaved.setClock(region, clock);
    return "noted";
  }

  #bump(regions: readonly Position[], epoch: number): readonly ClockChange[] {
    const clocks = this.regions.clocks.bump(regions, epoch);
    for (const { region, after } of clocks) this.#unsaved.setClock(region, after);
    return clocks;
  }

  /** Takes over the state after replayed edits, whose clocks {@link replayClock} sets one by one. */
  replayChunks(state: WorldState, chunks: readonly Position[]): void {
    for (const position of chunks) this.#unsaved.addRegion(regionOf(position));
    this.#changeChunks(state, chunks);
  }

  #changeChunks(state: WorldState, chunks: readonly Position[]): void {
    for (const position of chunks) this.#unsaved.chunks.add(...position);
    this.regions.edit(state, chunks);
  }

  /** Makes what a step changed of the ticks of a chunk final. */
  settleTicks(ticks: ChunkTicks): void {
    this.regions.ticks.settle(ticks);
    this.#addTicks(ticks.position);
  }

  /** Applies changes of ticks that were logged. */
  replayTicks(change: ChunkTickChanges): void {
    this.regions.ticks.apply(change);
    this.#addTicks(change.position);
  }

  #addTicks(chunk: Position): void {
    this.#unsaved.chunks.add(...chunk);
    this.#unsaved.addRegion(regionOf(chunk));
  }

  /** Sets the clock of a region to the one it got when a replayed edit was first made. */
  replayClock(region: Position, clock: number): void {
    this.regions.clocks.reset(region, clock);
    this.#unsaved.setClock(region, clock);
  }

  /** Returns a chunk on an axis that the world lacks, as it is stored or will be. */
  async hiddenChunk(position: Position): Promise<Chunk> {
    return this.#unsaved.hidden.get(...position) ?? this.regions.storedChunk(position);
  }

  /** Changes a chunk on an axis that the world lacks, as a log says. */
  replayHidden(position: Position, chunk: Chunk): void {
    this.#unsaved.hidden.set(...position, chunk);
  }

  /** Remembers the last edit of its client, to recognize it when it comes again. */
  rememberOrigin(origin: EditOrigin): void {
    this.lastEdits.add(origin);
    this.touch();
  }

  upsertPlayer(change: PlayerChange, nowMs: number): StoredPlayer {
    const stored = this.players.changed(change, this.global.description.spawn, nowMs);
    this.putPlayer(stored);
    return stored;
  }

  /** Adds or replaces a player. */
  putPlayer(player: StoredPlayer): void {
    this.players.put(player);
    this.#unsaved.players.add(player.playerId);
  }

  /** Whether everything that the start of a commit needs is in memory. */
  get isReadyToCommit(): boolean {
    return (
      this.#unreadCubes().length === 0 &&
      this.#untouchedWithTicks().length === 0 &&
      this.#entityBoxes().every((box) => this.save.index.isLoaded(box))
    );
  }

  /**
   * Reads what the start of a commit needs: the parts of the index that name its leaves with entities, and entities that share a leaf
   * with new ones, without which that leaf cannot be written. Generates untouched chunks that have ticks, because ticks
   * are stored with a chunk. More may be needed by the time this resolves.
   */
  async makeReadyToCommit(): Promise<void> {
    for (const box of this.#unreadCubes()) await this.#entityReader.loadForSave(box);
    for (const position of this.#untouchedWithTicks()) await this.regions.generateOverride(position);
    for (const box of this.#entityBoxes()) await this.save.index.load(box);
  }

  /**
   * Takes the changes that a commit has to write now; later changes belong to the next commit. Includes
   * entities that only moved if they have waited since `dueMs` or earlier. Returns `undefined` when there are
   * no changes.
   */
  startCommit(nowMs: number, dueMs: number): TakenChange | undefined {
    for (const cube of this.entities.changedSince(dueMs)) this.#unsaved.addEntityCube(cube);
    const taken = this.#takeChange(nowMs);
    if (taken === undefined) return undefined;
    this.#committing = this.#unsaved;
    this.#unsaved = new UnsavedChanges(this.regions);
    this.#newlyStored = this.entities.unassigned().map(({ entityId }) => entityId);
    for (const { cube, entities } of taken.leaves.entityLeaves())
      for (const entity of entities) this.entities.markStored(entity, cube);
    return taken;
  }

  /** Takes back the changes of a commit that failed, so that the next one writes them. */
  undoCommit(): void {
    if (this.#committing === undefined) return;
    for (const entityId of this.#newlyStored) this.entities.markNotStored(entityId);
    this.#committing.append(this.#unsaved);
    this.#unsaved = this.#committing;
    this.#committing = undefined;
  }

  /** Returns what a commit would write now, without entities that only moved, or `undefined`. Nothing may change meanwhile. */
  async completeSaveChange(nowMs: number): Promise<SaveChange | undefined> {
    while (!this.isReadyToCommit) await this.makeReadyToCommit();
    const taken = this.#takeChange(nowMs);
    return taken && { ...taken.change, leaves: await taken.leaves.collect() };
  }

  #takeChange(nowMs: number): TakenChange | undefined {
    const unsaved = this.#unsaved;
    if (unsaved.isEmpty) return undefined;
    const { ticks, state } = this.regions;
    const { save, entities } = this;
    const { overrides } = state;
    const leaves = new LeafCollector(unsaved, { index: save.index, overrides, ticks, entities, nowMs });
    const players = Array.from(unsaved.players, (id) => this.players.get(id)).filter(
      (player) => player !== undefined,
    );
    const store = unsaved.store.size === 0 ? undefined : storeChangesOf(unsaved.store);
    const global =
      unsaved.hasGlobal || this.steps.isCountedBeyond(save.global.description) ? this.globalNow() : undefined;
    return { change: { nowMs, players, ...(store && { store }), ...(global && { global }) }, leaves };
  }

  /** Returns the global state, including the remembered edits and the steps. */
  globalNow(): GlobalState {
    const description = this.steps.in(this.global.description);
    const nextEntityId = this.entities.nextId;
    return {
      ...this.global,
      nextEntityId,
      description: { ...description, edits: this.lastEdits.entries() },
    };
  }

  /** Switches to the committed generation. */
  async switchTo(save: Save, change: CommittedChange): Promise<void> {
    const before = this.save;
    try {
      await this.#entityReader.switchTo(save, change);
    } catch (error) {
      await save.close();
      throw error;
    }
    this.regions.switchTo(save);
    this.#committing = undefined;
    for (const cube of this.entities.reassign(cubesAfter(change))) {
      this.#unsaved.addEntityCube(cube);
      this.#unsaved.hasUnassigned = true;
    }
    this.#evict();
    await before.close();
  }

  #evict(): void {
    if (!this.regions.isOverLimit) return;
    const isUnsaved = (region: Position): boolean =>
      this.#unsaved.isUnsaved(region) || this.#committing?.isUnsaved(region) === true;
    this.regions.evict(isUnsaved, this.#committing === undefined ? this.save.index : undefined);
  }

  #untouchedWithTicks(): readonly Position[] {
    return this.regions.ticks.isEmpty ? [] : this.regions.untouchedWithTicks(this.#unsaved.chunks);
  }

  #unreadCubes(): readonly Box[] {
    return this.entities
      .unassigned()
      .map((entity) => boxAt(chunkOfEntity(entity, this.entities.shape)))
      .filter((box) => !this.#entityReader.isLoaded(box));
  }

  /** Returns where leaves with entities will be written. */
  #entityBoxes(): readonly Box[] {
    return [
      ...this.#unsaved.entityCubes,
      ...this.entities.unassigned().map((entity) => boxAt(chunkOfEntity(entity, this.entities.shape))),
    ];
  }
}
