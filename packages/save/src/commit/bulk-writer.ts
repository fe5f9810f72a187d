import type { ChunkShape } from "@orthant/core";
import { ByteReader, ByteWriter } from "@orthant/core/bytes";
import type { Disk } from "@orthant/disk";
import type { LeafChange } from "../change/save-change.ts";
import { type StoredPlayer, sortPlayers } from "../codec/entity.ts";
import { generationFiles } from "../codec/files.ts";
import type { GlobalState } from "../codec/global-record.ts";
import { DEFAULT_LIMITS, type SaveLimits } from "../codec/layout.ts";
import { encodeManifest, type Manifest, packListOf } from "../codec/manifest.ts";
import type { StoreEntry } from "../codec/store-page.ts";
import type { GeneratedChunks } from "../codec/stored-chunk.ts";
import { bulkTrie, EncodedLeaves } from "../leaves/bulk-index.ts";
import type { MeasuredRecord } from "../leaves/chunk-records.ts";
import { pageReader } from "../leaves/index-reader.ts";
import {
  draftOf,
  finishLeaves,
  leafEncoder,
  type PlannedLeaf,
  recordsOfLeaves,
} from "../leaves/leaf-encoder.ts";
import type { LeafEntry, NewIndexVersion } from "../leaves/leaf-entry.ts";
import { leafContent, storedLeaves } from "../leaves/leaf-partition.ts";
import { NEWEST_FORMAT, type SaveFormat, saveFormatOf } from "../leaves/save-format.ts";
import { PackWriter } from "../pack/pack-writer.ts";
import { swapManifest, writeGenerationFiles, writePage } from "./commit-sequence.ts";
import { encodeGeneration } from "./encode-generation.ts";
import { beginPacks, clearAfter, prepareFolder } from "./folder.ts";
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

/** A leaf whose records are encoded, for {@link BulkSaveWriter.write}. It can be sent to another thread. */
export interface EncodedLeaf {
  readonly leaf: LeafEntry;
  readonly records: readonly MeasuredRecord[];
}

/**
 * Encodes leaves for a {@link BulkSaveWriter} with the same shape and options, splitting those that are too large. Takes
 * nearly all of the time of writing, and can be done in another thread.
 */
