import {
  type BlockCatalog,
  type Box,
  type Chunk,
  type ChunkShape,
  OrthantError,
  type Position,
} from "@orthant/core";
import { requireId } from "@orthant/core/arguments";
import { encode } from "@orthant/core/bytes";
import { boxAt, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import type {
  ChunkBlocks,
  EditOrigin,
  Epoch,
  QueryDetail,
  RegionTree,
  VoxelPlacement,
  WorldState,
} from "@orthant/core/tree";
import { ListenerSet } from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import { SerialQueue } from "@orthant/disk/files";
import type { CompactionReport, StoredPlayer } from "@orthant/save";
import { worldDescriptionCodec } from "@orthant/save/content";
import type { JournalChunk } from "@orthant/save/journal";
import { checkedOrigin, clientEditsOf } from "../content/last-edits.ts";
import type { WorldContent } from "../content/world-content.ts";
import { editInPlace, type MadeEdit, setInPlace } from "../edit/edit-in-place.ts";
import type { EditListener, EditOptions, EngineEdit } from "../edit/engine-edit.ts";
import {
  blocksEdit,
  chunksEdit,
  clockRenewal,
  copyEdit,
  fillEdit,
  type QueuedEdit,
  requireInWorld,
  voxelsEdit,
  watchedEdit,
} from "../edit/queued-edit.ts";
import { checkedPlayer } from "../entities/checked-records.ts";
import type { PlayerChange } from "../entities/player-records.ts";
import { loggedChunksOf, loggedClocksOf } from "../journal/world-log.ts";
import type { StoredLight } from "../light/stored-light.ts";
import { requireLabel, requireOnAxes } from "../options/checked-arguments.ts";
import type { Moment, WorldLabel } from "../options/world-options.ts";
import { copyContent } from "../saving/copy-save.ts";
import { notWritable, WorldSaver } from "../saving/world-saver.ts";
import type { ShardPart } from "../steps/step-change.ts";
import type { EngineContext, EngineCore } from "./engine-core.ts";
import { EngineEntities } from "./engine-entities.ts";
import { EngineOperations } from "./engine-operations.ts";
import { EngineSnapshot } from "./engine-snapshot.ts";
import { EngineSteps } from "./engine-steps.ts";
import { EngineStore } from "./engine-store.ts";
import { EngineTransactions } from "./engine-transactions.ts";
import { newWorldId, SessionEpoch } from "./session-epoch.ts";
import { WorldBlocks } from "./world-blocks.ts";
import { WorldGenerators } from "./world-generators.ts";
import { restoreEdit, WorldHistory } from "./world-history.ts";

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
  /** Changes of voxels, players and the store that belong together. */
  readonly transactions: EngineTransactions;
  /** Changes of many voxels, as values. */
  readonly operations: EngineOperations;
  /** The steps of a simulation. */
  readonly steps: EngineSteps;
  /** Changes the generator of untouched space. */
  readonly generators: WorldGenerators;
  /** The kept saved states. */
  readonly history: WorldHistory;
  /** The entities in memory. */
  readonly entities: EngineEntities;
  readonly #core: EngineCore;
  readonly #disk: Disk;
  readonly #random: () => bigint;
  readonly #isReadOnly: boolean;
  /** Always the same function, so that edits share a call. */
  readonly #whenDurable = (): Promise<void> => this.#saver.whenDurable();
  readonly #admit = (chunks: readonly JournalChunk[]): void => this.#saver.admit(chunks);
  #closing: Promise<void> | undefined;

  /** @internal Takes ownership of everything in the context. */
  constructor(context: EngineContext) {
    const { disk, time, random, content, writing } = context;
    const saver = new WorldSaver(context);
    this.shape = content.regions.state.shape;
    this.#disk = disk;
    this.#random = random;
    this.#isReadOnly = writing === undefined;
    this.#core = {
      content,
      saver,
      epoch: new SessionEpoch(content, saver, random, context.epoch),
      time,
      queue: new SerialQueue(),
      editListeners: new ListenerSet(),
      requireWritable: () => this.#requireWritable(),
    };
    this.blocks = new WorldBlocks(this.#core);
    this.entities = new EngineEntities(this.#core);
    this.generators = new WorldGenerators(this.#core, this.blocks);
    this.history = new WorldHistory(disk, this.#core);
    this.steps = new EngineSteps(this.#core);
    this.store = new EngineStore(this.#core);
    this.transactions = new EngineTransactions(this.#core);
    this.operations = new EngineOperations(this.#core, this.transactions);
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
    const before = this.#content.global.description;
    requireLabel({ name, spawn }, before.name);
    // Older saves may have a spawn elsewhere, with which the world can still be renamed.
    if (spawn !== before.spawn) requireOnAxes("spawn", this.shape, spawn);
    const description = { ...before, name, spawn };
    // Rejected now rather than in the next save, which would fail with everything in it.
    encode(worldDescriptionCodec, description);
    this.#content.describe(description);
    this.#saver.addChange("world", { kind: "description", name, spawn });
  }

  /**
   * Opens the epoch in which this session issues clocks, as the first edit does. It is durable when the promise resolves
   * and stays the same until the world is closed.
   */
  async openEpoch(): Promise<Epoch> {
    this.#requireWritable();
    return this.#core.epoch.open();
  }

  /** Whether this world issued the epoch. Only then can clocks received in it be compared with the world's. */
  knowsEpoch(epoch: Epoch): boolean {
    return this.#core.epoch.knowsEpoch(epoch);
  }

  /** Returns the block of a voxel. */
  async get(position: Position): Promise<number> {
    this.#saver.requireOpen();
    const chunkPosition = chunkOfVoxel(this.shape, position);
    const { regions } = this.#content;
    const index = voxelIndex(this.shape, ...position);
    return this.#content.whenLoaded([boxAt(chunkPosition)], () => {
      const chunk = regions.inPlaceAt(chunkPosition) ?? regions.chunk(chunkPosition);
      return chunk instanceof Promise ? chunk.then((there) => there.get(index)) : chunk.get(index);
    });
  }

  /** Returns the block of a voxel; `undefined` unless it is in memory, or the generator makes it at once. */
  voxelAt(position: Position): number | undefined {
    const chunk = chunkOfVoxel(this.shape, position);
    if (!this.isLoaded(boxAt(chunk))) return undefined;
    return this.#content.regions.blockAt(chunk, voxelIndex(this.shape, ...position));
  }

  /** Returns the voxels of a chunk; `undefined` unless they are in memory, or the generator makes them at once. */
  chunkAt(position: Position): Chunk | undefined {
    return this.isLoaded(boxAt(position)) ? this.#content.regions.findChunk(position) : undefined;
  }

  /** Returns the voxels of a chunk, edited or generated. */
  async chunk(position: Position): Promise<Chunk> {
    this.#saver.requireOpen();
    return this.#content.whenLoaded([boxAt(position)], () => this.#content.regions.chunk(position));
  }

  /** The light of voxels. Reads what it needs, like `chunk`. */
  get light(): StoredLight {
    this.#saver.requireOpen();
    return this.#content.light;
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

  /** Returns the steps of this shard, which change `part` of a larger world and nothing else. */
  shardSteps(part: ShardPart): EngineSteps {
    return new EngineSteps(this.#core, part);
  }

  /** Has the next save write the description, even if nothing else changed: the log of a shard may add to it. */
  touch(): void {
    this.#requireWritable();
    this.#content.touch();
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
    const { state } = regions;
    return new EngineSnapshot({
      state,
      catalog: this.catalog,
      moment,
      reader: regions.readerFor(moment.save),
    });
  }

  /**
   * Sets the block of one voxel, any number up to 65,535. The catalog is not consulted: it only says what
   * blocks are called and look like, and an imported world may lack its own.
   */
  set(position: Position, block: number): Promise<EngineEdit> {
    return this.edit([{ voxel: position, block }]);
  }

  /**
   * Reads a box of chunks from the disk and makes the world ready to be edited there with {@link setNow}. Unless kept, they may
   * be evicted.
   */
  async loadToEdit(box: Box): Promise<void> {
    this.#requireWritable();
    await this.#core.epoch.open();
    await this.#content.load(box);
  }

  /**
   * Sets the block of a voxel at once, before edits that wait for their turn, and returns whether it had another. Throws
   * `ORT_NOT_LOADED` unless {@link loadToEdit} has read its chunk, and `ORT_LIMIT` while changes that are being saved leave no
   * memory for another. `whenDurable` tells when it is durable.
   */
  setNow(voxel: Position, block: number): boolean {
    this.#requireWritable();
    this.#saver.requireRoom();
    const isChanged = this.#setInPlace(voxel, block);
    if (isChanged !== undefined) return isChanged;
    const request = voxelsEdit(this, [{ voxel, block }]);
    const epoch = this.#core.epoch.current;
    if (epoch === undefined || !this.#content.regions.use(boxAt(chunkOfVoxel(this.shape, voxel))))
      throw new OrthantError(
        "ORT_NOT_LOADED",
        `voxel [${voxel}] was not loaded to be edited; await loadChunks with { toEdit: true } first`,
      );
    return this.#apply(request, epoch.number, undefined).status === "applied";
  }

  /**
   * Sets the block of a voxel at once if nothing has to wait for it. Returns whether it had another; `undefined` otherwise. With
   * a journal, {@link whenDurable} tells when it is durable.
   */
  trySet(voxel: Position, block: number): boolean | undefined {
    this.#requireWritable();
    if (!this.#core.queue.isIdle || !this.#saver.hasRoom) return undefined;
    return this.#setInPlace(voxel, block);
  }

  /** Sets a block in place unless something hears of the edit. Returns whether the voxel had another one. */
  #setInPlace(voxel: Position, block: number): boolean | undefined {
    const { content, saver, epoch, editListeners } = this.#core;
    if (epoch.current === undefined || !editListeners.isEmpty || content.regions.isAsynchronous)
      return undefined;
    requireInWorld(this.shape, voxel, "voxel");
    if (saver.isJournaling) return this.#setLogged(voxel, block, epoch.current.number);
    const result = content.setInPlace(voxel, block, epoch.current.number);
    if (result === "noted") saver.addChange("world", undefined);
    return result && result !== "unchanged";
  }

  #setLogged(voxel: Position, block: number, epoch: number): boolean | undefined {
    const { content } = this.#core;
    content.regions.beginInPlace();
    const chunk = chunkOfVoxel(this.shape, voxel);
    const index = voxelIndex(this.shape, voxel[0], voxel[1], voxel[2], voxel[3]);
    const made = setInPlace(content, { chunk, index, block }, epoch, this.#admit);
    if (made === undefined || made.clocks.length === 0) return made && false;
    this.#made(made, undefined);
    return true;
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

  /** @internal Sets blocks that are gathered by chunk, in one step. Takes ownership of them. */
  async editBlocks(blocks: readonly ChunkBlocks[]): Promise<EngineEdit> {
    return this.#change(blocksEdit(this, blocks));
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
  onEdit(listener: EditListener): () => void {
    return this.#core.editListeners.add(listener);
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
    const stored = this.#content.upsertPlayer(checkedPlayer(player, this.shape), this.#core.time.nowMs());
    this.#saver.addChange("players", { kind: "player", player: stored });
  }

  /**
   * Commits all changes requested so far, including queued edits, and returns the generation once it is
   * durable. Edits made while it writes belong to the next one. If it fails, earlier saves are safe and
   * nothing more is accepted.
   */
  async save(): Promise<number> {
    return this.#core.queue.idle().then(() => this.#saver.save("everything"));
  }

  /** Whether each change is logged, so that it can be durable before the next save. */
  get isJournaling(): boolean {
    return this.#saver.isJournaling;
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
    const options = { nowMs: this.#core.time.nowMs(), worldId: newWorldId(this.#random) };
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
    this.#closing = this.#core.queue.idle().then(() => this.#saver.close());
    return this.#closing;
  }

  get #content(): WorldContent {
    return this.#core.content;
  }

  get #saver(): WorldSaver {
    return this.#core.saver;
  }

  /** Throws unless changes may be requested. */
  #requireWritable(): void {
    if (this.#closing !== undefined) throw notWritable("closed");
    this.#saver.requireWriter();
  }

  /** Applies an edit when its turn comes and the chunks it touches are in memory. Throws for a wrong origin. */
  #change(request: QueuedEdit, options: EditOptions = {}): Promise<EngineEdit> {
    this.#requireWritable();
    const { wait = "durable", onApply } = options;
    const origin = options.origin && checkedOrigin(options.origin);
    const watched = watchedEdit(request, onApply);
    if (options.with !== undefined) return this.transactions.edit(watched, origin, options);
    // Waits even for an edit that changed nothing: what it found may not be on the disk yet.
    const until = wait === "durable" && this.#saver.isJournaling ? this.#whenDurable : undefined;
    return this.#core.queue.run<EngineEdit>(() => this.#applyInTurn(watched, origin), until);
  }

  #applyInTurn(request: QueuedEdit, origin: EditOrigin | undefined): EngineEdit | Promise<EngineEdit> {
    this.#saver.requireWriter();
    const room = this.#saver.whenRoom();
    if (room !== undefined) return room.then(() => this.#applyInTurn(request, origin));
    // Checked only now, since the same edit may have been queued before it.
    if (origin && this.#content.lastEdits.includes(origin))
      return { chunks: [], clocks: [], status: "duplicate" };
    if (origin) this.#content.lastEdits.requireRemembered(origin);
    if (request.hasData === true) this.#content.requireRoomFor("data of voxels");
    return this.#content.whenLoaded(request.touched, () => {
      const epoch = this.#core.epoch.current;
      const preparing = epoch && this.#content.regions.prepare(request);
      // Most edits need nothing and do not wait.
      if (epoch !== undefined && preparing === undefined) return this.#apply(request, epoch.number, origin);
      return this.#applyWhenPrepared(request, origin, preparing);
    });
  }

  /** Applies an edit as soon as the session has an epoch, and what the edit needs was generated. */
  async #applyWhenPrepared(
    request: QueuedEdit,
    origin: EditOrigin | undefined,
    preparing: Promise<() => void> | undefined,
  ): Promise<EngineEdit> {
    const epoch = await this.#core.epoch.open();
    const release = await (preparing ?? this.#content.regions.prepare(request));
    try {
      // A save may have failed while this edit waited.
      this.#saver.requireWriter();
      return this.#apply(request, epoch.number, origin);
    } finally {
      release?.();
    }
  }

  /** Must not await: a save includes an edit and its origin (client and edit number) together or not at all. */
  #apply(request: QueuedEdit, epoch: number, origin: EditOrigin | undefined): EngineEdit {
    const { editListeners } = this.#core;
    // Listeners get the state before an edit and after it.
    if (!editListeners.isEmpty) return this.#applyToState(request, epoch, origin);
    const made = this.#applyInPlace(request, epoch);
    return made === undefined ? this.#applyToState(request, epoch, origin) : this.#made(made, origin);
  }

  #applyInPlace({ blocks, hasOnlyBlocks }: QueuedEdit, epoch: number): MadeEdit | undefined {
    if (blocks === undefined || hasOnlyBlocks !== true) return undefined;
    const { content, saver } = this.#core;
    return editInPlace(content, blocks, epoch, saver.isJournaling ? this.#admit : undefined);
  }

  #applyToState(request: QueuedEdit, epoch: number, origin: EditOrigin | undefined): EngineEdit {
    const { content, saver, editListeners } = this.#core;
    const before = this.state;
    const changed = content.regions.changing(request.change);
    const { state, chunks } = changed;
    const logged = saver.isJournaling
      ? loggedChunksOf({ before, after: state, chunks, blocks: request.blocks })
      : undefined;
    // Before anything is changed, because no edit can be taken back.
    if (logged !== undefined) saver.admit(logged);
    const edit = this.#made({ chunks, clocks: content.applyEdit(changed, epoch), logged }, origin);
    if (edit.status === "applied" && !editListeners.isEmpty)
      editListeners.emit(edit, before, state, origin?.playerId);
    return edit;
  }

  /** Notes an edit that was made, and has it logged and saved. */
  #made({ chunks, clocks, logged }: MadeEdit, origin: EditOrigin | undefined): EngineEdit {
    const { content, saver } = this.#core;
    const edit: EngineEdit = { chunks, clocks, status: clocks.length > 0 ? "applied" : "unchanged" };
    if (origin) content.rememberOrigin(origin);
    if (clocks.length > 0 || origin)
      saver.addChange(
        "world",
        logged && {
          kind: "edit",
          origin: origin && clientEditsOf(origin),
          chunks: logged,
          clocks: loggedClocksOf(clocks),
        },
      );
    return edit;
  }
}
