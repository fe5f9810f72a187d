import type { BlockCatalog, Box, Chunk, ChunkShape, Position, TimeSource } from "@orthant/core";
import { requireId } from "@orthant/core/arguments";
import { boxAt, chunkOfVoxel, chunksOfVoxels, voxelIndex } from "@orthant/core/lattice";
import type { Epoch, QueryDetail, RegionTree, VoxelPlacement, WorldState } from "@orthant/core/tree";
import type { Disk } from "@orthant/disk";
import type { CompactionReport, StoredEntity, StoredPlayer } from "@orthant/save";
import { WorldBlocks } from "./blocks/world-blocks.ts";
import type { WorldContent } from "./content/world-content.ts";
import {
  chunksEdit,
  clockRenewal,
  copyEdit,
  fillEdit,
  type QueuedEdit,
  voxelsEdit,
} from "./edit/queued-edit.ts";
import { newWorldId, SessionEpoch } from "./edit/session-epoch.ts";
import { type AppliedEdit, type EditOptions, type EngineEdit, WorldEditor } from "./edit/world-editor.ts";
import { EngineSnapshot } from "./engine-snapshot.ts";
import {
  chunksAround,
  type EntityChange,
  type NewStoredEntity,
  type StoredEntityEvent,
} from "./entities/entity-store.ts";
import type { PlayerChange } from "./entities/player-store.ts";
import { SharedEntities } from "./entities/shared-entities.ts";
import { WorldGenerators } from "./generators/world-generators.ts";
import { copyContent } from "./saving/copy-save.ts";
import { notWritable, WorldSaver } from "./saving/world-saver.ts";
import { EngineSteps } from "./simulation/engine-steps.ts";
import { EngineStore } from "./store/engine-store.ts";
import type { WorldContext } from "./world-context.ts";
import { restoreEdit, WorldHistory } from "./world-history.ts";
import type { Moment, WorldLabel } from "./world-options.ts";

/**
 * An open world: edits on disk and in memory, on top of what a generator produces. Each folder has at most
 * one writer. Edits are applied in the order of the calls. Stored data is read on demand.
 */
export class WorldEngine {
  readonly shape: ChunkShape;
  /** Adds, renames and retires types of blocks. */
  readonly blocks: WorldBlocks;
  /** Things of the game that are saved with the world. */
  readonly store: EngineStore;
  /** The steps of a simulation. */
  readonly steps: EngineSteps;
  /** Entities that another part of the world gives and takes. */
  readonly sharedEntities: SharedEntities;
  /** Changes the generator of untouched space. */
  readonly generators: WorldGenerators;
  /** The kept saved states. */
  readonly history: WorldHistory;
  readonly #disk: Disk;
  readonly #time: TimeSource;
  readonly #random: () => bigint;
  readonly #isReadOnly: boolean;
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #epoch: SessionEpoch;
  readonly #editor: WorldEditor;
  #closing: Promise<void> | undefined;

