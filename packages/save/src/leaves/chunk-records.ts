import type { Chunk } from "@orthant/core";
import { requireLatticePosition } from "@orthant/core/lattice";
import type { Pacer } from "../change/pacer.ts";
import { type BlobSize, sealBlob } from "../codec/blob.ts";
import { encodeChunkBlob } from "../codec/chunk-blob.ts";
import {
  type BLOB_VERSION,
  CHUNK_BLOB,
  isPackedVersion,
  type PackedBlobVersion,
  TABLE_BLOB_VERSION,
} from "../codec/layout.ts";
import { encodePackedBlob, packedBytesAtLeast, packedBytesAtMost } from "../codec/packed-blob.ts";
import { type ChunkEntry, prepareChunks } from "../codec/prepared-chunks.ts";
import {
  ChunkContent,
  entryStorer,
  type GeneratedChunks,
  realizeStored,
  type StoredChunk,
  WholeChunk,
} from "../codec/stored-chunk.ts";
import { NO_PARTS } from "../codec/tagged-part.ts";
import type { NewRecord } from "../pack/pack-writer.ts";
import { type IndexVersion, NEWEST_INDEX_VERSION } from "./leaf-entry.ts";

/** Version of chunk blob: 1 follows the specification, 2 is packed and compressed, 3 locates each chunk. */
export type ChunkBlobVersion = typeof BLOB_VERSION | PackedBlobVersion;

/** Returns the version of the chunk blobs that go with an index of some version. Rule S84. */
export function blobVersionOf(indexVersion: IndexVersion): ChunkBlobVersion {
  if (indexVersion === 1) return 1;
  return indexVersion === NEWEST_INDEX_VERSION ? TABLE_BLOB_VERSION : 2;
}

/** Options for storing the chunks of a save. */
export interface ChunkStorage {
  /** Default: 3. Use 1 for a reader that knows only the specification. */
  readonly blobVersion?: ChunkBlobVersion;
  /** The world's generator. Without it no chunk is stored as a change. */
  readonly generated?: GeneratedChunks;
  /** Counts every chunk, so that a large change is encoded in slices. */
  readonly pacer?: Pacer;
}

/** A record to write, with the size by which leaves are measured. */
export interface MeasuredRecord extends NewRecord {
  readonly size?: BlobSize;
}

/** Minimum bytes of a version 1 chunk, besides its chunk. */
const CHUNK_BYTES_MIN = 6;

/** Returns the chunks in the form the save stores. Version 1 has no changes, so all of them become chunks. */
export async function chunksToStore(
  chunks: readonly (ChunkEntry | StoredChunk)[],
  storage: ChunkStorage,
): Promise<readonly StoredChunk[]> {
  const { blobVersion = TABLE_BLOB_VERSION, generated, pacer } = storage;
  const store = isPackedVersion(blobVersion) ? entryStorer(chunks, generated) : chunkStorer(generated);
  const stored: StoredChunk[] = [];
  for (const entry of chunks) {
    stored.push(store(entry));
    if (!("kind" in entry)) await pacer?.stored(1);
  }
  return stored;
}

function chunkStorer(
  generated: GeneratedChunks | undefined,
): (entry: ChunkEntry | StoredChunk) => StoredChunk {
  const contents = new Map<Chunk, ChunkContent>();
  return (entry) => {
    // Version 1 has no voxel data; conversions to it report the loss.
    const chunk = ("kind" in entry ? realizeStored(entry, generated) : entry.chunk).withoutData();
    const content = contents.get(chunk) ?? ChunkContent.of(chunk);
    contents.set(chunk, content);
    requireLatticePosition(...entry.position);
    return new WholeChunk(entry.position, content);
  };
}

/** Returns whether the uncompressed blob of arranged chunks has at most `bytesMax` bytes. */
export function chunksFit(
  chunks: readonly StoredChunk[],
  bytesMax: number,
  blobVersion: ChunkBlobVersion,
): boolean {
  const isPacked = isPackedVersion(blobVersion);
  const bytesMin = isPacked ? packedBytesAtLeast(chunks) : plainBytesAtLeast(chunks);
  if (bytesMin > bytesMax) return false;
  // Most leaves are far from the limit and need not be encoded to be measured.
  if (isPacked && packedBytesAtMost(chunks, bytesMin) <= bytesMax) return true;
  return encodeChunks(chunks, blobVersion).length <= bytesMax;
}

/** Bytes of a blob from which another thread is worth the way there. */
const BESIDE_BYTES_MIN = 16 * 1024;

/** Encodes the record of arranged chunks, and compresses a large one on another thread. */
export async function chunkRecord(
  chunks: readonly StoredChunk[],
  blobVersion: ChunkBlobVersion,
): Promise<MeasuredRecord> {
  const inner = encodeChunks(chunks, blobVersion);
  const isPacked = isPackedVersion(blobVersion);
  return {
    blobType: CHUNK_BLOB,
    blobVersion: isPacked ? packedVersionFor(chunks, blobVersion) : blobVersion,
    payload: isPacked ? await sealBlob(inner, inner.length >= BESIDE_BYTES_MIN) : inner,
    size: { bytes: inner.length, chunks: chunks.length },
  };
}

function encodeChunks(chunks: readonly StoredChunk[], blobVersion: ChunkBlobVersion): Uint8Array {
  if (isPackedVersion(blobVersion)) return encodePackedBlob(chunks, packedVersionFor(chunks, blobVersion));
  const realized = chunks.map((entry) => ({
    position: entry.position,
    chunk: realizeStored(entry, undefined),
  }));
  return encodeChunkBlob(prepareChunks(realized, realized[0]?.chunk.volume ?? 1));
}

/** Returns the version of a record: a save of an older version has version 3 only where chunks have parts. */
function packedVersionFor(chunks: readonly StoredChunk[], blobVersion: PackedBlobVersion): PackedBlobVersion {
  return chunks.some(({ parts = NO_PARTS }) => parts.length > 0) ? TABLE_BLOB_VERSION : blobVersion;
}

function plainBytesAtLeast(chunks: readonly StoredChunk[]): number {
  const contents = new Set<ChunkContent>();
  for (const entry of chunks) if (entry.kind === "chunk") contents.add(entry.content);
  let bytes = chunks.length * CHUNK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}
