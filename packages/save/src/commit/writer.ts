import { OrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, fencedDisk, SerialQueue, type WriterLock, writeTemporary } from "@orthant/disk/files";
import { type LeafChange, Pacer, type SaveChange, type YieldOptions } from "../change/save-change.ts";
import { mergePlayers, type StoredPlayer } from "../codec/entity.ts";
import { packFile } from "../codec/files.ts";
import { generatedChunks, requireSameGenerator, requireSameShape } from "../codec/global-record.ts";
import { packHeader } from "../codec/layout.ts";
import { encodeManifest, hasPack, type Manifest, withoutJournal, withoutPacks } from "../codec/manifest.ts";
import { commitFailed, reasonOf } from "../codec/save-failed.ts";
import type { GeneratedChunks } from "../codec/stored-chunk.ts";
import {
  type CompactionOptions,
  type CompactionReport,
  type CompactionStart,
  Compactor,
} from "../history/compaction.ts";
import { GenerationRemover, type Retention } from "../history/retention.ts";
import { bulkTrie } from "../leaves/bulk-index.ts";
import { type CommittedChange, changeBetween, NO_CHANGE } from "../leaves/committed-change.ts";
import { pageReader } from "../leaves/index-reader.ts";
import { finishLeaves, type PlannedLeaf, recordsOfLeaves } from "../leaves/leaf-encoder.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { LeafIndex } from "../leaves/leaf-index.ts";
import type { LeafMap } from "../leaves/leaf-map.ts";
import type { EncodedPage, NewPage } from "../leaves/page-writer.ts";
import {
  type IndexPlace,
  type LaidOutIndex,
  NEWEST_FORMAT,
  type SaveFormat,
  saveFormatOf,
  storableLeaves,
} from "../leaves/save-format.ts";
import { PackReader } from "../pack/pack-reader.ts";
import type { PackWriter } from "../pack/pack-writer.ts";
import { type BlobContext, decodeNewRecords, readLeafEntities, readLeafStored } from "../read/blob-reader.ts";
import { requireNewest } from "../read/reader.ts";
import { GenerationHolds, Save, type SaveState } from "../read/save.ts";
import { withNextGenerator } from "./change-generator.ts";
import { commitGeneration, swapManifest } from "./commit-sequence.ts";
import { encodeGeneration, nextManifest } from "./encode-generation.ts";
import { planLeaves } from "./leaf-plan.ts";
import { rewriteLeaves, type UpgradeOptions } from "./rewrite-leaves.ts";
import { WorldRecordWriter } from "./world-record-writer.ts";

/** How a writer treats the generations of its save, and other writers. */
interface WriterSettings {
  /** The generations of the save that it continues. */
  readonly holds?: GenerationHolds;
  readonly retention: Retention;
  readonly lock: WriterLock | undefined;
}

/** What a commit writes besides its index. */
interface NewContent {
  readonly players: readonly StoredPlayer[];
  /** Packs that got records. */
  readonly packIds: Iterable<number>;
  /** Pages that the index adds while it is laid out. */
  readonly pages: readonly NewPage[];
  readonly format: SaveFormat;
}

/**
 * Commits generations of one save, one at a time. It must be the only writer; the caller takes the lock. When
 * a write or sync fails, this and every later commit throws. Earlier commits are safe, and `recover` or
 * `resumeSave` may try again.
 */
export class SaveWriter {
  readonly #disk: Disk;
  readonly #packs: PackWriter;
  /** Open packs, which saves of this writer share. */
  readonly #packReader: PackReader;
  /** The generations that are open in this process. */
  readonly #holds: GenerationHolds;
  /** Checks the lock before each rename and removal. */
  readonly #fenced: Disk;
  readonly #remover: GenerationRemover;
  readonly #compactor: Compactor;
  #generated: GeneratedChunks;
  readonly #lock: WriterLock | undefined;
  #state: SaveState;
  #format: SaveFormat;
  #lastChange: CommittedChange = NO_CHANGE;
  #busy = false;
  /** Serializes steps that write a manifest or begin a pack. */
  readonly #turns = new SerialQueue();
  #failure: unknown;
  #droppedClocks = 0;

