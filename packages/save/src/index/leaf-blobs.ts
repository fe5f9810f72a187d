import { type Chunk, requireLatticePosition } from "@orthant/core";
import { sealBlob } from "../codec/blob-envelope.ts";
import type { BlobSize } from "../codec/blob-size.ts";
import { encodeChunkBlob } from "../codec/chunk-blob.ts";
import { CHUNK_BLOB, PACKED_BLOB_VERSION } from "../codec/layout.ts";
import { encodePackedBlob, packedBytesAtLeast } from "../codec/packed-blob.ts";
import { type ChunkEntry, prepareChunks } from "../codec/prepared-chunks.ts";
import {
  ChunkContent,
  entryStorer,
  type GeneratedChunks,
  realizeStored,
  type StoredChunk,
  WholeChunk,
} from "../codec/stored-chunk.ts";
import type { Pacer } from "../commit/slow-work.ts";
import type { NewRecord } from "../pack/pack-writer.ts";

/** Version of chunk blob: 1 follows the specification, 2 is packed and compressed. */
export type ChunkBlobVersion = 1 | 2;

/** Options for storing the chunks of a save. */
export interface ChunkStorage {
  /** Default: 2. Use 1 for a reader that knows only the specification. */
  readonly blobVersion?: ChunkBlobVersion;
  /** The world's generator. Without it no chunk is stored as a change. */
  readonly generated?: GeneratedChunks;
  /** Counts every chunk, so that a large change is encoded in slices. */
  readonly pacer?: Pacer;
}

/** A record to write, with the size by which leaves are measured. */
export interface LeafRecord extends NewRecord {
  readonly size?: BlobSize;
}

/** Minimum bytes of a version 1 chunk, besides its chunk. */
const CHUNK_BYTES_MIN = 6;

/** Returns the chunks in the form the save stores. Version 1 has no changes, so all of them become chunks. */
export async function chunksToStore(
  chunks: readonly (ChunkEntry | StoredChunk)[],
  storage: ChunkStorage,
): Promise<readonly StoredChunk[]> {
  const { blobVersion = PACKED_BLOB_VERSION, generated, pacer } = storage;
  const isPacked = blobVersion === PACKED_BLOB_VERSION;
  const store = isPacked ? entryStorer(chunks, generated) : chunkStorer(generated);
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
    const chunk = "kind" in entry ? realizeStored(entry, generated) : entry.chunk;
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
  const isPacked = blobVersion === PACKED_BLOB_VERSION;
  const bytesMin = isPacked ? packedBytesAtLeast(chunks) : plainBytesAtLeast(chunks);
  return bytesMin <= bytesMax && encodeChunks(chunks, blobVersion).length <= bytesMax;
}

/** Encodes the record of arranged chunks. */
export async function chunkRecord(
  chunks: readonly StoredChunk[],
  blobVersion: ChunkBlobVersion,
): Promise<LeafRecord> {
  const inner = encodeChunks(chunks, blobVersion);
  return {
    blobType: CHUNK_BLOB,
    blobVersion,
    payload: blobVersion === PACKED_BLOB_VERSION ? await sealBlob(inner) : inner,
    size: { bytes: inner.length, chunks: chunks.length },
  };
}

function encodeChunks(chunks: readonly StoredChunk[], blobVersion: ChunkBlobVersion): Uint8Array {
  if (blobVersion === PACKED_BLOB_VERSION) return encodePackedBlob(chunks);
  const realized = chunks.map((entry) => ({
    position: entry.position,
    chunk: realizeStored(entry, undefined),
  }));
  return encodeChunkBlob(prepareChunks(realized, realized[0]?.chunk.volume ?? 1));
}

function plainBytesAtLeast(chunks: readonly StoredChunk[]): number {
  const contents = new Set<ChunkContent>();
  for (const entry of chunks) if (entry.kind === "chunk") contents.add(entry.content);
  let bytes = chunks.length * CHUNK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}
