import { encode } from "@orthant/core";
import { sealBlob } from "../codec/blob-envelope.ts";
import type { BlobRef } from "../codec/blob-ref.ts";
import { rememberSize } from "../codec/blob-size.ts";
import { entityBlobCodec } from "../codec/entity-blob.ts";
import { CHUNK_BLOB, ENTITY_BLOB, PACKED_BLOB_VERSION } from "../codec/layout.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import type { SaveLimits } from "../codec/limits.ts";
import { Pacer } from "../commit/slow-work.ts";
import { type ChunkBlobVersion, chunkRecord, type LeafRecord } from "./leaf-blobs.ts";
import { entityBatches } from "./leaf-partition.ts";
import type { PlannedLeaf } from "./leaf-plan.ts";

/** Encodes the records of each planned leaf, chunks before entities. */
export async function encodeLeaves(
  planned: readonly PlannedLeaf[],
  limits: SaveLimits,
  blobVersion: ChunkBlobVersion = 2,
  pacer: Pacer = new Pacer(),
): Promise<readonly (readonly LeafRecord[])[]> {
  const encoded: (readonly LeafRecord[])[] = [];
  for (const { cell, newChunks = [], newEntities = [] } of planned) {
    const records: LeafRecord[] = [];
    if (newChunks.length > 0) records.push(await chunkRecord(newChunks, blobVersion));
    for (const entities of entityBatches(cell, newEntities, limits)) {
      const inner = encode(entityBlobCodec, { volume: cell, entities });
      const payload = blobVersion === PACKED_BLOB_VERSION ? await sealBlob(inner) : inner;
      records.push({ blobType: ENTITY_BLOB, blobVersion, payload });
    }
    encoded.push(records);
    await pacer.passed(newChunks.length);
  }
  return encoded;
}

/** Adds to planned leaves the references to their records, given in the order of {@link encodeLeaves}. */
export function finishLeaves(
  planned: readonly PlannedLeaf[],
  records: readonly (readonly LeafRecord[])[],
  refs: readonly BlobRef[],
): readonly LeafEntry[] {
  let next = 0;
  return planned.map(({ cell, chunkRefs, entityRefs, chunks, clocks }, index) => {
    const count = records[index]?.length ?? 0;
    const own = refs.slice(next, next + count);
    next += count;
    for (const [at, record] of (records[index] ?? []).entries()) {
      const ref = own[at];
      if (ref !== undefined && record.size !== undefined) rememberSize(ref, record.size);
    }
    const ofType = (type: number): readonly BlobRef[] => own.filter(({ blobType }) => blobType === type);
    return {
      cell,
      chunkRefs: [...chunkRefs, ...ofType(CHUNK_BLOB)],
      entityRefs: [...entityRefs, ...ofType(ENTITY_BLOB)],
      chunks,
      clocks,
    };
  });
}
