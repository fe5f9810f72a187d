import type { Disk } from "@orthant/disk";
import type { RecordRef } from "../codec/blob.ts";
import { type GenerationFiles, generationFiles } from "../codec/files.ts";
import type { SaveLimits } from "../codec/layout.ts";
import { encodePlainManifest, type Manifest } from "../codec/manifest.ts";
import type { NewRecord, PackWriter } from "../pack/pack-writer.ts";
import { swapManifest, writeGenerationFiles } from "./commit-sequence.ts";
import { prepareFolder } from "./folder.ts";

/** The bytes of a generation's files, and the values that go into the manifest. */
interface PlainGeneration {
  readonly generation: number;
  readonly nowMs: number;
  readonly files: Readonly<Record<keyof GenerationFiles, Uint8Array>>;
}

/**
 * Writes one generation of a save with a manifest as the original program wrote it, without checksums. The
 * caller encodes records and files. The save exists only after {@link finish}.
 */
export class PlainSaveWriter {
  readonly #disk: Disk;
  readonly #packs: PackWriter;
  readonly #limits: SaveLimits;

  private constructor(disk: Disk, packs: PackWriter, limits: SaveLimits) {
    this.#disk = disk;
    this.#packs = packs;
    this.#limits = limits;
  }

  /** Begins a save. Throws `ORT_NOT_EMPTY` if the disk is not empty. */
  static async create(disk: Disk, limits: SaveLimits): Promise<PlainSaveWriter> {
    return new PlainSaveWriter(disk, await prepareFolder(disk, limits), limits);
  }

  /** Id of the pack that receives the next record, unless it is full. */
  get activePackId(): number {
    return this.#packs.activeId;
  }

  /** Writes records in order. Returns their locations. */
  append(records: readonly NewRecord[]): Promise<readonly RecordRef[]> {
    return this.#packs.append(records);
  }

  /** Completes the save. */
  async finish({ generation, nowMs, files }: PlainGeneration): Promise<void> {
    // A world without records still gets a pack.
    await this.#packs.append([]);
    await this.#packs.sync();
    const manifest: Manifest = {
      ...generationFiles(generation),
      currentGeneration: generation,
      createdMs: nowMs,
      lastModifiedMs: nowMs,
      activeDataFileId: this.#packs.activeId,
      dataFileCount: this.#packs.activeId,
      limits: this.#limits,
    };
    await writeGenerationFiles(this.#disk, manifest, files);
    await swapManifest(this.#disk, encodePlainManifest(manifest));
  }

  /** Closes the files. Without {@link finish} there is no save. */
  async close(): Promise<void> {
    await this.#packs.close();
  }
}
