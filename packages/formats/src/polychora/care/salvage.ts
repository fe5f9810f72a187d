import { type Box, boxesIntersect, decode, isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import type { Dialect } from "../dialect.ts";
import { attempt } from "../files/attempt.ts";
import { packFile } from "../files/file-names.ts";
import { scanPack } from "../files/pack-scan.ts";
import { readWhole } from "../files/read-whole.ts";
import { flatBlockBlobCodec, flatEntityBlobCodec, flatRegionBox } from "../flat/flat-blobs.ts";
import { BLOB_VERSION, BLOCK_BLOB } from "../layout.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { blockBlobCodec } from "../records/block-blob.ts";
import { entityBlobCodec } from "../records/entity-blob.ts";
import type { EntityRecord } from "../records/entity-record.ts";
import { type BlockAssignment, boundsOf } from "../records/prepared-blocks.ts";

/** A record whose bytes are whole, and where in the world its content lies. */
export interface IntactRecord {
  readonly ref: BlobRef;
  readonly isBlocks: boolean;
  readonly volume: Box;
}

/** What a record holds. */
export interface RecordContent {
  readonly volume: Box;
  readonly blocks: readonly BlockAssignment[];
  readonly entities: readonly EntityRecord[];
}

/** All records with a right checksum in all packs, oldest first; damaged stretches are passed over. */
export async function findIntactRecords(
  disk: Disk,
  packIds: readonly number[],
  dialect: Dialect,
  chunkVolume: number,
): Promise<readonly IntactRecord[]> {
  const records: IntactRecord[] = [];
  for (const packId of packIds) {
    const [bytes] = await attempt(() => readWhole(disk, packFile(packId)));
    if (bytes === undefined) continue;
    for (const piece of scanPack(bytes, packId)) {
      if (piece.kind === "gap") continue;
      const content = decodeRecord(piece.ref, piece.payload, dialect, chunkVolume);
      if (content === undefined) continue;
      const isBlocks = piece.ref.blobType === BLOCK_BLOB;
      records.push({ ref: piece.ref, isBlocks, volume: content.volume });
    }
  }
  return records;
}

/** What a record holds; `undefined` when its bytes are whole and yet mean nothing here. */
export function decodeRecord(
  { blobType, blobVersion }: BlobRef,
  payload: Uint8Array,
  dialect: Dialect,
  chunkVolume: number,
): RecordContent | undefined {
  if (blobVersion !== BLOB_VERSION) return undefined;
  try {
    if (dialect === "flat") return decodeFlatRecord(blobType, payload);
    if (blobType !== BLOCK_BLOB) return { blocks: [], ...decode(entityBlobCodec, payload) };
    const blocks = decode(blockBlobCodec(chunkVolume), payload);
    return { volume: boundsOf(blocks), blocks, entities: [] };
  } catch (error) {
    // It is for the caller to say that the record could not be used.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/**
 * The records that are still in force, of all that were ever written: a record is superseded by every later one of
 * its kind that reaches into its volume. That follows from the leaves of one generation being disjoint.
 */
export function dropSuperseded(records: readonly IntactRecord[]): readonly IntactRecord[] {
  const inForce: IntactRecord[] = [];
  for (const record of [...records].reverse()) {
    const superseded = inForce.some(
      (later) => later.isBlocks === record.isBlocks && boxesIntersect(later.volume, record.volume),
    );
    if (!superseded) inForce.push(record);
  }
  return inForce.reverse();
}

function decodeFlatRecord(blobType: number, payload: Uint8Array): RecordContent | undefined {
  if (blobType === BLOCK_BLOB) {
    const { region, regionChunkEdge, blocks } = decode(flatBlockBlobCodec, payload);
    const volume = flatRegionBox(region, regionChunkEdge);
    return volume && { volume, blocks, entities: [] };
  }
  const { region, regionChunkEdge, entities } = decode(flatEntityBlobCodec, payload);
  const volume = flatRegionBox(region, regionChunkEdge);
  return volume && { volume, blocks: [], entities };
}
