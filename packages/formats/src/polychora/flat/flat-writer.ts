import {
  comparePlaces,
  encode,
  floorDivide,
  HYPERCUBE_CHUNKS,
  OrthantError,
  type Place,
  PlaceMap,
  placeFrom,
  U8_MAX,
} from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { swapManifest, writeGenerationFiles } from "../files/commit-sequence.ts";
import { requireEmptyFolder } from "../files/empty-folder.ts";
import { generationFiles } from "../files/file-names.ts";
import { type NewRecord, PackWriter } from "../files/pack-writer.ts";
import {
  BLOCK_BLOB,
  DATA_FOLDER,
  ENTITY_BLOB,
  flatIndexHeader,
  globalHeader,
  INDEX_FOLDER,
  playersHeader,
} from "../layout.ts";
import { chunkOfEntity } from "../leaves/leaf-partition.ts";
import { DEFAULT_LIMITS, requireLimits, type SaveLimits } from "../limits.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { sortEntities } from "../records/entity-blob.ts";
import type { EntityRecord } from "../records/entity-record.ts";
import type { BaseWorld, PlayerEntityHint } from "../records/global-record.ts";
import { encodeUnsealedManifest, type Manifest } from "../records/manifest.ts";
import { encodePayloadFile } from "../records/payload-file.ts";
import type { PlayerRecord } from "../records/player-record.ts";
import type { BlockEntry } from "../records/prepared-blocks.ts";
import { flatBlockBlobCodec, flatEntityBlobCodec } from "./flat-blobs.ts";
import { type FlatLeaf, flatGlobalCodec, flatIndexCodec, flatPlayersCodec } from "./flat-payloads.ts";

/** A whole world for the original program to open. */
export interface FlatSaveContent {
  readonly base: BaseWorld;
  readonly worldSeed: bigint;
  readonly nextEntityId: bigint;
  readonly playerEntityHints?: readonly PlayerEntityHint[];
  readonly players: readonly PlayerRecord[];
  readonly blocks: readonly BlockEntry[];
  readonly entities: readonly EntityRecord[];
  readonly customPayload?: Uint8Array;
  readonly nowMs: number;
  readonly generation?: number;
  readonly limits?: SaveLimits;
}

/** How many chunks a refusal names before it only counts them. */
const NAMED_CHUNKS = 5;

/**
 * Writes a world in the flat dialect, where there is nothing yet, with the same care as the tree dialect. What the
 * dialect cannot hold, such as a material above 255, is refused with `ORT_DIALECT` before anything is written.
 */
export async function writeFlatSave(disk: Disk, content: FlatSaveContent): Promise<void> {
  const { limits = DEFAULT_LIMITS, generation = 0, nowMs } = content;
  requireLimits(limits);
  requireFlatBlocks(content.blocks);
  const regions = gatherRegions(content, limits.regionChunkEdge);
  const records = regions.map((region) => encodeRegion(region, limits.regionChunkEdge));
  const players = encodePayloadFile(playersHeader, "V4P0", flatPlayersCodec, content.players);

  await requireEmptyFolder(disk);
  await disk.makeDirectory(INDEX_FOLDER);
  await disk.makeDirectory(DATA_FOLDER);
  const packs = await PackWriter.create(disk, limits.dataFileMaxBytes);
  try {
    const refs = await packs.append(records.flat());
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
    await writeGenerationFiles(disk, manifest, {
      indexFile: encodePayloadFile(flatIndexHeader, "V4IX", flatIndexCodec, {
        generation,
        regionChunkEdge: limits.regionChunkEdge,
        leaves: finishRegions(regions, records, refs),
      }),
      globalFile: encodePayloadFile(globalHeader, "V4G0", flatGlobalCodec, {
        base: content.base,
        worldSeed: content.worldSeed,
        nextEntityId: content.nextEntityId,
        nextDataFileId: packs.activeId + 1,
        lastModifiedMs: nowMs,
        playerEntityHints: content.playerEntityHints ?? [],
        customPayload: content.customPayload ?? new Uint8Array(0),
      }),
      playersFile: players,
    });
    await swapManifest(disk, encodeUnsealedManifest(manifest));
  } finally {
    await packs.close();
  }
}

interface Region {
  readonly region: Place;
  readonly blocks: BlockEntry[];
  readonly entities: EntityRecord[];
}

function requireFlatBlocks(blocks: readonly BlockEntry[]): void {
  const refused = blocks.filter(
    ({ chunk }) =>
      chunk.volume !== HYPERCUBE_CHUNKS.volume || chunk.materials().some((material) => material > U8_MAX),
  );
  if (refused.length === 0) return;
  const named = refused.slice(0, NAMED_CHUNKS).map(({ place }) => `[${place}]`);
  const detail = `${refused.length} chunks have another volume than 4096 or a material above 255: ${named.join(", ")}`;
  throw new OrthantError("ORT_DIALECT", refused.length > NAMED_CHUNKS ? `${detail} ...` : detail);
}

/** Regions with something in them, in lexicographic order. */
function gatherRegions({ blocks, entities }: FlatSaveContent, edge: number): readonly Region[] {
  const regions = new PlaceMap<Region>();
  const regionAt = (chunk: Place): Region => {
    const region = placeFrom((axis) => floorDivide(chunk[axis], edge));
    const found = regions.get(...region) ?? { region, blocks: [], entities: [] };
    regions.set(...region, found);
    return found;
  };
  for (const block of blocks) regionAt(block.place).blocks.push(block);
  for (const entity of entities) regionAt(chunkOfEntity(entity, HYPERCUBE_CHUNKS)).entities.push(entity);
  return [...regions.values()].sort((a, b) => comparePlaces(a.region, b.region));
}

function encodeRegion({ region, blocks, entities }: Region, regionChunkEdge: number): readonly NewRecord[] {
  const records: NewRecord[] = [];
  if (blocks.length > 0) {
    const payload = encode(flatBlockBlobCodec, { region, regionChunkEdge, blocks });
    records.push({ blobType: BLOCK_BLOB, payload });
  }
  if (entities.length > 0) {
    const sorted = sortEntities(entities);
    const payload = encode(flatEntityBlobCodec, { region, regionChunkEdge, entities: sorted });
    records.push({ blobType: ENTITY_BLOB, payload });
  }
  return records;
}

function finishRegions(
  regions: readonly Region[],
  records: readonly (readonly NewRecord[])[],
  refs: readonly BlobRef[],
): readonly FlatLeaf[] {
  let next = 0;
  return regions.map(({ region }, index) => {
    const count = records[index]?.length ?? 0;
    const own = refs.slice(next, next + count);
    next += count;
    const ofType = (type: number): BlobRef | undefined => own.find(({ blobType }) => blobType === type);
    return { region, blockRef: ofType(BLOCK_BLOB), entityRef: ofType(ENTITY_BLOB) };
  });
}
