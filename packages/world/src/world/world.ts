import type {
  BlockCatalog,
  BlockDefinitions,
  BlockHandles,
  BlockPlacement,
  BlockTypeChanges,
  Chunk,
  ChunkBox,
  ChunkShape,
  DataCodec,
  DefineBlocksOptions,
  Dimensions,
  EditEvent,
  EditResult,
  Light,
  Position,
  Vector,
  VoxelBox,
  VoxelWorld,
} from "@orthant/core";
import { requireBlock, requireFunction } from "@orthant/core/arguments";
import type { SeededGenerator } from "@orthant/core/generate";
import { Axes, chunkOfVoxel, voxelIndex } from "@orthant/core/lattice";
import {
  type AppliedOperation,
  type ApplyOptions,
  type Clipboard,
  checkedMask,
  checkedSelection,
  type Mask,
  type Operation,
  type Selection,
} from "@orthant/core/operations";
import {
  checkedSetOptions,
  decodeData,
  encodeData,
  encodeSetData,
  PLAIN_DATA,
  type SetOptions,
  voxelPlacements,
} from "@orthant/core/world";
import type { Disk } from "@orthant/disk";
import { requireDisk } from "@orthant/disk/files";
import type { CompactionReport } from "@orthant/save";
import { type BlockArrays, gatherArrays } from "../edit/block-arrays.ts";
import type { EngineEdit } from "../edit/engine-edit.ts";
import type { EngineTransaction } from "../edit/engine-transaction.ts";
import { onShownEdit } from "../engine/shown-edits.ts";
import type { WorldEngine } from "../engine/world-engine.ts";
import type { WorldHistory } from "../engine/world-history.ts";
import {
  type NewEntity,
  type PlayerUpdate,
  publicEntity,
  publicPlayer,
  storedEntityChange,
  storedNewEntity,
  storedPlayerChange,
  type WorldEntity,
  type WorldEntityEvent,
  type WorldPlayer,
} from "../entities/public-records.ts";
import { checkedChunkPairs, requireMoment } from "../options/checked-arguments.ts";
import { checkedLoadOptions } from "../options/checked-options.ts";
import type { LoadOptions, Moment } from "../options/world-options.ts";
import { type Simulation, type SimulationOptions, simulate } from "../simulation/simulation.ts";
import { type ChangeGeneratorOptions, changeGenerator, type KeptSpace } from "./change-generator.ts";
import { KeyValueStore } from "./key-value-store.ts";
import { applyOperation } from "./operations.ts";
import { Transaction } from "./transaction.ts";
import { WorldSnapshot } from "./world-snapshot.ts";

/**
 * An open world: what players built, on disk and in memory, on top of what a generator produces. `createWorld`,
 * `openWorld` and `openOrCreateWorld` open one. A folder has at most one writer at a time. Edits are applied in
 * the order of the calls. Chunks are read from the disk when they are needed.
 */
export class World<D extends Dimensions = Dimensions> implements VoxelWorld<D> {
  readonly dimensions: D;
  readonly chunkShape: ChunkShape;
  /** The kept saved states. */
  readonly history: WorldHistory;
  /** The same world with four axes, for the other packages of Orthant. */
  readonly engine: WorldEngine;
  /** Turns the data of voxels into bytes and back. */
  readonly dataCodec: DataCodec;
  /** What the game saves with the world besides blocks. */
  readonly store: KeyValueStore;
  readonly #storeCodec: DataCodec;
  readonly #axes: Axes<D>;

  /** @internal */
  constructor(engine: WorldEngine, dataCodec: DataCodec = PLAIN_DATA, storeCodec: DataCodec = PLAIN_DATA) {
    this.store = new KeyValueStore(engine.store, storeCodec);
    this.#storeCodec = storeCodec;
    this.engine = engine;
    this.dataCodec = dataCodec;
    this.#axes = new Axes(engine.shape);
    this.dimensions = this.#axes.dimensions;
    this.chunkShape = engine.shape;
    this.history = engine.history;
  }

  get blocks(): BlockCatalog {
    return this.engine.catalog;
  }

