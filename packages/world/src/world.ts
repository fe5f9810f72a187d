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
  type FieldEdit,
  type MaterialCatalog,
  type Place,
  type QueryDetail,
  RegionClocks,
  type RegionTree,
  type VoxelPlacement,
  type WorldField,
} from "@orthant/core";
import type { Disk, DiskLock } from "@orthant/disk";
import {
  chunkOfEntity,
  type EntityRecord,
  type GlobalState,
  type PlayerRecord,
  type Save,
  type SaveChange,
  type SaveWriter,
} from "@orthant/formats";
import { Autosave } from "./autosave.ts";
import { copySave } from "./copy-save.ts";
import { type EntityChange, EntityStore, type NewEntity } from "./entity-store.ts";
import { homeAfter, leafChanges } from "./leaf-changes.ts";
import { LeafLoader, type LoadedLeaf } from "./leaf-loader.ts";
import { PlayerStore } from "./player-store.ts";
import { SerialQueue } from "./serial-queue.ts";
import { Unsaved } from "./unsaved.ts";
import { copyBox, copyTarget, fillBox, requireAtMost } from "./voxel-boxes.ts";
import { poisoned, refusal } from "./world-error.ts";
import {
  EDIT_CHUNKS_MAX,
  ENTITY_CHECKPOINT_MS,
  PLAYERS_AUTOSAVE_MS,
  WORLD_AUTOSAVE_MS,
} from "./world-options.ts";
import { WorldSnapshot } from "./world-snapshot.ts";

/** What an edit changed. */
export interface WorldEdit {
  /** The chunks that look different now, in lexicographic order. */
  readonly chunks: readonly Place[];
  /** The regions of these chunks, with their clocks before and after. */
  readonly clocks: readonly ClockStep[];
}

/** All that makes a world, as `createWorld` and `openWorld` put it together. */
export interface WorldParts {
  readonly clock: Clock;
  readonly save: Save;
  readonly field: WorldField;
  readonly catalog: MaterialCatalog;
  readonly autosave: boolean;
  /** What only the one writer has. */
  readonly writing: { readonly writer: SaveWriter; readonly lock: DiskLock } | undefined;
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
  readonly #entities: EntityStore;
  readonly #players: PlayerStore;
  readonly #listeners = new Set<(edit: WorldEdit) => void>();
  #global: GlobalState;
  #save: Save;
  #field: WorldField;
  readonly #loader: LeafLoader;
  #unsaved = new Unsaved();
  #epoch: number | undefined;
  #failure: unknown;
  #closed = false;

  /** Takes the parts over; others use `createWorld` and `openWorld`. */
  constructor({ clock, save, field, catalog, autosave, writing }: WorldParts) {
    this.shape = field.shape;
    this.catalog = catalog;
    this.#clock = clock;
    this.#writing = writing;
    this.#save = save;
    this.#field = field;
    this.#global = save.global;
    this.#loader = new LeafLoader(save);
    this.#entities = new EntityStore(field.shape);
    this.#players = new PlayerStore(save.players);
    this.#autosave = writing && autosave ? new Autosave(clock, () => this.#saveByItself()) : undefined;
    for (const { clocks } of save.leaves)
      for (const { region, clock: at } of clocks) this.#clocks.reset(region, at);
  }

  /** The world's name. */
  get name(): string {
    return this.#global.description.name;
  }

  /** Where players begin, in voxels. */
  get spawn(): Place {
    return this.#global.description.spawn;
  }

  /** The generation that was committed last. */
  get generation(): number {
    return this.#save.generation;
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
    this.#global = { ...this.#global, description: { ...this.#global.description, name, spawn } };
    this.#unsaved.global = true;
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
    return this.#field.realizeChunk(...place, "simulation");
  }

  /** All that is in a box of chunks. */
  async region(box: Box, detail: QueryDetail = "concrete"): Promise<RegionTree> {
    await this.load(box);
    return this.#field.queryRegion(box, detail);
  }

