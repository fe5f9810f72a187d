import { encode } from "@orthant/core/bytes";
import { comparePositions } from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import type { Pacer } from "../change/save-change.ts";
import type { RecordRef } from "../codec/blob.ts";
import { type BlobFormat, type BlobSize, rememberSize } from "../codec/blob-format.ts";
import { entityBlobCodec } from "../codec/entity.ts";
import { CHUNK_BLOB, ENTITY_BLOB, type SaveLimits } from "../codec/layout.ts";
import { packedBytesAtLeast } from "../codec/packed-blob.ts";
import type { StoredChunk } from "../codec/stored-chunk.ts";
import { chunkRecord, type MeasuredRecord } from "./chunk-records.ts";
import type { LeafEntry } from "./leaf-entry.ts";
import { entityBatches, type PreparedEntity, type PreparedLeaf } from "./leaf-partition.ts";

/** A leaf of the next generation: references that stay, and content that is not encoded yet. */
export interface DraftLeaf extends LeafEntry {
  readonly newChunks: readonly StoredChunk[];
  readonly newEntities: readonly PreparedEntity[];
}

/** A leaf of the next generation: references that stay, and records that are not written yet. */
export interface PlannedLeaf extends LeafEntry {
  /** Number of the chunks in `records`, and a lower bound for their bytes. */
  readonly newChunks?: BlobSize;
  readonly newEntities?: readonly PreparedEntity[];
  /** Chunks before entities. */
  readonly records?: Promise<readonly MeasuredRecord[]>;
}

/** How leaves are encoded. */
interface EncoderOptions {
  readonly limits: SaveLimits;
  readonly blobs: BlobFormat;
  readonly pacer?: Pacer;
}

/** Leaves that are compressed while the next is encoded. */
const ENCODED_AT_ONCE = 4;

/** Begins to encode a leaf. Waits for an earlier one if too many are being compressed. */
export type EncodeLeaf = (draft: DraftLeaf) => Promise<PlannedLeaf>;

/**
 * Returns a function that encodes leaves one by one, so that memory never holds the chunks of many, and other threads
 * compress one while the next is planned.
 */
export function leafEncoder({ limits, blobs, pacer }: EncoderOptions): EncodeLeaf {
  const encoding: Promise<unknown>[] = [];
  return async ({ newChunks, newEntities, ...leaf }) => {
    const records = encodeLeaf({ ...leaf, newChunks, newEntities }, limits, blobs);
    // Who writes the leaf gets the failure.
    records.catch(() => undefined);
    encoding.push(records);
    if (encoding.length > ENCODED_AT_ONCE) await encoding.shift();
    await pacer?.copied(newChunks.length);
    const size = { bytes: packedBytesAtLeast(newChunks), chunks: newChunks.length };
    return { ...leaf, newChunks: size, newEntities, records };
  };
}

/** Returns a draft whose content is all new. */
export function draftOf({ cube, chunks, entities, clocks }: PreparedLeaf): DraftLeaf {
  return {
    cube,
    chunkRefs: [],
    entityRefs: [],
    chunks: chunks.length,
    clocks: sortClocks(clocks),
    newChunks: chunks,
    newEntities: entities,
  };
}

/** Returns clocks in the order in which leaves have them. */
export function sortClocks(clocks: readonly RegionClock[]): readonly RegionClock[] {
  return [...clocks].sort((a, b) => comparePositions(a.region, b.region));
}

async function encodeLeaf(
  { cube, newChunks, newEntities }: DraftLeaf,
  limits: SaveLimits,
  blobs: BlobFormat,
): Promise<readonly MeasuredRecord[]> {
  const records: MeasuredRecord[] = [];
  if (newChunks.length > 0) records.push(await chunkRecord(newChunks, blobs));
  for (const entities of entityBatches(cube, newEntities, limits)) {
    const inner = encode(entityBlobCodec, { volume: cube, entities });
    const payload = await blobs.seal(inner);
    records.push({ blobType: ENTITY_BLOB, blobVersion: blobs.entityVersion, payload });
  }
  return records;
}

const NO_RECORDS: readonly MeasuredRecord[] = [];

/** Returns the records of each leaf. */
export function recordsOfLeaves(
  planned: readonly PlannedLeaf[],
): Promise<readonly (readonly MeasuredRecord[])[]> {
  return Promise.all(planned.map(({ records = NO_RECORDS }) => records));
}

/** Adds to leaves the references to their written records, which are in the order of {@link recordsOfLeaves}. */
export function finishLeaves(
  planned: readonly LeafEntry[],
  records: readonly (readonly MeasuredRecord[])[],
  refs: readonly RecordRef[],
): readonly LeafEntry[] {
  let next = 0;
  return planned.map(({ cube, chunkRefs, entityRefs, chunks, clocks }, index) => {
    const count = records[index]?.length ?? 0;
    const own = refs.slice(next, next + count);
    next += count;
    for (const [at, record] of (records[index] ?? []).entries()) {
      const ref = own[at];
      if (ref !== undefined && record.size !== undefined) rememberSize(ref, record.size);
    }
    const ofType = (type: number): readonly RecordRef[] => own.filter(({ blobType }) => blobType === type);
    return {
      cube,
      chunkRefs: [...chunkRefs, ...ofType(CHUNK_BLOB)],
      entityRefs: [...entityRefs, ...ofType(ENTITY_BLOB)],
      chunks,
      clocks,
    };
  });
}
