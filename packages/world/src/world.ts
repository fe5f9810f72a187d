import {
  type Box,
  boxAt,
  type Chunk,
  type ChunkShape,
  type Clock,
  cellOfVoxel,
  chunkOfVoxel,
  chunksOfVoxels,
  encode,
  type MaterialCatalog,
  type Place,
  type QueryDetail,
  type RegionTree,
  type VoxelPlacement,
  type WorldField,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import {
  type CompactionReport,
  type EntityRecord,
  type Era,
  type PlayerRecord,
  worldDescriptionCodec,
} from "@orthant/formats";
import { checkedPlayer, requireId, requireLabel } from "./checked-arguments.ts";
import { copySave } from "./copy-save.ts";
import { checkedOrigin, type EditOrigin } from "./edit-ledger.ts";
import {
  chunksRequest,
  copyRequest,
  type EditRequest,
  fillRequest,
  renewalRequest,
  voxelsRequest,
} from "./edit-request.ts";
import { chunksOfHomes, type EntityChange, type EntityEvent, type NewEntity } from "./entity-store.ts";
import { EraKeeper, newWorldId } from "./era-keeper.ts";
import type { Moment } from "./kept-generations.ts";
import type { PlayerChange } from "./player-store.ts";
import type { WorldContent } from "./world-content.ts";
import { type EditOptions, type WorldEdit, WorldEditor } from "./world-editor.ts";
import { WorldEntities } from "./world-entities.ts";
import { refusal } from "./world-error.ts";
import { WorldHistory } from "./world-history.ts";
import type { WorldLabel } from "./world-options.ts";
import type { WorldParts } from "./world-parts.ts";
import { WorldSaver } from "./world-saver.ts";
import { WorldSnapshot } from "./world-snapshot.ts";

/**
 * A world that is open: what people made on disk and in memory, over what a generator makes. There is one writer a
 * folder. Edits are made in the order in which they are asked for. What lies on disk is read when it is needed.
 */
export class World {
  readonly shape: ChunkShape;
  readonly catalog: MaterialCatalog;
  /** The saved states that are kept. */
  readonly history: WorldHistory;
  readonly #clock: Clock;
  readonly #random: () => bigint;
  readonly #isReadOnly: boolean;
  readonly #content: WorldContent;
  readonly #saver: WorldSaver;
  readonly #eras: EraKeeper;
  readonly #editor: WorldEditor;
  readonly #entities: WorldEntities;
  #closing: Promise<void> | undefined;

  /** Takes the parts over; others use `createWorld` and `openWorld`. */
  constructor(parts: WorldParts) {
    const { disk, clock, random, content, catalog, writing, epoch } = parts;
    this.shape = content.field.shape;
    this.catalog = catalog;
    this.#clock = clock;
    this.#random = random;
    this.#isReadOnly = writing === undefined;
    this.#content = content;
    this.#saver = new WorldSaver(parts);
    this.#eras = new EraKeeper(content, this.#saver, random, epoch);
    this.history = new WorldHistory(disk, content, {
      requireWritable: () => this.#requireWritable(),
      save: () => this.save(),
      exclusively: (work) => this.#saver.exclusively(work),
    });
    this.#editor = new WorldEditor(content, this.#saver, this.#eras);
    this.#entities = new WorldEntities(content, this.#saver, clock);
  }

  /** The world's name. */
  get name(): string {
    return this.#content.global.description.name;
  }

  /** Where players begin, in voxels. */
  get spawn(): Place {
    return this.#content.global.description.spawn;
  }

  /** What tells this world from all others; 0 for one made before there were ids, until it opens an era. */
  get worldId(): bigint {
    return this.#content.global.description.worldId;
  }

  /** The generation that was committed last. */
  get generation(): number {
    return this.#content.save.generation;
  }

  /** Why edits and saves are refused; `undefined` while they are not. */
  get failure(): unknown {
    return this.#saver.failure;
  }

  /** Calls back when a save fails, from when on changes are refused; until the function returned is called. */
  onFailure(listener: (failure: unknown) => void): () => void {
    return this.#saver.onFailure(listener);
  }

  /** Gives the world another name or place to begin. */
  describe({ name = this.name, spawn = this.spawn }: Partial<WorldLabel>): void {
    this.#requireWritable();
    requireLabel({ name, spawn });
    const description = { ...this.#content.global.description, name, spawn };
    // Refused now rather than by the next save, which would take everything else down with it.
    encode(worldDescriptionCodec, description);
    this.#content.describe(description);
    this.#saver.noteChange("worldMs", () => ({ kind: "description", name, spawn }));
  }

  /**
   * The era in which this opening of the world issues clocks. It is durable when the promise is kept, and always the
   * same until the world is closed. The first edit opens it too.
   */
  async openEra(): Promise<Era> {
    this.#requireWritable();
    return this.#eras.open();
  }

  /** Whether clocks up to this era's epoch that somebody got under its mark are clocks of this world. */
  remembers(era: Era): boolean {
    return this.#eras.remembers(era);
  }

  /** The material of a voxel. */
  async get(place: Place): Promise<number> {
    const chunk = await this.chunk(chunkOfVoxel(this.shape, place));
    return chunk.get(cellOfVoxel(this.shape, ...place));
  }

  /** The voxels of a chunk: what people made of it, or else what the generator says. */
  async chunk(place: Place): Promise<Chunk> {
    this.#saver.requireOpen();
    return this.#content.whenLoaded([boxAt(place)], () => this.#content.field.realizeChunk(...place));
  }

  /** All that is in a box of chunks. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    this.#saver.requireOpen();
    return this.#content.whenLoaded([box], () => this.#content.field.queryRegion(box, detail));
  }

  /** A box around all that is not air in a box of chunks, perhaps too large, never too small. Reads the index alone. */
  async contentBounds(box: Box): Promise<Box | undefined> {
    this.#saver.requireOpen();
    return this.#content.contentBounds(box);
  }

  /**
   * Reads what a box of chunks needs from the disk, so that questions and edits there need not wait. What nobody has
   * used for long is let go again when there is much in memory, unless it is kept.
   */
  async load(box: Box): Promise<void> {
    this.#saver.requireOpen();
    await this.#content.load(box);
  }

  /** Keeps what a box of chunks has in memory, once it is loaded, until the function returned is called. */
  keep(box: Box): () => void {
    return this.#content.keep(box);
  }

  /** Whether all that is stored of a box of chunks is in memory. */
  isLoaded(box: Box): boolean {
    return this.#content.isLoaded(box);
  }

  /** Everything that is in memory, as it is now. Where a leaf was not loaded it has what the generator makes. */
  get field(): WorldField {
    return this.#content.field;
  }

  /** The clock of a region that is loaded, `CLOCK_NEVER` when nobody ever changed it; `undefined` when it is not. */
  clockOf(region: Place): number | undefined {
    return this.#content.clockOf(region);
  }

  /** The world as it is now, for a reader whom later edits must not disturb. Close it when it is not needed. */
  snapshot(): WorldSnapshot {
    this.#saver.requireOpen();
    const save = this.#content.save.follow();
    return new WorldSnapshot(this.#content.field, save, this.#content.loaderFor(save));
  }

  /**
   * Puts a material into one voxel: any number up to 65,535. The catalog is not asked; it says what materials are called
   * and look like, and a world that came from another program may have none of its own.
   */
  async set(place: Place, material: number): Promise<WorldEdit> {
    return this.edit([{ voxel: place, material }]);
  }

  /** Puts materials into voxels, all in one step; the last one given for a voxel counts. */
  async edit(placements: readonly VoxelPlacement[], { origin, wait }: EditOptions = {}): Promise<WorldEdit> {
    return this.#change(voxelsRequest(this.shape, placements), origin && checkedOrigin(origin), wait);
  }

  /** The last edit of a client that the world remembers; 0 when it remembers none. */
  lastEditOf(clientId: bigint): number {
    requireId("clientId", clientId);
    return this.#content.ledger.lastEditOf(clientId);
  }

  /** Whether clients of a player, or those without one, may have edited and been forgotten by `lastEditOf`. */
  mayHaveForgotten(playerId?: bigint): boolean {
    return this.#content.ledger.mayHaveForgotten(playerId);
  }

  /** Puts whole chunks, at most `EDIT_CHUNKS_MAX`, in one step; the last one given for a place counts. */
  async setChunks(chunks: readonly (readonly [place: Place, chunk: Chunk])[]): Promise<WorldEdit> {
    return this.#change(chunksRequest(this.shape, chunks));
  }

  /** Puts a material into every voxel of a box, which may touch at most `EDIT_CHUNKS_MAX` chunks. */
  async fill(box: Box, material: number): Promise<WorldEdit> {
    return this.#change(fillRequest(this.shape, box, material));
  }

  /** Copies a box of at most `COPY_VOXELS_MAX` voxels, as it is when its turn comes; the two places may overlap. */
  async copy(box: Box, to: Place): Promise<WorldEdit> {
    return this.#change(copyRequest(this.shape, box, to));
  }

  /** Issues new clocks to regions in which nothing changes: whoever has seen later ones takes them anew. */
  async renewClocks(regions: readonly Place[]): Promise<WorldEdit> {
    return this.#change(renewalRequest(regions), undefined, "applied");
  }

  /**
   * Calls back after each edit that changed something, until the function returned is called. When a listener throws,
   * the others are told all the same and the edit stands; its promise then fails with what was thrown.
   */
  onEdit(listener: (edit: WorldEdit) => void): () => void {
    return this.#editor.onEdit(listener);
  }

  /** Adds an entity and gives it an id that was never used before. */
  spawnEntity(entity: NewEntity): EntityRecord {
    this.#requireWritable();
    return this.#entities.spawn(entity);
  }

  /** Moves or otherwise changes an entity that is loaded. Inside its leaf that is saved now and then only. */
  changeEntity(entityId: bigint, change: EntityChange): void {
    this.#requireWritable();
    this.#entities.change(entityId, change);
  }

  /** Removes an entity that is loaded. */
  despawnEntity(entityId: bigint): void {
    this.#requireWritable();
    this.#entities.despawn(entityId);
  }

  /**
   * Calls back when an entity is spawned, changed or comes into memory, and when one is despawned, until the function
   * returned is called. When a listener throws, the change stands; what was thrown goes to whoever made it or loads.
   */
  onEntity(listener: (event: EntityEvent) => void): () => void {
    return this.#content.entityListeners.add(listener);
  }

  /** An entity by id, if its surroundings are loaded. */
  entity(entityId: bigint): EntityRecord | undefined {
    requireId("entityId", entityId);
    return this.#content.entities.get(entityId);
  }

  /** The entities in a box of voxels, by id. */
  async entitiesIn(box: Box): Promise<readonly EntityRecord[]> {
    this.#saver.requireOpen();
    await this.#content.loadEntities(chunksOfHomes(chunksOfVoxels(this.shape, box)));
    return this.#content.entities.within(box);
  }

  /** Every player that was ever here, by id. */
  get players(): readonly PlayerRecord[] {
    return this.#content.players.all();
  }

  /** A player by id. */
  player(playerId: bigint): PlayerRecord | undefined {
    requireId("playerId", playerId);
    return this.#content.players.get(playerId);
  }

  /** Adds a player, or changes what was known of the one with the same id; what is left out stays. */
  upsertPlayer(player: PlayerChange): void {
    this.#requireWritable();
    const stored = this.#content.upsertPlayer(checkedPlayer(player), this.#clock.nowMs());
    this.#saver.noteChange("playersMs", () => ({ kind: "player", player: stored }));
  }

  /**
   * Commits all that was asked for before, also edits still waiting for their turn, and gives the generation once it
   * is durable. Edits that are made while it writes belong to the next one. When it fails, what was saved before is
   * safe and nothing more is accepted.
   */
  async save(): Promise<number> {
    await this.#editor.idle();
    return this.#saver.save("everything");
  }

  /** Resolves when every change made so far is durable. However many ask at once, they share a save or a sync. */
  whenDurable(): Promise<void> {
    return this.#saver.whenDurable();
  }

  /** Takes everything off the disk that no saved state needs that is kept. Some of that happens by itself. */
  async compact(): Promise<CompactionReport> {
    this.#requireWritable();
    return this.#saver.compact();
  }

  /** Writes the world, saved first, to another empty disk. */
  async saveAs(disk: Disk): Promise<void> {
    if (!this.#isReadOnly) await this.save();
    const save = this.#content.save.follow();
    const nowMs = this.#clock.nowMs();
    try {
      // Whoever only reads may have more than the save: what the journal had.
      const change = this.#isReadOnly ? await this.#content.loadedChange(nowMs) : undefined;
      await copySave(save, disk, { nowMs, worldId: newWorldId(this.#random), change });
    } finally {
      await save.close();
    }
  }

  /**
   * Makes a box of chunks what it was in a saved state, in one edit like any other. At most `EDIT_CHUNKS_MAX` chunks
   * may have been made there, then or since.
   */
  async restoreRegion(box: Box, from: Moment): Promise<WorldEdit> {
    this.#requireWritable();
    return this.#change(await this.history.restoreRequest(box, from));
  }

  /**
   * Saves what is not saved and lets go of the folder. What is asked for from now on is refused; edits that were asked
   * for before are made and saved. It lets go also when it throws. Closing twice is harmless.
   */
  close(): Promise<void> {
    // Whoever closed first is told of a failure; for everybody else it is enough that the world is closed.
    if (this.#closing !== undefined) return this.#closing.catch(() => undefined);
    this.#closing = this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#editor.idle();
    await this.#saver.close();
  }

  async #change(
    request: EditRequest,
    origin?: EditOrigin,
    wait: EditOptions["wait"] = "durable",
  ): Promise<WorldEdit> {
    this.#requireWritable();
    const made = this.#editor.make(request, origin);
    return wait === "durable" && this.#saver.isJournaling ? this.#whenSafe(made) : made;
  }

  /** Also an edit that changed nothing waits: for what it found, which was there and may not have been safe. */
  async #whenSafe(making: Promise<WorldEdit>): Promise<WorldEdit> {
    const made = await making;
    await this.#saver.whenDurable();
    return made;
  }

  /** Throws unless a change may be asked for. */
  #requireWritable(): void {
    if (this.#closing !== undefined) throw refusal("closed");
    this.#saver.requireWriting();
  }
}