  /** Takes ownership of the packs. Use `createSave` or `resumeSave` instead. */
  constructor(
    disk: Disk,
    state: SaveState,
    packs: PackWriter,
    generated: GeneratedChunks,
    { holds = new GenerationHolds(), retention, lock }: WriterSettings,
  ) {
    this.#disk = disk;
    this.#lock = lock;
    this.#state = state;
    this.#format = saveFormatOf(state.indexVersion);
    this.#packs = packs;
    this.#packReader = new PackReader(disk);
    this.#holds = holds;
    this.#fenced = lock === undefined ? disk : fencedDisk(disk, lock);
    this.#remover = new GenerationRemover(this.#fenced, holds, retention, lock);
    this.#compactor = new Compactor(this.#fenced, this.#packReader, holds, lock);
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

  /** Whether the save has the newest versions of index and blobs, so that there is nothing to upgrade. */
  get isNewest(): boolean {
    return this.#format === NEWEST_FORMAT;
  }

  /** Error from removing old generations after the last commit, which stands regardless. */
  get retirementFailure(): OrthantError | undefined {
    return this.#remover.failure;
  }

  /** Number of clocks that the last commit omitted because the index has version 1. */
  get droppedClocks(): number {
    return this.#droppedClocks;
  }

  /** Returns the last generation as a separate save. The caller closes it. */
  currentSave(): Save {
    return new Save(this.#state, this.#packReader.share(), this.#generated, this.#holds);
  }

  /**
   * Commits the next generation. Returns it once it is durable; the caller closes it. A large change is
   * encoded in slices, between which other work may run. Rules S43 to S46.
   */
  async commit(change: SaveChange, work?: YieldOptions): Promise<Save> {
    this.#requireUsable();
    const { volume } = this.#state.global.description.chunkShape;
    return this.#alone(() => this.#commit(change, new Pacer(volume, work)));
  }

  /**
   * Rewrites everything in the newest versions of index and blobs, as one commit: until it is durable, the world is as it
   * was. Holds one leaf at a time, and the encoded entries of all. Does nothing if the versions are the newest already.
   * Afterwards {@link lastChange} names only pages. Rule S119.
   */
  async upgrade(options: UpgradeOptions): Promise<Save> {
    this.#requireUsable();
    return this.isNewest ? this.currentSave() : this.#alone(() => this.#upgrade(options));
  }

  /**
   * Rewrites packs without the records that no generation needs, if enough of them are dead, while commits
   * continue. A call during a compaction joins it, but a forced call waits for an unforced one. A failure
   * leaves the save unchanged. Rules S89 to S91.
   */
  compact(options: CompactionOptions): Promise<CompactionReport> {
    return this.#compactor.compact(() => this.#beginCompaction(options), options);
  }

  /** Removes an empty journal from the manifest, so that its segment may be deleted. Rule J24. */
  async endJournal(): Promise<void> {
    if (this.#state.manifest.journalEpoch === undefined) return;
    this.#requireUsable();
    await this.#turns.run(() => this.#guard(() => this.#swapManifest(withoutJournal(this.#state.manifest))));
  }

  /**
   * Makes a writer usable again after a failed commit, and removes what that commit left on the disk. Does nothing if
   * none failed. Throws `ORT_GENERATION` if the failed commit is there: open the save again to continue from it.
   */
  async recover(): Promise<void> {
    if (this.#failure === undefined) return;
    await this.#turns.run(async () => {
      await this.#lock?.requireHeld();
      await requireNewest(this.#disk, this.#state.generation);
      await this.#packs.discardUnsynced();
      this.#failure = undefined;
    });
  }

  /** Closes the files and ends a running compaction. Commits nothing, and removes a pack that got no record. */
  async close(): Promise<void> {
    await this.#compactor.close();
    await this.#packReader.release();
    await this.#packs.close();
    const emptyId = this.#packs.forgetEmpty();
    // A failure is harmless: a later compaction removes the pack.
    if (emptyId !== undefined) await attempt(() => this.#fenced.remove(packFile(emptyId)));
  }

  /** Runs a commit while no other runs, then retires what is not kept. */
  async #alone(commit: () => Promise<void>): Promise<Save> {
    this.#busy = true;
    try {
      await this.#turns.run(commit);
    } finally {
      this.#busy = false;
    }
    await this.#remover.afterCommit(this.#state, this.#lastChange.removedPages);
    return this.currentSave();
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
    requireSameShape(this.#state.global, change.global);
    requireSameGenerator(this.#state.global, change.global);
    const { generatorChange } = change;
    if (generatorChange === undefined) return this.#commitLeaves(change, pacer);
    const context = this.#blobContext;
    const readStored = (leaf: LeafEntry) => readLeafStored(this.#packReader, leaf, context);
    await this.#commitLeaves(await withNextGenerator(change, this.#state, { readStored, pacer }), pacer);
    this.#generated = generatedChunks(this.#state.global, generatorChange.generators);
  }

  async #commitLeaves(change: SaveChange, pacer: Pacer): Promise<void> {
    const changes = change.leaves ?? [];
    const draft: LeafMap<PlannedLeaf> = await this.#state.index.draft(changes.map(({ cube }) => cube));
    try {
      await this.#write(change, draft, await this.#planLeaves(changes, draft, pacer));
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
    const context = this.#blobContext;
    return planLeaves(draft, changes, {
      shape: global.description.chunkShape,
      limits: manifest.limits,
      blobs: this.#format.blobs,
      generated: this.#generated,
      pacer,
      readStored: (leaf) => readLeafStored(this.#packReader, leaf, { ...context, isOffThread: true }),
      decodeStored: (records) => decodeNewRecords(records, context),
      readEntities: (leaf) => readLeafEntities(this.#packReader, leaf, context),
    });
  }

  async #write(
    change: SaveChange,
    draft: LeafMap<PlannedLeaf>,
    planned: readonly PlannedLeaf[],
  ): Promise<void> {
    const players = mergePlayers(this.#state.players, change.players ?? [], change.removedPlayers);
    const records = await recordsOfLeaves(planned);
    const refs = await this.#guard(async () => {
      if (this.#compactor.isWasteful(this.#packs.activeId)) await this.#packs.beginPack();
      return this.#packs.append(records.flat());
    });
    for (const { cube } of planned) draft.remove(cube);
    const format = this.#format;
    const { leaves, droppedClocks } = storableLeaves(finishLeaves(planned, records, refs), format);
    this.#droppedClocks = droppedClocks;
    for (const leaf of leaves) draft.add(leaf);
    const pages: NewPage[] = [];
    const emit = (page: NewPage): void => void pages.push(page);
    const packIds = new Set(refs.map(({ packId }) => packId));
    const index = await this.#commitIndex(change, { players, packIds, pages, format }, (place) =>
      format.layOut(() => draft.root, { ...place, emit, keep: true }),
    );
    this.#lastChange = await changeBetween(index.before, index.after);
  }

  /** Rewrites all leaves, one at a time, and commits them. */
  async #upgrade(options: UpgradeOptions): Promise<void> {
    const { players, index, manifest, global } = this.#state;
    const removedPages = await index.pageFiles();
    const context = {
      packs: this.#packs,
      packReader: this.#packReader,
      shape: global.description.chunkShape,
      limits: manifest.limits,
    };
    const { leaves, packIds } = await this.#guard(() => rewriteLeaves(index, context, options.onLeaf));
    const pages: NewPage[] = [];
    // Pages go to the disk at once, so that memory never holds all of them.
    const emit = async ({ path, bytes }: EncodedPage): Promise<void> => {
      await writeTemporary(this.#disk, path, bytes, this.#lock);
      pages.push({ path, bytes: undefined });
    };
    const format = NEWEST_FORMAT;
    await this.#commitIndex(options, { players, packIds, pages, format }, (place) =>
      this.#guard(() => format.layOut((writer) => bulkTrie(leaves, writer), { ...place, emit, keep: false })),
    );
    this.#lastChange = { ...NO_CHANGE, removedPages };
  }

  /** Commits an index, which `layOut` makes, with everything else of its generation. */
  async #commitIndex(
    change: Omit<SaveChange, "leaves">,
    { players, packIds, pages, format }: NewContent,
    layOut: (place: Omit<IndexPlace, "emit" | "keep">) => Promise<LaidOutIndex>,
  ): Promise<{ readonly before: LeafIndex; readonly after: LeafIndex }> {
    const before = this.#state;
    const state = change.global ?? before.global;
    const recordWriter = new WorldRecordWriter(this.#packs, this.#packReader);
    const records = await this.#guard(() =>
      recordWriter.write(before.global, { global: state, store: change.store, format }),
    );
    const next = nextManifest(before.manifest, {
      nowMs: change.nowMs,
      activeDataFileId: this.#packs.activeId,
      packIds: [...packIds, ...recordWriter.packIds],
    });
    const { currentGeneration: generation, limits } = next;
    const { index, indexFile, indexVersion } = await layOut({
      generation,
      limits,
      read: pageReader(this.#disk),
    });
    const {
      global,
      bytes,
      manifest: bound,
    } = encodeGeneration(next, { indexFile, state, records, players, format });
    const { journalEpoch } = change;
    const manifest = journalEpoch === undefined ? bound : { ...bound, journalEpoch };
    const syncRecords = (): Promise<void> => this.#packs.sync();
    const files = { syncRecords, files: next, bytes, pages, manifest: encodeManifest(manifest) };
    await this.#guard(() => commitGeneration(this.#disk, files, this.#lock));
    this.#state = { ...this.#state, generation, manifest, global, players, index, indexVersion };
    this.#format = format;
    return { before: before.index, after: index };
  }

  get #blobContext(): BlobContext {
    const { global, manifest } = this.#state;
    return {
      chunkVolume: global.description.chunkShape.volume,
      limits: manifest.limits,
      generated: this.#generated,
    };
  }

  /** Runs a step that writes. If it fails, the state on the disk is unknown and the writer becomes unusable. */
  async #guard<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      this.#failure = await reasonOf(error, this.#lock);
      throw this.#failure;
    }
  }

  #requireUsable(): void {
    this.#requireSound();
    if (this.#busy) throw new OrthantError("ORT_ARGUMENT", "a commit is still running");
  }

  #requireSound(): void {
    if (this.#failure !== undefined) throw commitFailed(this.#failure);
  }
}