  /**
   * Adds types of blocks that the world does not have yet, and returns all of them with their ids. Safe to call at every
   * start: types that are there stay as they are. Throws `ORT_ARGUMENT` for a definition that contradicts one, and says
   * what differs. Players who are connected can place new types at once.
   *
   * @example
   * const { copper, chest } = await world.defineBlocks({
   *   copper: { colour: 0xb87333 },
   *   chest: { colour: 0x8b5a2b, properties: { facing: ["north", "east", "south", "west"] } },
   * });
   * await world.set([3, 64, 3], chest.id({ facing: "east" }));
   */
  defineBlocks<const Definitions extends BlockDefinitions>(
    definitions: Definitions,
    options?: DefineBlocksOptions,
  ): Promise<BlockHandles<Definitions>> {
    return this.engine.blocks.define(definitions, options);
  }

  /**
   * Changes the colour and the behaviour of a type of block that is there; its name, ids and properties stay. All voxels
   * of the type change with it, here and at clients.
   *
   * @example
   * await world.changeBlock("copper", { colour: 0x6fa287, light: 3 });
   */
  changeBlock(name: string, changes: BlockTypeChanges): Promise<void> {
    return this.engine.blocks.change(name, changes);
  }

  /**
   * Gives a type of block another name; its ids stay. Safe to call at every start: if only the new name is there, nothing
   * changes.
   */
  renameBlock(name: string, newName: string): Promise<void> {
    return this.engine.blocks.rename(name, newName);
  }

  /**
   * Takes a type of block out of use: voxels keep it, and pages no longer offer it to players. Defining it again brings
   * it back.
   */
  retireBlock(name: string): Promise<void> {
    return this.engine.blocks.retire(name);
  }

  /** Calls `listener` after types of blocks were added, changed, renamed or retired. Returns an unsubscribe function. */
  onBlocks(listener: (blocks: BlockCatalog) => void): () => void {
    requireFunction("listener", listener);
    return this.engine.blocks.onChange(({ catalog }) => listener(catalog));
  }

