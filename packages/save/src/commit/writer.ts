import { OrthantError } from "@orthant/core";
import { comparePositions } from "@orthant/core/engine";
import type { Disk } from "@orthant/disk";
import type { WriterLock } from "@orthant/disk/files";
import { SerialQueue } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { mergePlayers, playersCodec } from "../codec/entity.ts";
import { generationFiles } from "../codec/files.ts";
import {
  type GlobalRecord,
  type GlobalState,
  globalRecordCodec,
  requireSameGenerator,
} from "../codec/global-record.ts";
import { packHeader } from "../codec/layout.ts";
import {
  bindingOf,
  encodeManifest,
  hasPack,
  type Manifest,
  withoutJournal,
  withoutPacks,
  withPacks,
} from "../codec/manifest.ts";
import { globalPayloadFile, playersPayloadFile } from "../codec/payload-file.ts";
import type { GeneratedChunks } from "../codec/stored-chunk.ts";
import type { CompactionOptions, CompactionReport, CompactionStart } from "../history/compaction.ts";
import type { SaveHistory } from "../history/save-history.ts";
import { layOutIndex, pageTargetBytes } from "../index/index-layout.ts";
import { pageReader } from "../index/index-reader.ts";
import type { LeafEntry } from "../index/leaf-entry.ts";
import type { LeafMap } from "../index/leaf-map.ts";
import type { ChunkBlobVersion } from "../index/leaf-partition.ts";
import { encodeLeaves, finishLeaves, type PlannedLeaf, planLeaves } from "../index/leaf-plan.ts";
import { type NewPage, PageWriter } from "../index/page-writer.ts";
import type { PackWriter } from "../pack/pack-writer.ts";
import { type BlobContext, readLeafEntities, readLeafStored } from "../read/blob-reader.ts";
import { Save, type SaveState } from "../read/save.ts";
import { commitGeneration, swapManifest } from "./commit-sequence.ts";
import {
  type CommittedChange,
  changeBetween,
  type LeafChange,
  NO_CHANGE,
  Pacer,
  type SaveChange,
  type YieldOptions,
} from "./save-change.ts";

/**
 * Commits generations of one save, one at a time. It must be the only writer; the caller takes the lock. When
 * a write or sync fails, this and every later commit throws. Earlier commits are safe, and `resumeSave` may
 * try again.
 */
export class SaveWriter {
  readonly #disk: Disk;
  readonly #packs: PackWriter;
  readonly #history: SaveHistory;
  readonly #generated: GeneratedChunks;
  readonly #lock: WriterLock | undefined;
  #state: SaveState;
  #lastChange: CommittedChange = NO_CHANGE;
  #busy = false;
  /** Serializes steps that write a manifest or begin a pack. */
  readonly #turns = new SerialQueue();
  #failure: unknown;
  #droppedClocks = 0;

  /** Takes ownership of packs and history. Use `createSave` or `resumeSave` instead. */
  constructor(
    disk: Disk,
    state: SaveState,
    packs: PackWriter,
    history: SaveHistory,
    generated: GeneratedChunks,
    lock?: WriterLock,
  ) {
    this.#disk = disk;
    this.#lock = lock;
    this.#state = state;
    this.#packs = packs;
    this.#history = history;
    this.#generated = generated;
  }

  /** The last committed generation. */
  get state(): SaveState {
    return this.#state;
  }

  /** The difference that the last commit made; empty before the first one. */
  get lastChange(): CommittedChange {
    return this.#lastChange;
  }

  /** Generations held open in this process by saves of this writer, and by the save it continues. */
  get heldGenerations(): ReadonlySet<number> {
    return this.#history.holds.generations();
  }

  /** Error from removing old generations after the last commit, which stands regardless. */
  get retirementFailure(): OrthantError | undefined {
    return this.#history.retirementFailure;
  }

  /** Number of clocks that the last commit omitted because the index has version 1. */
  get droppedClocks(): number {
    return this.#droppedClocks;
  }