export async function encodeBulkLeaves(
  leaves: readonly LeafChange[],
  shape: ChunkShape,
  options: BulkSaveOptions = {},
): Promise<readonly EncodedLeaf[]> {
  const { limits = DEFAULT_LIMITS, generated } = options;
  const { blobs, hasClocks } = formatOf(options);
  const storage = { blobs, ...(generated && { generated }) };
  const encode = leafEncoder({ limits, blobs });
  const planned: PlannedLeaf[] = [];
  for (const { cube, chunks = [], entities = [], clocks = [] } of leaves) {
    const content = leafContent(cube, chunks, entities, hasClocks ? clocks : [], shape);
    for await (const leaf of storedLeaves(content, limits, storage)) {
      planned.push(await encode(draftOf(leaf)));
    }
  }
  const records = await recordsOfLeaves(planned);
  return planned.map(({ newChunks: _chunks, newEntities: _entities, records: _records, ...leaf }, index) => ({
    leaf,
    records: records[index] ?? [],
  }));
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
  readonly #options: BulkSaveOptions;
  readonly #format: SaveFormat;
  readonly #leaves: EncodedLeaves;
  /** Number of leaves in checkpoints. */
  #kept = 0;
  /** Ids of the packs that have records. */
  readonly #packIds = new Set<number>();

  private constructor(
    disk: Disk,
    packs: PackWriter,
    shape: ChunkShape,
    limits: SaveLimits,
    options: BulkSaveOptions,
    leaves: EncodedLeaves = new EncodedLeaves(),
  ) {
    this.#leaves = leaves;
    this.#disk = disk;
    this.#packs = packs;
    this.#shape = shape;
    this.#limits = limits;
    this.#options = options;
    this.#format = formatOf(options);
  }

  /** Begins a save with chunks of the given shape. Throws `ORT_NOT_EMPTY` if the folder is not empty. */
  static async create(disk: Disk, shape: ChunkShape, options: BulkSaveOptions = {}): Promise<BulkSaveWriter> {
    const { limits = DEFAULT_LIMITS } = options;
    const packs = await prepareFolder(disk, limits);
    return new BulkSaveWriter(disk, packs, shape, limits, options);
  }

  /**
   * Continues a save after the last of its checkpoints, of which all are given in their order; without any, from its
   * beginning. What was written after it is removed. Throws `ORT_NOT_EMPTY` if the save is complete.
   */
  static async resume(
    disk: Disk,
    shape: ChunkShape,
    checkpoints: readonly Uint8Array[],
    options: BulkSaveOptions = {},
  ): Promise<BulkSaveWriter> {
    const { limits = DEFAULT_LIMITS } = options;
    const leaves = new EncodedLeaves();
    let [packId, size] = [0, 0];
    for (const checkpoint of checkpoints) {
      const input = new ByteReader(checkpoint);
      packId = input.varU32();
      size = input.varUint();
      leaves.read(input);
      input.end();
    }
    await clearAfter(disk, packId);
    const packs =
      packId === 0
        ? await beginPacks(disk, limits)
        : await PackWriter.resumeAt(disk, limits.dataFileMaxBytes, packId, size);
    const writer = new BulkSaveWriter(disk, packs, shape, limits, options, leaves);
    writer.#kept = leaves.count;
    for (let index = 0; index < leaves.count; index++) {
      const { chunkRefs, entityRefs } = leaves.at(index);
      for (const ref of [...chunkRefs, ...entityRefs]) writer.#packIds.add(ref.packId);
    }
    return writer;
  }

  /** Makes everything so far durable. Returns a checkpoint for {@link resume}, which needs all of them. */
  async checkpoint(): Promise<Uint8Array> {
    await this.#packs.append([]);
    await this.#packs.sync();
    if (this.#kept === 0) await this.#disk.syncDirectory("");
    const out = new ByteWriter();
    out.varU32(this.#packs.activeId);
    out.varUint(this.#packs.activeBytes);
    this.#leaves.write(out, this.#kept);
    this.#kept = this.#leaves.count;
    return out.copy();
  }

  /** Writes leaves, splitting those that are too large. No cube may overlap an earlier one. */
  async add(leaves: readonly LeafChange[]): Promise<void> {
    await this.write(await encodeBulkLeaves(leaves, this.#shape, this.#options));
  }

  /** Writes leaves that {@link encodeBulkLeaves} has encoded. No cube may overlap an earlier one. */
  async write(encoded: readonly EncodedLeaf[]): Promise<void> {
    const records = encoded.map((leaf) => leaf.records);
    const refs = await this.#packs.append(records.flat());
    for (const { packId } of refs) this.#packIds.add(packId);
    const planned = encoded.map(({ leaf }) => leaf);
    for (const leaf of finishLeaves(planned, records, refs)) this.#leaves.add(leaf);
  }

  /** Completes the save. Throws `ORT_ARGUMENT` if two leaves overlap. */
  async finish({ nowMs, global, players, store }: WorldFacts): Promise<void> {
    const packs = this.#packs;
    const recordWriter = new WorldRecordWriter(packs);
    const records = await recordWriter.writeNew(global, store, this.#format);
    for (const packId of recordWriter.packIds) this.#packIds.add(packId);
    // A world without leaves still gets a pack.
    await packs.append([]);
    await packs.sync();
    const unbound: Manifest = {
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
    const { bytes, manifest } = encodeGeneration(unbound, {
      indexFile: await this.#writeIndex(),
      state: global,
      records,
      players: sortPlayers(players),
      format: this.#format,
    });
    await writeGenerationFiles(this.#disk, manifest, bytes);
    await swapManifest(this.#disk, encodeManifest(manifest));
  }

  /** Closes the files. Without {@link finish} there is no save. */
  async close(): Promise<void> {
    await this.#packs.close();
  }

  /** Writes the pages of the index. Returns its root. */
  async #writeIndex(): Promise<Uint8Array> {
    const { indexFile } = await this.#format.layOut((pages) => bulkTrie(this.#leaves, pages), {
      generation: GENERATION,
      limits: this.#limits,
      emit: (page) => writePage(this.#disk, page),
      keep: false,
      read: pageReader(this.#disk),
    });
    return indexFile;
  }
}

function formatOf({ indexVersion }: BulkSaveOptions): SaveFormat {
  return indexVersion === undefined ? NEWEST_FORMAT : saveFormatOf(indexVersion);
}