  /** Reads what a box of chunks needs from the disk, so that questions and edits there need not wait. */
  async load(box: Box): Promise<void> {
    if (this.#closed) throw refusal("closed");
    await this.#loader.load(box, (leaf) => this.#take(leaf));
  }

  /** The world as it is now, for a reader whom later edits must not disturb. Close it when it is not needed. */
  snapshot(): WorldSnapshot {
    if (this.#closed) throw refusal("closed");
    const save = this.#save.follow(this.#save);
    return new WorldSnapshot(this.#field, save, this.#loader.copy(save));
  }

  /** Puts a material into one voxel. */
  set(place: Place, material: number): Promise<WorldEdit> {
    return this.edit([{ voxel: place, material }]);
  }

  /** Puts materials into voxels, all in one step; the last one given for a voxel counts. */
  edit(placements: readonly VoxelPlacement[]): Promise<WorldEdit> {
    const chunks = placements.map(({ voxel }) => boxAt(chunkOfVoxel(this.shape, voxel)));
    return this.#change(chunks, (field) => field.setVoxels(placements));
  }

  /** Puts whole chunks, at most `EDIT_CHUNKS_MAX`, in one step; the last one given for a place counts. */
  async setChunks(chunks: readonly (readonly [place: Place, chunk: Chunk])[]): Promise<WorldEdit> {
    requireAtMost(chunks.length, EDIT_CHUNKS_MAX, "chunks: put them in parts");
    return this.#change(
      chunks.map(([place]) => boxAt(place)),
      (field) => field.setChunks(chunks),
    );
  }

  /** Puts a material into every voxel of a box, which may touch at most `EDIT_CHUNKS_MAX` chunks. */
  async fill(box: Box, material: number): Promise<WorldEdit> {
    return this.#change([chunksOfVoxels(this.shape, box)], (field) => fillBox(field, box, material));
  }

  /** Copies a box of at most `COPY_VOXELS_MAX` voxels, as it is when its turn comes; the two places may overlap. */
  async copy(box: Box, to: Place): Promise<WorldEdit> {
    const touched = [box, copyTarget(box, to)].map((voxels) => chunksOfVoxels(this.shape, voxels));
    return this.#change(touched, (field) => copyBox(field, box, to));
  }

  /** Calls back after each edit that changed something, until the function returned is called. */
  onEdit(listener: (edit: WorldEdit) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds an entity and gives it an id that was never used before. */
  spawnEntity(entity: NewEntity): EntityRecord {
    this.#requireWritable();
    const entityId = this.#global.nextEntityId;
    const record = this.#entities.spawn(entityId, entity, this.#clock.nowMs());
    this.#global = { ...this.#global, nextEntityId: entityId + 1n };
    this.#unsaved.global = true;
    this.#unsaved.homeless = true;
    this.#autosave?.within(WORLD_AUTOSAVE_MS);
    return record;
  }

  /** Moves or otherwise changes an entity that is loaded. Inside its leaf that is saved now and then only. */
  changeEntity(entityId: bigint, change: EntityChange): void {
    this.#requireWritable();
    const home = this.#entities.homeOf(entityId);
    const crosses = this.#entities.change(entityId, change, this.#clock.nowMs()) === "crosses";
    if (crosses && home !== undefined) this.#unsaved.addEntityCell(home);
    this.#unsaved.homeless ||= crosses;
    this.#autosave?.within(crosses ? WORLD_AUTOSAVE_MS : ENTITY_CHECKPOINT_MS);
  }

  /** Removes an entity that is loaded. */
  despawnEntity(entityId: bigint): void {
    this.#requireWritable();
    const home = this.#entities.homeOf(entityId);
    this.#entities.despawn(entityId);
    if (home !== undefined) this.#unsaved.addEntityCell(home);
    this.#autosave?.within(WORLD_AUTOSAVE_MS);
  }

  /** An entity by id, if its surroundings are loaded. */
  entity(entityId: bigint): EntityRecord | undefined {
    return this.#entities.get(entityId);
  }

  /** The entities in a box of voxels, by id. */
  async entitiesIn(box: Box): Promise<readonly EntityRecord[]> {
    await this.load(chunksOfVoxels(this.shape, box));
    return this.#entities.within(box);
  }

  /** Every player that was ever here, by id. */
  get players(): readonly PlayerRecord[] {
    return this.#players.all();
  }

  /** A player by id. */
  player(playerId: bigint): PlayerRecord | undefined {
    return this.#players.get(playerId);
  }

  /** Adds a player, or replaces what was known of the one with the same id. */
  upsertPlayer(player: PlayerRecord): void {
    this.#requireWritable();
    this.#players.upsert({ ...player, lastSavedMs: this.#clock.nowMs() });
    this.#unsaved.players.add(player.playerId);
    this.#autosave?.within(PLAYERS_AUTOSAVE_MS);
  }

  /**
   * Commits all that is not saved yet, and gives the generation once it is durable. Edits that are made meanwhile
   * belong to the next one. When it fails, what was saved before is safe and nothing more is accepted.
   */
  save(): Promise<number> {
    return this.#saves.run(() => this.#commit("everything"));
  }

  /** Writes the world, saved first, to another empty disk. */
  async saveAs(disk: Disk): Promise<void> {
    if (this.#writing !== undefined) await this.save();
    const save = this.#save.follow(this.#save);
    try {
      await copySave(save, disk, this.#clock.nowMs());
    } finally {
      await save.close();
    }
  }

  /** Saves what is not saved and lets go of the folder. Closing twice is harmless. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#edits.idle();
    try {
      if (this.#writing !== undefined && this.#failure === undefined) await this.save();
    } finally {
      this.#closed = true;
      this.#autosave?.cancel();
      await this.#saves.idle();
      await this.#save.close();
      await this.#writing?.writer.close();
      await this.#writing?.lock.release();
    }
  }

  #change(touched: readonly Box[], change: (field: WorldField) => FieldEdit): Promise<WorldEdit> {
    return this.#edits.run(async () => {
      this.#requireWritable();
      for (const box of touched) await this.load(box);
      const epoch = this.#epoch ?? (await this.#beginEpoch());
      // A save may have failed while this edit waited.
      this.#requireWritable();
      const { field, chunks, regions } = change(this.#field);
      if (chunks.length === 0) return { chunks, clocks: [] };
      this.#field = field;
      const clocks = this.#clocks.bump(regions, epoch);
      for (const place of chunks) this.#unsaved.addChunk(place);
      for (const { region, after } of clocks) this.#unsaved.clocks.set(...region, after);
      this.#autosave?.within(WORLD_AUTOSAVE_MS);
      const edit: WorldEdit = { chunks, clocks };
      for (const listener of this.#listeners) listener(edit);
      return edit;
    });
  }

  /** Makes a new epoch of clocks durable before the first clock of it is given to anybody. */
  async #beginEpoch(): Promise<number> {
    const { description } = this.#global;
    const epoch = description.clockEpoch + 1;
    this.#global = { ...this.#global, description: { ...description, clockEpoch: epoch } };
    this.#unsaved.global = true;
    await this.#saves.run(() => this.#commit("what is due"));
    this.#epoch = epoch;
    return epoch;
  }

  async #commit(what: "everything" | "what is due"): Promise<number> {
    this.#requireWritable();
    const { writer, lock } = this.#writing as NonNullable<WorldParts["writing"]>;
    try {
      for (const entity of this.#entities.homeless())
        await this.load(boxAt(chunkOfEntity(entity, this.shape)));
      const nowMs = this.#clock.nowMs();
      const dueMs = what === "everything" ? nowMs : nowMs - ENTITY_CHECKPOINT_MS;
      for (const cell of this.#entities.changedSince(dueMs)) this.#unsaved.addEntityCell(cell);
      if (this.#unsaved.isEmpty) return this.#save.generation;
      const change = this.#takeUnsaved(nowMs);
      await lock.requireHeld();
      await this.#follow(await writer.commit(change));
      return this.#save.generation;
    } catch (error) {
      this.#failure = error;
      throw poisoned(error);
    }
  }

  /** What a commit has to write, as everything is at this moment; from now on, changes belong to the next one. */
  #takeUnsaved(nowMs: number): SaveChange {
    const unsaved = this.#unsaved;
    this.#unsaved = new Unsaved();
    const leaves = leafChanges(unsaved, this.#loader.map, this.#field.overrides, this.#entities).map(
      (change) => {
        const entities = change.entities?.map((entity) => ({ ...entity, lastSavedMs: nowMs }));
        for (const entity of entities ?? []) this.#entities.markStored(entity, change.cell);
        return entities === undefined ? change : { ...change, entities };
      },
    );
    const players = Array.from(unsaved.players, (id) => this.#players.get(id)).filter(
      (player) => player !== undefined,
    );
    return { nowMs, leaves, players, ...(unsaved.global && { global: this.#global }) };
  }

  async #follow(save: Save): Promise<void> {
    const before = this.#save;
    await this.#loader.follow(save, (leaf) => this.#take(leaf));
    this.#save = save;
    const { map } = this.#loader;
    this.#entities.rehome((home, entity) => homeAfter(map, home, chunkOfEntity(entity, this.shape)));
    await before.close();
  }

  #take({ leaf, overrides, entities }: LoadedLeaf): void {
    this.#field = this.#field.withOverrides(this.#field.overrides.merge(overrides));
    this.#entities.load(leaf.cell, entities);
  }

  #saveByItself(): void {
    // Whoever edits next, or closes the world, is told; there is nobody here to throw to.
    this.#saves.run(() => this.#commit("what is due")).catch(() => undefined);
  }

  #requireWritable(): void {
    if (this.#closed) throw refusal("closed");
    if (this.#writing === undefined) throw refusal("readOnly");
    if (this.#failure !== undefined) throw poisoned(this.#failure);
  }
}