  /** Returns the last generation as a separate save. The caller closes it. */
  currentSave(): Save {
    const { packReader, holds } = this.#history;
    return new Save(this.#state, packReader.share(), this.#generated, holds);
  }

  /**
   * Commits the next generation. Returns it once it is durable; the caller closes it. A large change is
   * encoded in slices, between which other work may run. Rules S43 to S46.
   */
  async commit(change: SaveChange, work?: YieldOptions): Promise<Save> {
    this.#requireUsable();
    this.#busy = true;
    try {
      await this.#turns.run(() => this.#commit(change, new Pacer(work)));
    } finally {
      this.#busy = false;
    }
    await this.#history.retire(this.#state, this.#lastChange.removedPages);
    return this.currentSave();
  }

  /**
   * Rewrites packs without the records that no generation needs, if enough of them are dead, while commits
   * continue. A call during a compaction joins it, but a forced call waits for an unforced one. A failure
   * leaves the save unchanged. Rules S89 to S91.
   */
  compact(options: CompactionOptions): Promise<CompactionReport> {
    return this.#history.compact(() => this.#beginCompaction(options), options);
  }

  /** Removes an empty journal from the manifest, so that its segment may be deleted. Rule J24. */
  async endJournal(): Promise<void> {
    if (this.#state.manifest.journalEpoch === undefined) return;
    this.#requireUsable();
    await this.#turns.run(() => this.#guard(() => this.#swapManifest(withoutJournal(this.#state.manifest))));
  }

  /** Closes the files and ends a running compaction. Commits nothing. */
  async close(): Promise<void> {
    await this.#history.close();
    await this.#packs.close();
  }

  async #beginCompaction({ force = false }: CompactionOptions): Promise<CompactionStart> {
    this.#requireSound();
    if (force && !this.#busy && this.#packs.activeBytes > packHeader.bytes) {
      await this.#turns.run(() => this.#guard(() => this.#packs.roll()));
    }
    const { activeId: activePackId, activeBytes } = this.#packs;
    return {
      live: this.currentSave(),
      activePackId,
      activeBytes,
      forgetPacks: (packIds) => this.#turns.run(() => this.#forgetPacks(packIds)),
    };
  }

  /**
   * Removes packs from the manifest, so that they can be deleted. A failure leaves the save unchanged.
   * Rule S103.
   */
  async #forgetPacks(packIds: readonly number[]): Promise<void> {
    this.#requireSound();
    const { manifest } = this.#state;
    const { dataFiles = [] } = manifest;
    if (!packIds.some((packId) => hasPack(dataFiles, packId))) return;
    await this.#swapManifest({ ...manifest, dataFiles: withoutPacks(dataFiles, packIds) });
  }

  async #swapManifest(manifest: Manifest): Promise<void> {
    await swapManifest(this.#disk, encodeManifest(manifest), this.#lock);
    this.#state = { ...this.#state, manifest };
  }

  async #commit(change: SaveChange, pacer: Pacer): Promise<void> {
    this.#requireSound();
    this.#requireSameShape(change.global);
    requireSameGenerator(this.#state.global, change.global);
    const changes = change.leaves ?? [];
    const draft: LeafMap<PlannedLeaf> = await this.#state.index.draft(changes.map(({ cube }) => cube));
    try {
      await this.#write(change, draft, await this.#planLeaves(changes, draft, pacer), pacer);
    } finally {
      draft.release();
    }
  }

