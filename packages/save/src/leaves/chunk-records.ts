import type { Pacer } from "../change/save-change.ts";
import type { BlobFormat, BlobSize } from "../codec/blob-format.ts";
import { CHUNK_BLOB } from "../codec/layout.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import type { GeneratedChunks, StoredChunk } from "../codec/stored-chunk.ts";
import type { NewRecord } from "../pack/pack-writer.ts";

/** Options for storing the chunks of a save. */
export interface ChunkStorage {
  readonly blobs: BlobFormat;
  /** The world's generator. Without it no chunk is stored as a change. */
  readonly generated?: GeneratedChunks;
  /** Counts every chunk, so that a large change is encoded in slices. */
  readonly pacer?: Pacer;
}

/** A record to write, with the size by which leaves are measured. */
export interface MeasuredRecord extends NewRecord {
  readonly size?: BlobSize;
}

/** Returns the chunks in the form the save stores. */
export async function chunksToStore(
  chunks: readonly (ChunkEntry | StoredChunk)[],
  { blobs, generated, pacer }: ChunkStorage,
): Promise<readonly StoredChunk[]> {
  const store = blobs.storer(chunks, generated);
  const stored: StoredChunk[] = [];
  for (const entry of chunks) {
    stored.push(store(entry));
    if (!("kind" in entry)) await pacer?.stored(1);
  }
  return stored;
}

/** Returns whether the uncompressed blob of arranged chunks has at most `bytesMax` bytes. */
export function chunksFit(chunks: readonly StoredChunk[], bytesMax: number, blobs: BlobFormat): boolean {
  const bytesMin = blobs.bytesAtLeast(chunks);
  if (bytesMin > bytesMax) return false;
  // Most leaves are far from the limit and need not be encoded to be measured.
  if (blobs.bytesAtMost(chunks, bytesMin) <= bytesMax) return true;
  return blobs.formatFor(chunks).encode(chunks).length <= bytesMax;
}

/** Bytes of a blob from which another thread is worth the way there. */
const OFF_THREAD_BYTES_MIN = 16 * 1024;

/** Encodes the record of arranged chunks, and compresses a large one on another thread. */
export async function chunkRecord(
  chunks: readonly StoredChunk[],
  blobs: BlobFormat,
): Promise<MeasuredRecord> {
  const format = blobs.formatFor(chunks);
  const inner = format.encode(chunks);
  return {
    blobType: CHUNK_BLOB,
    blobVersion: format.version,
    payload: await format.seal(inner, inner.length >= OFF_THREAD_BYTES_MIN),
    size: { bytes: inner.length, chunks: chunks.length },
  };
}
