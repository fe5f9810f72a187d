import {
  type Box,
  boxAt,
  type Chunk,
  type ChunkShape,
  type Clock,
  type ClockStep,
  cellOfVoxel,
  chunkOfVoxel,
  chunksOfVoxels,
  encode,
  type MaterialCatalog,
  type Place,
  type QueryDetail,
  RegionClocks,
  type RegionTree,
  type VoxelPlacement,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { type EntityRecord, type PlayerRecord, worldDescriptionCodec } from "@orthant/formats";
import { Autosave } from "./autosave.ts";
import { copySave } from "./copy-save.ts";
import { chunksRequest, copyRequest, type EditRequest, fillRequest, voxelsRequest } from "./edit-request.ts";
import { chunksOfHomes, type EntityChange, type NewEntity } from "./entity-store.ts";
import { SerialQueue } from "./serial-queue.ts";
import { WorldContent } from "./world-content.ts";
import { poisoned, refusal } from "./world-error.ts";
import { ENTITY_CHECKPOINT_MS, PLAYERS_AUTOSAVE_MS, WORLD_AUTOSAVE_MS } from "./world-options.ts";
import { releaseParts, type WorldParts, type Writing } from "./world-parts.ts";
import { WorldSnapshot } from "./world-snapshot.ts";

/** What an edit changed. */
export interface WorldEdit {
  /** The chunks that look different now, in lexicographic order. */
  readonly chunks: readonly Place[];
  /** The regions of these chunks, with their clocks before and after. */
  readonly clocks: readonly ClockStep[];
}

/**
 * A world that is open: what people made on disk and in memory, over what a generator makes. There is one writer a
 * folder. Edits are made in the order in which they are asked for. What lies on disk is read when it is needed.
 */
export class World {
  readonly shape: ChunkShape;
  readonly catalog: MaterialCatalog;
  readonly #clock: Clock;
  readonly #writing: WorldParts["writing"];
  readonly #autosave: Autosave | undefined;
  readonly #edits = new SerialQueue();
  readonly #saves = new SerialQueue();
  readonly #clocks = new RegionClocks();
  readonly #content: WorldContent;
  readonly #listeners = new Set<(edit: WorldEdit) => void>();
  #epoch: number | undefined;
  #failure: unknown;
  /** Whether somebody was told of the failure: an autosave fails with nobody there. */
  #failureTold = false;
  #closing: Promise<void> | undefined;
  #closed = false;

  /** Takes the parts over; others use `createWorld` and `openWorld`. */
  constructor({ clock, save, field, catalog, autosave, writing }: WorldParts) {
    this.shape = field.shape;
    this.catalog = catalog;
    this.#clock = clock;
    this.#writing = writing;
    this.#content = new WorldContent(save, field);
    this.#autosave = writing && autosave ? new Autosave(clock, () => this.#saveByItself()) : undefined;
    for (const { clocks } of save.leaves)
      for (const { region, clock: at } of clocks) this.#clocks.reset(region, at);
  }

  /** The world's name. */
  get name(): string {
    return this.#content.global.description.name;
  }

  /** Where players begin, in voxels. */
  get spawn(): Place {
    return this.#content.global.description.spawn;
  }

  /** The generation that was committed last. */
  get generation(): number {
    return this.#content.save.generation;
  }

  /** Why edits and saves are refused; `undefined` while they are not. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Gives the world another name or place to begin. */
  describe({
    name = this.name,
    spawn = this.spawn,
  }: {
    readonly name?: string;
    readonly spawn?: Place;
  }): void {
    this.#requireWritable();
    const description = { ...this.#content.global.description, name, spawn };
    // Refused now rather than by the next save, which would take everything else down with it.
    encode(worldDescriptionCodec, description);
    this.#content.global = { ...this.#content.global, description };
    this.#content.unsaved.global = true;
    this.#autosave?.within(WORLD_AUTOSAVE_MS);
  }

  /** The material of a voxel. */
  async get(place: Place): Promise<number> {
    const chunk = await this.chunk(chunkOfVoxel(this.shape, place));
    return chunk.get(cellOfVoxel(this.shape, ...place));
  }

  /** The voxels of a chunk: what people made of it, or else what the generator says. */
  async chunk(place: Place): Promise<Chunk> {
    await this.load(boxAt(place));
    return this.#content.field.realizeChunk(...place, "simulation");
  }

  /** All that is in a box of chunks. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    await this.load(box);
    return this.#content.field.queryRegion(box, detail);
  }

  /** Reads what a box of chunks needs from the disk, so that questions and edits there need not wait. */
  async load(box: Box): Promise<void> {
    if (this.#closed) throw refusal("closed");
    await this.#content.load(box);
  }

  /** The world as it is now, for a reader whom later edits must not disturb. Close it when it is not needed. */
  snapshot(): WorldSnapshot {
    if (this.#closed) throw refusal("closed");
    const save = this.#content.save.follow();
    return new WorldSnapshot(this.#content.field, save, this.#content.loaderFor(save));
  }

  /** Puts a material into one voxel. */
  async set(place: Place, material: number): Promise<WorldEdit> {
    return this.edit([{ voxel: place, material }]);
  }

  /** Puts materials into voxels, all in one step; the last one given for a voxel counts. */
  async edit(placements: readonly VoxelPlacement[]): Promise<WorldEdit> {
    return this.#change(voxelsRequest(this.shape, placements));
  }

  /** Puts whole chunks, at most `EDIT_CHUNKS_MAX`, in one step; the last one given for a place counts. */
  async setChunks(chunks: readonly (readonly [place: Place, chunk: Chunk])[]): Promise<WorldEdit> {
    return this.#change(chunksRequest(chunks));
  }

  /** Puts a material into every voxel of a box, which may touch at most `EDIT_CHUNKS_MAX` chunks. */
  async fill(box: Box, material: number): Promise<WorldEdit> {
    return this.#change(fillRequest(this.shape, box, material));
  }

  /** Copies a box of at most `COPY_VOXELS_MAX` voxels, as it is when its turn comes; the two places may overlap. */
  async copy(box: Box, to: Place): Promise<WorldEdit> {
    return this.#change(copyRequest(this.shape, box, to));
  }

  /**
   * Calls back after each edit that changed something, until the function returned is called. When a listener throws,
   * the others are told all the same and the edit stands; its promise then fails with what was thrown.
   */
  onEdit(listener: (edit: WorldEdit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds an entity and gives it an id that was never used before. */
  spawnEntity(entity: NewEntity): EntityRecord {
    this.#requireWritable();
    const entityId = this.#content.global.nextEntityId;
    const record = this.#content.entities.spawn(entityId, entity, this.#clock.nowMs());
    this.#content.global = { ...this.#content.global, nextEntityId: entityId + 1n };
    this.#content.unsaved.global = true;
    this.#content.unsaved.homeless = true;
    this.#autosave?.within(WORLD_AUTOSAVE_MS);
    return record;
  }

  /** Moves or otherwise changes an entity that is loaded. Inside its leaf that is saved now and then only. */
  changeEntity(entityId: bigint, change: EntityChange): void {
    this.#requireWritable();
    const home = this.#content.entities.homeOf(entityId);
    const crosses = this.#content.entities.change(entityId, change, this.#clock.nowMs()) === "crosses";
    if (crosses && home !== undefined) this.#content.unsaved.addEntityCell(home);
    this.#content.unsaved.homeless ||= crosses;
    this.#autosave?.within(crosses ? WORLD_AUTOSAVE_MS : ENTITY_CHECKPOINT_MS);
  }

  /** Removes an entity that is loaded. */
  despawnEntity(entityId: bigint): void {
    this.#requireWritable();
    const home = this.#content.entities.homeOf(entityId);
    this.#content.entities.despawn(entityId);
    if (home !== undefined) this.#content.unsaved.addEntityCell(home);
    this.#autosave?.within(WORLD_AUTOSAVE_MS);
  }

  /** An entity by id, if its surroundings are loaded. */
  entity(entityId: bigint): EntityRecord | undefined {
    return this.#content.entities.get(entityId);
  }

  /** The entities in a box of voxels, by id. */
  async entitiesIn(box: Box): Promise<readonly EntityRecord[]> {
    await this.load(chunksOfHomes(chunksOfVoxels(this.shape, box)));
    return this.#content.entities.within(box);
  }

  /** Every player that was ever here, by id. */
  get players(): readonly PlayerRecord[] {
    return this.#content.players.all();
  }

  /** A player by id. */
  player(playerId: bigint): PlayerRecord | undefined {
    return this.#content.players.get(playerId);
  }

  /** Adds a player, or replaces what was known of the one with the same id. */
  upsertPlayer(player: PlayerRecord): void {
    this.#requireWritable();
    this.#content.players.upsert({ ...player, lastSavedMs: this.#clock.nowMs() });
    this.#content.unsaved.players.add(player.playerId);
    this.#autosave?.within(PLAYERS_AUTOSAVE_MS);
  }

  /**
   * Commits all that was asked for before, also edits still waiting for their turn, and gives the generation once it
   * is durable. Edits that are made while it writes belong to the next one. When it fails, what was saved before is safe and nothing more is accepted.
   */
  async save(): Promise<number> {
    await this.#edits.idle();
    return this.#saveNow("everything");
  }

  /** Writes the world, saved first, to another empty disk. */
  async saveAs(disk: Disk): Promise<void> {
    if (this.#writing !== undefined) await this.save();
    const save = this.#content.save.follow();
    try {
      await copySave(save, disk, this.#clock.nowMs());
    } finally {
      await save.close();
    }
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
    try {
      await this.#edits.idle();
      if (this.#writing !== undefined && this.#failure === undefined) await this.save();
      if (this.#failure !== undefined && !this.#failureTold) throw this.#tellFailure();
    } finally {
      this.#closed = true;
      await this.#saves.idle();
      this.#autosave?.cancel();
      await releaseParts(this.#content.save, this.#writing);
    }
  }

  #change({ touched, change }: EditRequest): Promise<WorldEdit> {
    this.#requireWritable();
    return this.#edits.run(async () => {
      this.#requireWriting();
      for (const box of touched) await this.load(box);
      const epoch = this.#epoch ?? (await this.#beginEpoch());
      // A save may have failed while this edit waited.
      this.#requireWriting();
      const { field, chunks, regions } = change(this.#content.field);
      if (chunks.length === 0) return { chunks, clocks: [] };
      const clocks = this.#clocks.bump(regions, epoch);
      this.#content.field = field;
      for (const place of chunks) this.#content.unsaved.addChunk(place);
      for (const { region, after } of clocks) this.#content.unsaved.clocks.set(...region, after);
      this.#autosave?.within(WORLD_AUTOSAVE_MS);
      const edit: WorldEdit = { chunks, clocks };
      this.#tellListeners(edit);
      return edit;
    });
  }

  #tellListeners(edit: WorldEdit): void {
    const failures: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(edit);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Makes a new epoch of clocks durable before the first clock of it is given to anybody. */
  async #beginEpoch(): Promise<number> {
    const { description } = this.#content.global;
    const epoch = description.clockEpoch + 1;
    this.#content.global = { ...this.#content.global, description: { ...description, clockEpoch: epoch } };
    this.#content.unsaved.global = true;
    await this.#saveNow("what is due");
    this.#epoch = epoch;
    return epoch;
  }

  async #saveNow(what: "everything" | "what is due"): Promise<number> {
    try {
      return await this.#saves.run(() => this.#commit(what));
    } catch (error) {
      this.#failureTold = true;
      throw error;
    }
  }

  async #commit(what: "everything" | "what is due"): Promise<number> {
    const { writer, lock } = this.#requireWriting();
    try {
      // Entities may come to leaves that nobody has read while this waits, so nothing waits between the last look and
      // the moment at which all is taken.
      for (let boxes = this.#content.unreadHomes(); boxes.length > 0; boxes = this.#content.unreadHomes()) {
        for (const box of boxes) await this.#content.load(box);
      }
      const nowMs = this.#clock.nowMs();
      const dueMs = what === "everything" ? nowMs : nowMs - ENTITY_CHECKPOINT_MS;
      const change = this.#content.takeUnsaved(nowMs, dueMs);
      if (change !== undefined) {
        await lock.requireHeld();
        await this.#content.follow(await writer.commit(change));
      }
      this.#planNextSave();
      return this.generation;
    } catch (error) {
      this.#failure = error;
      throw poisoned(error);
    }
  }

  /** Makes sure that a save comes for what was not due in this one, or is due because of it. */
  #planNextSave(): void {
    const oldestMs = this.#content.entities.oldestChangeMs();
    if (this.#content.unsaved.homeless) this.#autosave?.within(WORLD_AUTOSAVE_MS);
    if (oldestMs === undefined) return;
    this.#autosave?.within(Math.max(0, oldestMs + ENTITY_CHECKPOINT_MS - this.#clock.nowMs()));
  }

  #saveByItself(): void {
    // Whoever edits next, or closes the world, is told; there is nobody here to throw to.
    this.#saves.run(() => this.#commit("what is due")).catch(() => undefined);
  }

  /** Throws unless a change may be asked for. */
  #requireWritable(): void {
    if (this.#closing !== undefined) throw refusal("closed");
    this.#requireWriting();
  }

  /** Throws unless a change that was asked for may be made or saved. */
  #requireWriting(): Writing {
    if (this.#closed) throw refusal("closed");
    if (this.#writing === undefined) throw refusal("readOnly");
    if (this.#failure !== undefined) throw this.#tellFailure();
    return this.#writing;
  }

  #tellFailure(): Error {
    this.#failureTold = true;
    return poisoned(this.#failure);
  }
}