  async #planLeaves(
    changes: readonly LeafChange[],
    draft: LeafMap<PlannedLeaf>,
    pacer: Pacer,
  ): Promise<readonly PlannedLeaf[]> {
    const { global, manifest } = this.#state;
    const context: BlobContext = {
      chunkVolume: global.description.chunkShape.volume,
      limits: manifest.limits,
      generated: this.#generated,
    };
    return planLeaves(draft, changes, {
      shape: global.description.chunkShape,
      limits: manifest.limits,
      blobVersion: this.#blobVersion,
      generated: this.#generated,
      pacer,
      readStored: (leaf) => readLeafStored(this.#history.packReader, leaf, context),
      readEntities: (leaf) => readLeafEntities(this.#history.packReader, leaf, context),
    });
  }

  async #write(
    change: SaveChange,
    draft: LeafMap<PlannedLeaf>,
    planned: readonly PlannedLeaf[],
    pacer: Pacer,
  ): Promise<void> {
    const players = mergePlayers(this.#state.players, change.players ?? [], change.removedPlayers);
    const playersFile = playersPayloadFile.encode(playersCodec, players);
    const records = await encodeLeaves(planned, this.#state.manifest.limits, this.#blobVersion, pacer);
    const refs = await this.#guard(async () => {
      if (this.#history.isWasteful(this.#packs.activeId)) await this.#packs.beginPack();
      return this.#packs.append(records.flat());
    });
    for (const { cube } of planned) draft.remove(cube);
    for (const leaf of this.#storable(finishLeaves(planned, records, refs))) draft.add(leaf);
    const manifest = this.#nextManifest(change.nowMs, refs);
    const global: GlobalRecord = {
      ...(change.global ?? this.#state.global),
      nextDataFileId: manifest.activeDataFileId + 1,
      lastModifiedMs: change.nowMs,
    };
    const generation = manifest.currentGeneration;
    const pages: NewPage[] = [];
    const { index, indexFile, indexVersion } = await layOutIndex(draft.root, {
      generation,
      version: this.#state.indexVersion,
      read: pageReader(this.#disk),
      pages: new PageWriter({
        generation,
        targetBytes: pageTargetBytes(manifest.limits),
        emit: (page) => void pages.push(page),
        keep: true,
      }),
    });
    const globalFile = globalPayloadFile.encode(globalRecordCodec, global);
    const files = { indexFile, globalFile, playersFile };
    const { journalEpoch } = change;
    const bound: Manifest = {
      ...manifest,
      ...bindingOf(files, global),
      ...(journalEpoch !== undefined && { journalEpoch }),
    };
    await this.#guard(async () => {
      await this.#packs.sync();
      const next = { files: manifest, bytes: files, pages, manifest: encodeManifest(bound) };
      await commitGeneration(this.#disk, next, this.#lock);
    });
    this.#lastChange = await changeBetween(this.#state.index, index);
    this.#state = { ...this.#state, generation, manifest: bound, global, players, index, indexVersion };
  }

  get #blobVersion(): ChunkBlobVersion {
    return this.#state.indexVersion === 1 ? 1 : 2;
  }

  #storable(leaves: readonly LeafEntry[]): readonly LeafEntry[] {
    return this.#state.indexVersion === 1 ? this.#dropClocks(leaves) : leaves;
  }

  /** An index of version 1 cannot store clocks, nor a leaf that has only clocks. */
  #dropClocks(leaves: readonly LeafEntry[]): readonly LeafEntry[] {
    this.#droppedClocks = leaves.reduce((sum, { clocks }) => sum + clocks.length, 0);
    return leaves
      .filter(({ chunkRefs, entityRefs }) => chunkRefs.length + entityRefs.length > 0)
      .map((leaf) => ({ ...leaf, clocks: [] }));
  }

  #nextManifest(nowMs: number, refs: readonly RecordRef[]): Manifest {
    const manifest = withoutJournal(this.#state.manifest);
    const currentGeneration = manifest.currentGeneration + 1;
    const activeDataFileId = this.#packs.activeId;
    return {
      ...manifest,
      ...generationFiles(currentGeneration),
      currentGeneration,
      lastModifiedMs: nowMs,
      activeDataFileId,
      dataFileCount: Math.max(manifest.dataFileCount, activeDataFileId),
      dataFiles: withPacks(manifest.dataFiles ?? [], new Set(refs.map(({ packId }) => packId))),
    };
  }

  /**
   * Runs a step that writes. If it fails, the state on the disk is unknown and the writer becomes unusable.
   */
  async #guard<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      this.#failure = await this.#reasonOf(error);
      throw this.#failure;
    }
  }

  /** A writer that lost its lock finds its files gone. The lost lock is the better explanation. */
  async #reasonOf(error: unknown): Promise<unknown> {
    try {
      await this.#lock?.requireHeld();
      return error;
    } catch (loss) {
      return loss;
    }
  }

  #requireUsable(): void {
    this.#requireSound();
    if (this.#busy) throw new OrthantError("ORT_ARGUMENT", "a commit is still running");
  }

  #requireSound(): void {
    if (this.#failure !== undefined) {
      const reason = this.#failure instanceof Error ? this.#failure.message : String(this.#failure);
      throw new OrthantError(
        "ORT_SAVE_FAILED",
        `an earlier commit failed: ${reason}`,
        {},
        { cause: this.#failure },
      );
    }
  }

  #requireSameShape(global: GlobalState | undefined): void {
    const now = this.#state.global.description.chunkShape.extents;
    const next = global?.description.chunkShape.extents ?? now;
    if (comparePositions(now, next) === 0) return;
    throw new OrthantError("ORT_ARGUMENT", `chunks of [${next}] in a world of chunks of [${now}]`);
  }
}
