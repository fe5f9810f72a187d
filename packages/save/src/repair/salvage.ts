import { type Box, boxesIntersect, decode, isOrthantError } from "@orthant/core";
import type { Disk } from "@orthant/disk";
import { attempt, readWhole } from "@orthant/disk/files";
import { openBlob } from "../codec/blob-envelope.ts";
import type { BlobRef } from "../codec/blob-ref.ts";
import { chunkBlobCodec } from "../codec/chunk-blob.ts";
import { entityBlobCodec } from "../codec/entity-blob.ts";
import type { StoredEntity } from "../codec/entity-record.ts";
import { packFile } from "../codec/file-names.ts";
import { CHUNK_BLOB, PACKED_BLOB_VERSION } from "../codec/layout.ts";
import { packedBlobCodec } from "../codec/packed-blob.ts";
import { boundsOf } from "../codec/prepared-chunks.ts";
import { needsGenerator, type StoredChunk, storedChunks } from "../codec/stored-chunk.ts";
import { scanPack } from "../pack/pack-scan.ts";

/** Memory limit for a blob, independent of the limits of its save, which may be lost. */
const BLOB_BYTES_MAX = 16 * 1024 * 1024;

/** A record with intact bytes, and the box of its content in the world. */
export interface IntactRecord {
  readonly ref: BlobRef;
  readonly isChunks: boolean;
  readonly volume: Box;
  /** Number of its chunks that are stored as changes to a generator's output. */
  readonly changes: number;
}

/** Content of a record. */
export interface RecordContent {
  readonly volume: Box;
  readonly chunks: readonly StoredChunk[];
  readonly entities: readonly StoredEntity[];
}

/** Finds all records with a right checksum in all packs, oldest first. Skips damaged stretches. */
export async function findIntactRecords(
  disk: Disk,
  packIds: readonly number[],
  chunkVolume: number,
): Promise<readonly IntactRecord[]> {
  const records: IntactRecord[] = [];
  for (const packId of packIds) {
    const [bytes] = await attempt(() => readWhole(disk, packFile(packId)));
    if (bytes === undefined) continue;
    for (const piece of scanPack(bytes, packId)) {
      if (piece.kind === "gap") continue;
      const content = await decodeRecord(piece.ref, piece.payload, chunkVolume);
      if (content === undefined) continue;
      const isChunks = piece.ref.blobType === CHUNK_BLOB;
      const changes = content.chunks.filter(needsGenerator).length;
      records.push({ ref: piece.ref, isChunks, volume: content.volume, changes });
    }
  }
  return records;
}

/** Decodes a record; `undefined` if its bytes are intact but cannot be decoded here. */
export async function decodeRecord(
  { blobType, blobVersion }: BlobRef,
  payload: Uint8Array,
  chunkVolume: number,
): Promise<RecordContent | undefined> {
  if (blobVersion > PACKED_BLOB_VERSION) return undefined;
  const isPacked = blobVersion === PACKED_BLOB_VERSION;
  try {
    const bytes = isPacked ? await openBlob(payload, BLOB_BYTES_MAX) : payload;
    if (blobType !== CHUNK_BLOB) return { chunks: [], ...decode(entityBlobCodec, bytes) };
    if (isPacked) {
      const chunks = decode(packedBlobCodec(chunkVolume), bytes);
      return { volume: boundsOf(chunks), chunks, entities: [] };
    }
    const chunks = decode(chunkBlobCodec(chunkVolume), bytes);
    return { volume: boundsOf(chunks), chunks: storedChunks(chunks), entities: [] };
  } catch (error) {
    // The caller reports that the record is unusable.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

/**
 * Returns the records still in force among all ever written: a record is superseded by every later one of its
 * kind that intersects its volume. This holds because the leaves of one generation are disjoint.
 */
export function dropSuperseded(records: readonly IntactRecord[]): readonly IntactRecord[] {
  const inForce: IntactRecord[] = [];
  for (const record of [...records].reverse()) {
    const superseded = inForce.some(
      (later) => later.isChunks === record.isChunks && boxesIntersect(later.volume, record.volume),
    );
    if (!superseded) inForce.push(record);
  }
  return inForce.reverse();
}