  /** @internal Takes ownership of everything in the context. */
  constructor(context: WorldContext) {
    const { disk, time, random, content, writing, epoch, hasFixedBlocks = false, isShard = false } = context;
    const requireWritable = (): void => this.#requireWritable();
    this.shape = content.regions.state.shape;
    this.#disk = disk;
    this.#time = time;
    this.#random = random;
    this.#isReadOnly = writing === undefined;
    this.#content = content;
    this.#saver = new WorldSaver(context);
    this.#epoch = new SessionEpoch(content, this.#saver, random, epoch);
    this.history = new WorldHistory(disk, content, {
      requireWritable,
      save: () => this.save(),
      exclusively: (work) => this.#saver.exclusively(work),
    });
    this.#editor = new WorldEditor(content, this.#saver, this.#epoch, time);
    const shared = { content, saver: this.#saver, requireWritable };
    this.blocks = new WorldBlocks({ ...shared, isFixed: hasFixedBlocks });
    this.generators = new WorldGenerators({ ...shared, editor: this.#editor, isShard });
    this.store = new EngineStore(content, this.#editor, this.#saver, { isShard, requireWritable });
    this.sharedEntities = new SharedEntities(content, this.#editor, requireWritable);
    this.steps = new EngineSteps(content, this.#editor, { time, isShard, requireWritable });
  }

  /** The types of blocks as they are now. */
  get catalog(): BlockCatalog {
    return this.#content.catalog;
  }

  /** The world's name. */
  get name(): string {
    return this.#content.global.description.name;
  }

  /** Where players start, in voxels. */
  get spawn(): Position {
    return this.#content.global.description.spawn;
  }

  /** Unique id of the world. 0 for a world created before ids existed; it gets one when it opens an epoch. */
  get worldId(): bigint {
    return this.#content.global.description.worldId;
  }

  /** The last committed generation. */
  get generation(): number {
    return this.#content.save.generation;
  }

  /** Why edits and saves are rejected; `undefined` while they are accepted. */
  get failure(): unknown {
    return this.#saver.failure;
  }

  /** Why the last save failed, if changes are still accepted and the next save may succeed. */
  get saveFailure(): unknown {
    return this.#saver.saveFailure;
  }

  /** Calls `listener` when a save fails and changes are rejected. Returns an unsubscribe function. */
  onFailure(listener: (failure: unknown) => void): () => void {
    return this.#saver.onFailure(listener);
  }

  /** Changes the world's name or spawn point. */
  describe({ name = this.name, spawn = this.spawn }: Partial<WorldLabel>): void {
    this.#requireWritable();
    this.#editor.describe({ name, spawn });
  }

  /**
   * Opens the epoch in which this session issues clocks, as the first edit does. It is durable when the promise resolves
   * and stays the same until the world is closed.
   */
  async openEpoch(): Promise<Epoch> {
    this.#requireWritable();
    return this.#epoch.open();
  }

  /** Whether this world issued the epoch. Only then can clocks received in it be compared with the world's. */
  knowsEpoch(epoch: Epoch): boolean {
    return this.#epoch.knowsEpoch(epoch);
  }

  /** Returns the block of a voxel. */
  async get(position: Position): Promise<number> {
    const chunk = await this.chunk(chunkOfVoxel(this.shape, position));
    return chunk.get(voxelIndex(this.shape, ...position));
  }

  /** Returns the voxels of a chunk, edited or generated. */
  async chunk(position: Position): Promise<Chunk> {
    this.#saver.requireOpen();
    return this.#content.whenLoaded([boxAt(position)], () => this.#content.regions.chunk(position));
  }

  /** Returns the contents of a box of chunks. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    this.#saver.requireOpen();
    return this.#content.whenLoaded([box], () => this.#content.regions.query(box, detail));
  }

  /**
   * Returns a box around all that is not air in `box`, possibly too large. Reads the index and at most 64 leaves,
   * those at the edges.
   */
  async contentBounds(box: Box): Promise<Box | undefined> {
    this.#saver.requireOpen();
    return this.#content.regions.contentBounds(box);
  }

  /** Reads a box of chunks from the disk, so that queries and edits there need not wait. Unless kept, it may be evicted. */
  async load(box: Box): Promise<void> {
    this.#saver.requireOpen();
    await this.#content.load(box);
  }

  /** Keeps a box of chunks in memory once it is loaded. Returns a function that releases it. */
  keep(box: Box): () => void {
    return this.#content.regions.keep(box);
  }

  /** Whether everything stored for a box of chunks is in memory. */
  isLoaded(box: Box): boolean {
    return this.#content.regions.isLoaded(box);
  }

  /** Returns the approximate memory, in bytes, of a region, or of all regions with their edited chunks. */
  loadedBytes(region?: Position): number {
    return this.#content.loadedBytes(region);
  }

  /** Everything in memory, as it is now. Where a leaf is not loaded, it has what the generator produces. */
  get state(): WorldState {
    return this.#content.regions.state;
  }

  /** The clock of a loaded region, `CLOCK_NEVER` if it was never edited; `undefined` if it is not loaded. */
  clockOf(region: Position): number | undefined {
    return this.#content.regions.clockOf(region);
  }

  /** Returns the world as it is now, unaffected by later edits. The caller must close it. */
  snapshot(): EngineSnapshot {
    this.#saver.requireOpen();
    const { store, regions } = this.#content;
    const moment = store.moment();
    return new EngineSnapshot(regions.state, moment, regions.readerFor(moment.save));
  }

  /**
   * Sets the block of one voxel, any number up to 65,535. The catalog is not consulted: it only says what
   * blocks are called and look like, and an imported world may lack its own.
   */
  set(position: Position, block: number): Promise<EngineEdit> {
    return this.edit([{ voxel: position, block }]);
  }

  /** Sets voxels in one step, in the order of the list. */
  edit(placements: readonly VoxelPlacement[], options?: EditOptions): Promise<EngineEdit> {
    // Not `async`: most edits come this way, and it would cost each another promise.
    try {
      return this.#change(voxelsEdit(this, placements), options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Returns the id of the client's last edit, or 0 when the world remembers none. */
  lastEditOf(clientId: bigint): number {
    requireId("clientId", clientId);
    return this.#content.lastEdits.lastEditOf(clientId);
  }

  /** Whether `lastEditOf` may have forgotten clients of a player, or clients without a player. */
  mayHaveForgotten(playerId?: bigint): boolean {
    return this.#content.lastEdits.mayHaveForgotten(playerId);
  }

  /** Sets up to `EDIT_CHUNKS_MAX` whole chunks in one step; the last chunk for a position wins. */
  async setChunks(chunks: readonly (readonly [position: Position, chunk: Chunk])[]): Promise<EngineEdit> {
    return this.#change(chunksEdit(this.shape, chunks));
  }

  /** Sets every voxel of a box, which may touch at most `EDIT_CHUNKS_MAX` chunks. */
  async fill(box: Box, block: number, options: EditOptions = {}): Promise<EngineEdit> {
    return this.#change(fillEdit(this, box, block), options);
  }

  /** Copies at most `COPY_VOXELS_MAX` voxels with their data, as they are when its turn comes. Both boxes may overlap. */
  async copy(box: Box, to: Position, options: EditOptions = {}): Promise<EngineEdit> {
    return this.#change(copyEdit(this.shape, box, to), options);
  }

  /** Bumps the clocks of `regions` without changing them, so that every client fetches them again. */
  async renewClocks(regions: readonly Position[]): Promise<EngineEdit> {
    return this.#change(clockRenewal(regions), { wait: "applied" });
  }

  /**
   * Calls `listener` after each edit that changed something. Returns an unsubscribe function. When a listener
   * throws, the other listeners still run and the edit stands, but its promise rejects with the error.
   */
  onEdit(listener: (edit: AppliedEdit) => void): () => void {
    return this.#editor.onEdit(listener);
  }

  /** Adds an entity with a new, never used id. */
  spawnEntity(entity: NewStoredEntity): StoredEntity {
    this.#requireWritable();
    return this.#editor.spawnEntity(entity);
  }

  /** Moves or otherwise changes a loaded entity. Changes inside its leaf are saved only periodically. */
  changeEntity(entityId: bigint, change: EntityChange): void {
    this.#requireWritable();
    this.#editor.changeEntity(entityId, change);
  }

  /** Removes a loaded entity. */
  despawnEntity(entityId: bigint): void {
    this.#requireWritable();
    this.#editor.despawnEntity(entityId);
  }

  /**
   * Calls `listener` when an entity is spawned, changed, loaded into memory or despawned. Returns an unsubscribe
   * function. When a listener throws, the change stands, and its maker or the loader of the entity gets the error.
   */
  onEntity(listener: (event: StoredEntityEvent) => void): () => void {
    return this.#content.entityListeners.add(listener);
  }

  /** Returns an entity by id, if its surroundings are loaded. */
  entity(entityId: bigint): StoredEntity | undefined {
    requireId("entityId", entityId);
    return this.#content.entities.get(entityId);
  }

  /** Returns the entities in a box of voxels, ordered by id. */
  async entitiesIn(box: Box): Promise<readonly StoredEntity[]> {
    this.#saver.requireOpen();
    await this.#content.loadEntities(chunksAround(chunksOfVoxels(this.shape, box)));
    return this.#content.entities.within(box);
  }

  /** All players who ever joined, ordered by id. */
  get players(): readonly StoredPlayer[] {
    return this.#content.players.all();
  }

  /** Returns a player by id. */
  player(playerId: bigint): StoredPlayer | undefined {
    requireId("playerId", playerId);
    return this.#content.players.get(playerId);
  }

  /** Adds a player, or changes the one with the same id; omitted fields keep their value. */
  upsertPlayer(player: PlayerChange): void {
    this.#requireWritable();
    this.#editor.upsertPlayer(player);
  }

  /**
   * Commits all changes requested so far, including queued edits, and returns the generation once it is
   * durable. Edits made while it writes belong to the next one. If it fails, earlier saves are safe and
   * nothing more is accepted.
   */
  async save(): Promise<number> {
    return this.#editor.idle().then(() => this.#saver.save("everything"));
  }

  /** Resolves when all changes so far are durable. Concurrent callers share a save or a sync. */
  whenDurable(): Promise<void> {
    return this.#saver.whenDurable();
  }

  /** Removes data from the disk that no kept saved state needs. Some of this also happens automatically. */
  async compact(): Promise<CompactionReport> {
    this.#requireWritable();
    return this.#saver.compact();
  }

  /** Saves the world, then copies it to another, empty disk. */
  async saveAs(disk: Disk): Promise<void> {
    if (!this.#isReadOnly) await this.save();
    const options = { nowMs: this.#time.nowMs(), worldId: newWorldId(this.#random) };
    await copyContent(this.#content, disk, { ...options, isReadOnly: this.#isReadOnly });
  }

  /** Restores a box to a saved state, in one edit of at most `EDIT_CHUNKS_MAX` chunks that were edited there ever. */
  async restoreRegion(box: Box, from: Moment): Promise<EngineEdit> {
    this.#requireWritable();
    const generation = await this.history.generationAt(from);
    const { generators, generatorMap: now } = this.state;
    return this.#change(await restoreEdit(this.#disk, box, { generation, generators, now }));
  }

  /**
   * Applies queued edits, saves unsaved changes and releases the folder, even when it throws. Later requests
   * are rejected. Closing twice is harmless.
   */
  close(): Promise<void> {
    // The first caller gets a failure; for the others it is enough that the world is closed.
    if (this.#closing !== undefined) return this.#closing.catch(() => undefined);
    this.#closing = this.#editor.idle().then(() => this.#saver.close());
    return this.#closing;
  }

  #change(request: QueuedEdit, options?: EditOptions): Promise<EngineEdit> {
    this.#requireWritable();
    return this.#editor.edit(request, options);
  }

  /** Throws unless changes may be requested. */
  #requireWritable(): void {
    if (this.#closing !== undefined) throw notWritable("closed");
    this.#saver.requireWriter();
  }
}
