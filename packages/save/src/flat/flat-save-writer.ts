import { comparePositions, encode, type Position } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { sortEntities } from "../codec/entity-blob.ts";
import type { StoredEntity } from "../codec/entity-record.ts";
import { generationFiles } from "../codec/file-names.ts";
import type { BaseWorld, PlayerEntityHint } from "../codec/global-record.ts";
import {
  BLOB_VERSION,
  BLOCK_BLOB,
  DATA_FOLDER,
  ENTITY_BLOB,
  flatIndexHeader,
  globalHeader,
  INDEX_FOLDER,
  playersHeader,
} from "../codec/layout.ts";
import { DEFAULT_LIMITS, requireLimits, type SaveLimits } from "../codec/limits.ts";
import { encodeUnsealedManifest, type Manifest } from "../codec/manifest.ts";
import { encodePayloadFile } from "../codec/payload-file.ts";
import type { StoredPlayer } from "../codec/player-record.ts";
import type { BlockEntry } from "../codec/prepared-blocks.ts";
import { swapManifest, writeGenerationFiles } from "../commit/commit-sequence.ts";
import { requireEmptyFolder } from "../commit/empty-folder.ts";
import { type NewRecord, PackWriter } from "../pack/pack-writer.ts";
import { flatBlockBlobCodec, flatEntityBlobCodec } from "./flat-blobs.ts";
import { type FlatLeaf, flatGlobalCodec, flatIndexCodec, flatPlayersCodec } from "./flat-payloads.ts";

/** Everything in a flat world outside its regions. */
export interface FlatWorldFacts {
  readonly base: BaseWorld;
  readonly worldSeed: bigint;
  readonly nextEntityId: bigint;
  readonly playerEntityHints?: readonly PlayerEntityHint[];
  readonly players: readonly StoredPlayer[];
  readonly customPayload?: Uint8Array;
  readonly nowMs: number;
}

/** Content of one region of a flat world. Its position counts regions, not chunks. */
export interface FlatRegion {
  readonly region: Position;
  readonly blocks: readonly BlockEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Options for writing a flat save. */
export interface FlatSaveOptions {
  readonly generation?: number;
  readonly limits?: SaveLimits;
}

/**
 * Writes a world in the flat dialect, region by region, to an empty folder. Regions may come in any order,
 * each once. Memory holds only their locations in the packs. The save exists only after {@link finish}.
 */
export class FlatSaveWriter {
  /** Chunks along each edge of a region. */
  readonly regionChunkEdge: number;
  readonly #disk: Disk;
  readonly #packs: PackWriter;
  readonly #generation: number;
  readonly #limits: SaveLimits;
  readonly #leaves: FlatLeaf[] = [];

  private constructor(disk: Disk, packs: PackWriter, generation: number, limits: SaveLimits) {
    this.#disk = disk;
    this.#packs = packs;
    this.#generation = generation;
    this.#limits = limits;
    this.regionChunkEdge = limits.regionChunkEdge;
  }

  /** Begins a save. Throws `ORT_NOT_EMPTY` if the folder is not empty. */
  static async create(disk: Disk, options: FlatSaveOptions = {}): Promise<FlatSaveWriter> {
    const { generation = 0, limits = DEFAULT_LIMITS } = options;
    requireLimits(limits);
    await requireEmptyFolder(disk);
    await disk.makeDirectory(INDEX_FOLDER);
    await disk.makeDirectory(DATA_FOLDER);
    const packs = await PackWriter.create(disk, limits.dataFileMaxBytes);
    return new FlatSaveWriter(disk, packs, generation, limits);
  }

  /** Writes regions. Throws `ORT_DIALECT` for content that the dialect cannot hold. */
  async add(regions: readonly FlatRegion[]): Promise<void> {
    const records = regions.map((region) => encodeRegion(region, this.regionChunkEdge));
    const refs = await this.#packs.append(records.flat());
    let next = 0;
    for (const [index, { region }] of regions.entries()) {
      const count = records[index]?.length ?? 0;
      const own = refs.slice(next, next + count);
      next += count;
      if (count === 0) continue;
      this.#leaves.push({
        region,
        blockRef: own.find(({ blobType }) => blobType === BLOCK_BLOB),
        entityRef: own.find(({ blobType }) => blobType === ENTITY_BLOB),
      });
    }
  }

  /** Completes the save. */
  async finish(facts: FlatWorldFacts): Promise<void> {
    const { nowMs } = facts;
    const packs = this.#packs;
    const generation = this.#generation;
    const limits = this.#limits;
    const playersFile = encodePayloadFile(playersHeader, "V4P0", flatPlayersCodec, facts.players);
    // A world without regions still gets a pack.
    await packs.append([]);
    await packs.sync();
    const manifest: Manifest = {
      ...generationFiles(generation),
      currentGeneration: generation,
      createdMs: nowMs,
      lastModifiedMs: nowMs,
      activeDataFileId: packs.activeId,
      dataFileCount: packs.activeId,
      limits,
    };
    await writeGenerationFiles(this.#disk, manifest, {
      indexFile: encodePayloadFile(flatIndexHeader, "V4IX", flatIndexCodec, {
        generation,
        regionChunkEdge: limits.regionChunkEdge,
        leaves: this.#leaves.sort((a, b) => comparePositions(a.region, b.region)),
      }),
      globalFile: encodePayloadFile(globalHeader, "V4G0", flatGlobalCodec, {
        base: facts.base,
        worldSeed: facts.worldSeed,
        nextEntityId: facts.nextEntityId,
        nextDataFileId: packs.activeId + 1,
        lastModifiedMs: nowMs,
        playerEntityHints: facts.playerEntityHints ?? [],
        customPayload: facts.customPayload ?? new Uint8Array(0),
      }),
      playersFile,
    });
    await swapManifest(this.#disk, encodeUnsealedManifest(manifest));
  }

  /** Closes the files. Without {@link finish} there is no save. */
  async close(): Promise<void> {
    await this.#packs.close();
  }
}

function encodeRegion(
  { region, blocks, entities }: FlatRegion,
  regionChunkEdge: number,
): readonly NewRecord[] {
  const records: NewRecord[] = [];
  if (blocks.length > 0) {
    const payload = encode(flatBlockBlobCodec, { region, regionChunkEdge, blocks });
    records.push({ blobType: BLOCK_BLOB, blobVersion: BLOB_VERSION, payload });
  }
  if (entities.length > 0) {
    const sorted = sortEntities(entities);
    const payload = encode(flatEntityBlobCodec, { region, regionChunkEdge, entities: sorted });
    records.push({ blobType: ENTITY_BLOB, blobVersion: BLOB_VERSION, payload });
  }
  return records;
}