  /**
   * Gives the world another generator, usually a better version of its own, where nothing was built: regions of 4 chunks
   * with edits keep theirs, and so does what `keep` names. Durable when the promise resolves. Returns what was kept. Safe
   * to call at every start: if the world has this generator already, nothing changes. Edits wait, and clients join again.
   * The program must open the world with the earlier version, too.
   *
   * @example
   * const world = await openWorld("saves/hills", { generators: [hills1, hills2] });
   * const { kept } = await world.changeGenerator(hills2({ seed: 7n }), { keep: { margin: 8 } });
   */
  async changeGenerator(next: SeededGenerator, options?: ChangeGeneratorOptions<D>): Promise<KeptSpace<D>> {
    return changeGenerator(this.engine, this.#axes, next, options);
  }

  get name(): string {
    return this.engine.name;
  }

  get spawn(): Vector<D> {
    return this.#axes.publicPosition(this.engine.spawn);
  }

  /** The number of the last saved state. */
  get generation(): number {
    return this.engine.generation;
  }

  /** Why edits and saves fail; `undefined` while they work. */
  get failure(): unknown {
    return this.engine.failure;
  }

  /** Calls `listener` when a save fails and the world accepts no more changes. Returns an unsubscribe function. */
  onFailure(listener: (failure: unknown) => void): () => void {
    return this.engine.onFailure(requireFunction("listener", listener));
  }

  /** Changes the world's name. */
  rename(name: string): void {
    this.engine.describe({ name });
  }

  /** Changes where players start, in voxels. */
  moveSpawn(position: Vector<D>): void {
    this.engine.describe({ spawn: this.#axes.vector("position", position) });
  }

  async get(position: Position<D>): Promise<number> {
    return this.engine.get(this.#axes.position("position", position));
  }

  voxelAt(position: Position<D>): number | undefined {
    return this.engine.voxelAt(this.#axes.position("position", position));
  }

  async data(position: Position<D>): Promise<unknown> {
    const voxel = this.#axes.position("position", position);
    const chunk = await this.engine.chunk(chunkOfVoxel(this.chunkShape, voxel));
    return decodeData(this.dataCodec, chunk.dataAt(voxelIndex(this.chunkShape, ...voxel)));
  }

  dataAt(position: Position<D>): unknown {
    const voxel = this.#axes.position("position", position);
    const chunk = this.engine.chunkAt(chunkOfVoxel(this.chunkShape, voxel));
    return decodeData(this.dataCodec, chunk?.dataAt(voxelIndex(this.chunkShape, ...voxel)));
  }

  async chunk(chunkPosition: Position<D>): Promise<Chunk> {
    return this.engine.chunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  chunkAt(chunkPosition: Position<D>): Chunk | undefined {
    return this.engine.chunkAt(this.#axes.position("chunkPosition", chunkPosition));
  }

  async light(position: Position<D>): Promise<Light> {
    return this.engine.light.of(this.#axes.position("position", position));
  }

  lightAt(position: Position<D>): Light | undefined {
    return this.engine.light.at(this.#axes.position("position", position));
  }

  async chunkLight(chunkPosition: Position<D>): Promise<Uint8Array> {
    return this.engine.light.ofChunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  chunkLightAt(chunkPosition: Position<D>): Uint8Array | undefined {
    return this.engine.light.atChunk(this.#axes.position("chunkPosition", chunkPosition));
  }

  /**
   * Reads a box of chunks from the disk, so that `voxelAt` knows them and edits there need not wait; with `toEdit`, also so
   * that `setNow` can edit them. When memory fills up, the least recently used chunks are evicted unless `keepChunks` keeps
   * them.
   */
  async loadChunks(chunks: ChunkBox<D>, options: LoadOptions = {}): Promise<void> {
    const { toEdit } = checkedLoadOptions(options);
    const box = this.#axes.chunks("chunks", chunks);
    await (toEdit ? this.engine.loadToEdit(box) : this.engine.load(box));
  }

  /** Keeps a box of chunks in memory once it is loaded. Returns a function that releases it. */
  keepChunks(chunks: ChunkBox<D>): () => void {
    return this.engine.keep(this.#axes.chunks("chunks", chunks));
  }

  /** Whether everything stored for a box of chunks is in memory. */
  hasLoadedChunks(chunks: ChunkBox<D>): boolean {
    return this.engine.isLoaded(this.#axes.chunks("chunks", chunks));
  }

  /** Returns the world as it is now, unaffected by later edits. The caller must close it. */
  snapshot(): WorldSnapshot<D> {
    return new WorldSnapshot(this.engine.snapshot(), this.#axes, this.#storeCodec);
  }

  async set(position: Position<D>, block: number, options?: SetOptions): Promise<EditResult> {
    const voxel = this.#axes.position("position", position);
    const id = requireBlock("block", block);
    const asked = options && checkedSetOptions(options).data;
    const isChanged = asked === undefined ? this.engine.trySet(voxel, id) : undefined;
    if (isChanged !== undefined) {
      if (this.engine.isJournaling) await this.engine.whenDurable();
      return { status: isChanged ? "applied" : "unchanged" };
    }
    const data = encodeData(this.dataCodec, "options.data", asked);
    return resultOf(await this.engine.edit([{ voxel, block: id, data }]));
  }

  /**
   * Sets the block of a voxel at once, before edits that wait for their turn, and returns whether it had another: for systems
   * and tools that set millions. `loadChunks` with `toEdit` must have read its chunk. Throws `ORT_LIMIT` while there is no
   * memory for another change before a save; `whenDurable` waits for that, and tells when it is durable.
   *
   * @example
   * await world.loadChunks(chunkBox([0, 0, 0], [8, 4, 8]), { toEdit: true });
   * for (let x = 0; x < 128; x++) world.setNow([x, 10, 0], stone);
   */
  setNow(position: Position<D>, block: number): boolean {
    const voxel = this.#axes.position("position", position);
    return this.engine.setNow(voxel, requireBlock("block", block));
  }

  async setData(position: Position<D>, data: unknown): Promise<EditResult> {
    const voxel = this.#axes.position("position", position);
    return resultOf(await this.engine.edit([{ voxel, data: encodeSetData(this.dataCodec, data) }]));
  }

  /**
   * Sets voxels in one step, in the order of the list or of the arrays. Arrays take less time and memory: they suit edits of many
   * thousands.
   *
   * @example
   * await world.edit([{ position: [0, 64, 0], block: stone }, { position: [1, 64, 0], block: brick }]);
   * await world.edit({ positions: Int32Array.of(0, 64, 0, 1, 64, 0), blocks: Uint16Array.of(stone, brick) });
   */
  async edit(placements: readonly BlockPlacement<D>[] | BlockArrays): Promise<EditResult> {
    const edited = Array.isArray(placements)
      ? this.engine.edit(voxelPlacements(this.#axes, placements, this.dataCodec))
      : this.engine.editBlocks(gatherArrays(this.#axes, this.chunkShape, placements));
    return resultOf(await edited);
  }

  /** Sets every voxel of a box in one step. The box may touch at most `EDIT_CHUNKS_MAX` chunks. */
  async fill(box: VoxelBox<D>, block: number): Promise<EditResult> {
    return resultOf(await this.engine.fill(this.#axes.voxels("box", box), requireBlock("block", block)));
  }

  /** Copies at most `COPY_VOXELS_MAX` voxels with their data, as they are when its turn comes. Both boxes may overlap. */
  async copy(box: VoxelBox<D>, to: Position<D>): Promise<EditResult> {
    const voxels = this.#axes.voxels("box", box);
    return resultOf(await this.engine.copy(voxels, this.#axes.position("to", to)));
  }

  /** Sets up to `EDIT_CHUNKS_MAX` whole chunks in one step; the last chunk for a position wins. */
  async setChunks(
    chunks: readonly (readonly [chunkPosition: Position<D>, chunk: Chunk])[],
  ): Promise<EditResult> {
    return resultOf(await this.engine.setChunks(checkedChunkPairs(this.#axes, chunks)));
  }

  /**
   * Calls `listener` after each edit that changed something. Returns an unsubscribe function. When a listener
   * throws, the other listeners still run and the edit stands, but its promise rejects with the error.
   */
  onEdit(listener: (edit: EditEvent<D>) => void): () => void {
    requireFunction("listener", listener);
    return onShownEdit(this.engine, { axes: this.#axes, codec: this.dataCodec }, listener);
  }

  /** Adds an entity with a new, never used id. */
  spawnEntity(entity: NewEntity<D>): WorldEntity<D> {
    return publicEntity(this.#axes, this.engine.entities.spawn(storedNewEntity(this.#axes, entity)));
  }

  /** Moves or otherwise changes an entity whose surroundings are loaded. Omitted fields keep their value. */
  changeEntity(entityId: bigint, change: Partial<NewEntity<D>>): void {
    this.engine.entities.change(entityId, storedEntityChange(this.#axes, change));
  }

  /** Removes an entity whose surroundings are loaded. */
  despawnEntity(entityId: bigint): void {
    this.engine.entities.despawn(entityId);
  }

  /** Returns an entity by id, if its surroundings are loaded. */
  entity(entityId: bigint): WorldEntity<D> | undefined {
    const found = this.engine.entities.get(entityId);
    return found && publicEntity(this.#axes, found);
  }

  async entitiesIn(box: VoxelBox<D>): Promise<readonly WorldEntity<D>[]> {
    const found = await this.engine.entities.in(this.#axes.voxels("box", box));
    return found.map((entity) => publicEntity(this.#axes, entity));
  }

  /**
   * Calls `listener` when an entity is spawned, changed, loaded into memory or despawned. Returns an unsubscribe
   * function. When a listener throws, the change stands and the error goes to the caller that made it.
   */
  onEntity(listener: (event: WorldEntityEvent<D>) => void): () => void {
    requireFunction("listener", listener);
    return this.engine.entities.onEvent((event) =>
      listener(
        event.kind === "present"
          ? { kind: "present", entity: publicEntity(this.#axes, event.entity) }
          : { kind: "gone", id: event.entityId },
      ),
    );
  }

  /** All players who ever joined, ordered by id. */
  get players(): readonly WorldPlayer<D>[] {
    const online = this.engine.steps.online();
    return this.engine.players.map((player) => publicPlayer(this.#axes, player, online));
  }

  /** Returns a player by id. */
  player(playerId: bigint): WorldPlayer<D> | undefined {
    const found = this.engine.player(playerId);
    return found && publicPlayer(this.#axes, found, this.engine.steps.online());
  }

  /** Adds a player, or changes the one with the same id; omitted fields keep their value. */
  upsertPlayer(player: PlayerUpdate<D>): void {
    this.engine.upsertPlayer(storedPlayerChange(this.#axes, player));
  }

  /**
   * Runs a function that reads and changes voxels, players and the store, and then makes all of its changes at once: others see
   * all of them or none, and so does the world after a crash. If anything that it read has changed meanwhile, it runs again, so
   * it should do nothing else. What it throws is thrown, and nothing is changed. In a world with a journal the promise waits until
   * the changes are durable.
   *
   * @example
   * const taken = await world.transaction(async (transaction) => {
   *   const coins = (await transaction.data(chest)) as number;
   *   const purse = (await transaction.store.get(`purse/${player.playerId}`)) ?? 0;
   *   transaction.setData(chest, 0);
   *   transaction.store.set(`purse/${player.playerId}`, (purse as number) + coins);
   *   return coins;
   * });
   */
  async transaction<Result>(
    work: (transaction: Transaction<D>) => Result | Promise<Result>,
  ): Promise<Result> {
    requireFunction("work", work);
    return this.engine.transactions.run((transaction) => work(this.shownTransaction(transaction)));
  }

  /** @internal Returns a transaction with the coordinates and codecs of this world. */
  shownTransaction(transaction: EngineTransaction): Transaction<D> {
    const { dataCodec, engine } = this;
    const online = (): ReadonlySet<bigint> => engine.steps.online();
    return new Transaction(transaction, {
      axes: this.#axes,
      dataCodec,
      storeCodec: this.#storeCodec,
      online,
    });
  }

  /**
   * Changes many voxels at once: readers, players, the journal and the history see all of it or nothing. It is computed in slices
   * while others edit, and does what it would do if it were done at the moment when it is done. See {@link Operation}.
   *
   * @example
   * const walls = box([0, 60, 0], [32, 72, 32]);
   * const { count, undo } = await world.apply({ replace: "stone", with: "80%stone,20%gravel" }, { in: walls });
   * await undo();
   */
  async apply(operation: Operation<D> | string, options: ApplyOptions<D> = {}): Promise<AppliedOperation<D>> {
    return applyOperation({ operations: this.engine.operations, axes: this.#axes }, operation, options);
  }

  /**
   * Returns a copy of the voxels of a selection with their data, to be pasted.
   *
   * @example
   * const house = await world.clipboard(box([0, 60, 0], [12, 70, 9]));
   * await world.apply({ paste: house.rotate("xz", 1), at: [100, 60, 0] });
   */
  async clipboard(selection: Selection<D>): Promise<Clipboard<D>> {
    const checked = checkedSelection(selection, this.dimensions);
    return (await this.engine.operations.clipboard(checked, { axes: this.#axes })) as Clipboard<D>;
  }

  /** Returns how many voxels of a selection have each block, only those that a mask accepts if there is one. */
  async countBlocks(selection: Selection<D>, mask?: Mask<D>): Promise<ReadonlyMap<number, number>> {
    const checked = checkedSelection(selection, this.dimensions);
    const accepted = mask === undefined ? undefined : checkedMask(mask, this.dimensions);
    return this.engine.operations.countBlocks(checked, accepted, { axes: this.#axes });
  }

  /**
   * Saves all changes requested so far, including queued edits, and returns the generation once it is durable. Edits
   * made while it writes belong to the next one. If it fails, earlier saves are safe and nothing more is accepted.
   */
  save(): Promise<number> {
    return this.engine.save();
  }

  /** Resolves when all changes so far are durable. Concurrent callers share a save or a sync. */
  whenDurable(): Promise<void> {
    return this.engine.whenDurable();
  }

  /** Removes data from the disk that no kept saved state needs. Some of this also happens automatically. */
  compact(): Promise<CompactionReport> {
    return this.engine.compact();
  }

  /** Saves the world, then copies it to another, empty disk. */
  async saveAs(disk: Disk): Promise<void> {
    requireDisk("disk", disk);
    await this.engine.saveAs(disk);
  }

  /** Restores a box of chunks to a saved state, in one ordinary edit. */
  async restoreChunks(chunks: ChunkBox<D>, from: Moment): Promise<EditResult> {
    requireMoment("from", from);
    return resultOf(await this.engine.restoreRegion(this.#axes.chunks("chunks", chunks), from));
  }

  /**
   * Starts to simulate the world: calls the systems of a game in steps at a fixed pace. One simulation at a time.
   *
   * @example
   * world.simulate({ stepMs: 50, systems: { sand: fallingSand, water: flow }, activeRadius: 96 });
   */
  simulate(options: SimulationOptions<D>): Simulation<D> {
    return simulate(this.engine, this.#axes, this.dataCodec, options);
  }

  /**
   * Applies queued edits, saves unsaved changes and releases the folder, even when it throws. Later requests
   * are rejected. Closing twice is harmless.
   */
  close(): Promise<void> {
    return this.engine.close();
  }
}

function resultOf({ status }: EngineEdit): EditResult {
  return { status };
}
