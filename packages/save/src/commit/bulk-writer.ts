import type { ChunkShape } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { playersCodec, type StoredPlayer, sortPlayers } from "../codec/entity.ts";
import { generationFiles } from "../codec/files.ts";
import { type GlobalState, globalRecordCodec } from "../codec/global-record.ts";
import { DEFAULT_LIMITS, type SaveLimits } from "../codec/layout.ts";
import { bindingOf, encodeManifest, type Manifest, packListOf } from "../codec/manifest.ts";
import { globalPayloadFile, playersPayloadFile } from "../codec/payload-file.ts";
import type { StoreEntry } from "../codec/store-page.ts";
import type { GeneratedChunks } from "../codec/stored-chunk.ts";
import { bulkTrie, EncodedLeaves } from "../index/bulk-index.ts";
import { layOutIndex, pageTargetBytes, pageVersionOf } from "../index/index-layout.ts";
import { pageReader } from "../index/index-reader.ts";
import { NEWEST_INDEX_VERSION, type NewIndexVersion } from "../index/leaf-entry.ts";
import {
  blobVersionOf,
  type ChunkStorage,
  chunksToStore,
  partitionLeaf,
  prepareLeaf,
} from "../index/leaf-partition.ts";
import { encodeLeaves, finishLeaves, type PlannedLeaf, plannedOf } from "../index/leaf-plan.ts";
import { PageWriter } from "../index/page-writer.ts";
import type { PackWriter } from "../pack/pack-writer.ts";
import { swapManifest, writeGenerationFiles, writePage } from "./commit-sequence.ts";
import { prepareFolder } from "./folder.ts";
import type { LeafChange } from "./save-change.ts";
import { WorldRecordWriter } from "./world-record-writer.ts";

const GENERATION = 0;

/** Options for writing a world. */
export interface BulkSaveOptions {
  readonly limits?: SaveLimits;
  /** The world's generator, as returned by `generatedChunks`. Without it every chunk is stored whole. */
  readonly generated?: GeneratedChunks;
  /** Default: 4. Use 2 for Orthant 0.1, and 1, which has no clocks, for a reader that knows only the specification. */
  readonly indexVersion?: NewIndexVersion;
}

/** Everything in a world outside its leaves. */
interface WorldFacts {
  readonly nowMs: number;
  readonly global: GlobalState;
  readonly players: readonly StoredPlayer[];
  /** Entries of the key-value store, in order of their keys. Default: none. */
  readonly store?: AsyncIterable<StoreEntry> | undefined;
}

/**
 * Writes a whole world as generation 0 of a new save, leaf by leaf, in any order. Memory holds only the
 * encoded index entry of each leaf. The save exists only after {@link finish}.
 */
export class BulkSaveWriter {
  readonly #disk: Disk;
  readonly #packs: PackWriter;
  readonly #shape: ChunkShape;
  readonly #limits: SaveLimits;
  readonly #storage: ChunkStorage;
  readonly #indexVersion: NewIndexVersion;
  readonly #leaves = new EncodedLeaves();
  /** Ids of the packs that have records. */
  readonly #packIds = new Set<number>();

  private constructor(
    disk: Disk,
    packs: PackWriter,
    shape: ChunkShape,
    limits: SaveLimits,
    storage: ChunkStorage,
    indexVersion: NewIndexVersion,
  ) {
    this.#disk = disk;
    this.#packs = packs;
    this.#shape = shape;
    this.#limits = limits;
    this.#storage = storage;
    this.#indexVersion = indexVersion;
  }

  /** Begins a save with chunks of the given shape. Throws `ORT_NOT_EMPTY` if the folder is not empty. */
  static async create(
    disk: Disk,
    shape: ChunkShape,
    { limits = DEFAULT_LIMITS, generated, indexVersion = NEWEST_INDEX_VERSION }: BulkSaveOptions = {},
  ): Promise<BulkSaveWriter> {
    const packs = await prepareFolder(disk, limits);
    const storage = { blobVersion: blobVersionOf(indexVersion), ...(generated && { generated }) };
    return new BulkSaveWriter(disk, packs, shape, limits, storage, indexVersion);
  }

  /** Writes leaves, splitting those that are too large. No cube may overlap an earlier one. */
  async add(leaves: readonly LeafChange[]): Promise<void> {
    const planned: PlannedLeaf[] = [];
    const isPlain = this.#indexVersion === 1;
    for (const { cube, chunks = [], entities = [], clocks = [] } of leaves) {
      // An index of version 1 cannot store clocks, nor a leaf that has only clocks.
      if (isPlain && chunks.length + entities.length === 0) continue;
      const stored = await chunksToStore(chunks, this.#storage);
      const content = prepareLeaf(cube, stored, entities, isPlain ? [] : clocks, this.#shape);
      const version = isPlain ? undefined : this.#storage.blobVersion;
      for (const part of partitionLeaf(content, this.#limits, version)) planned.push(plannedOf(part));
    }
    const records = await encodeLeaves(planned, this.#limits, blobVersionOf(this.#indexVersion));
    const refs = await this.#packs.append(records.flat());
    for (const { packId } of refs) this.#packIds.add(packId);
    for (const leaf of finishLeaves(planned, records, refs)) this.#leaves.add(leaf);
  }

  /** Completes the save. Throws `ORT_ARGUMENT` if two leaves overlap. */
  async finish({ nowMs, global, players, store }: WorldFacts): Promise<void> {
    const packs = this.#packs;
    const recordWriter = new WorldRecordWriter(packs);
    const isNewest = this.#indexVersion === NEWEST_INDEX_VERSION;
    const records = await recordWriter.writeNew(global, store, isNewest);
    for (const packId of recordWriter.packIds) this.#packIds.add(packId);
    // A world without leaves still gets a pack.
    await packs.append([]);
    await packs.sync();
    const manifest: Manifest = {
      ...generationFiles(GENERATION),
      currentGeneration: GENERATION,
      createdMs: nowMs,
      lastModifiedMs: nowMs,
      activeDataFileId: packs.activeId,
      dataFileCount: packs.activeId,
      dataFiles: packListOf(this.#packIds),
      limits: this.#limits,
      chunkExtents: this.#shape.extents,
    };
    const files = {
      indexFile: await this.#writeIndex(),
      globalFile: globalPayloadFile.encode(globalRecordCodec, {
        ...global,
        nextDataFileId: packs.activeId + 1,
        lastModifiedMs: nowMs,
        records,
      }),
      playersFile: playersPayloadFile.encode(playersCodec, sortPlayers(players)),
    };
    await writeGenerationFiles(this.#disk, manifest, files);
    await swapManifest(this.#disk, encodeManifest({ ...manifest, ...bindingOf(files, global) }));
  }

  /** Closes the files. Without {@link finish} there is no save. */
  async close(): Promise<void> {
    await this.#packs.close();
  }

  /** Writes the pages of the index. Returns its root. */
  async #writeIndex(): Promise<Uint8Array> {
    const pages = new PageWriter({
      version: pageVersionOf(this.#indexVersion),
      generation: GENERATION,
      // An index of version 1 is one file, however large.
      targetBytes: this.#indexVersion === 1 ? Number.MAX_SAFE_INTEGER : pageTargetBytes(this.#limits),
      emit: (page) => writePage(this.#disk, page),
      keep: false,
    });
    const root = await bulkTrie(this.#leaves, pages);
    const read = pageReader(this.#disk);
    return (await layOutIndex(root, { generation: GENERATION, version: this.#indexVersion, pages, read }))
      .indexFile;
  }
}
