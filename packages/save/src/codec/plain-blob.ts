import type { Chunk } from "@orthant/core";
import type { Codec } from "@orthant/core/bytes";
import { requireLatticePosition } from "@orthant/core/lattice";
import { chunkBlobCodec, encodeChunkBlob } from "./chunk-blob.ts";
import { type ChunkAssignment, type ChunkEntry, prepareChunks } from "./prepared-chunks.ts";
import {
  ChunkContent,
  type GeneratedChunks,
  realizeStored,
  type StoredChunk,
  wholeChunk,
} from "./stored-chunk.ts";

/** Minimum bytes of a position in a blob, besides its chunk. */
const CHUNK_BYTES_MIN = 6;

/** Codec of the chunks of a version 1 blob in stored form. Untouched positions have none. */
export function plainBlobCodec(chunkVolume: number): Codec<readonly StoredChunk[]> {
  const codec = chunkBlobCodec(chunkVolume);
  return {
    write: (out, chunks) => out.raw(encodePlainBlob(chunks)),
    read: (input) => storedChunks(codec.read(input)),
  };
}

/** Encodes stored chunks as a version 1 blob. */
export function encodePlainBlob(chunks: readonly StoredChunk[]): Uint8Array {
  const realized = chunks.map((entry) => ({
    position: entry.position,
    chunk: realizeStored(entry, undefined),
  }));
  return encodeChunkBlob(prepareChunks(realized, realized[0]?.chunk.volume ?? 1));
}

/** Returns a lower bound for the size of such a blob that is cheap to compute. */
export function plainBytesAtLeast(chunks: readonly StoredChunk[]): number {
  const contents = new Set<ChunkContent>();
  for (const entry of chunks) if (entry.kind === "chunk") contents.add(entry.content);
  let bytes = chunks.length * CHUNK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}

/** Returns a function that makes each entry a whole chunk. Version 1 has no changes, and no parts. */
export function plainStorer(
  generated: GeneratedChunks | undefined,
): (entry: ChunkEntry | StoredChunk) => StoredChunk {
  const contents = new Map<Chunk, ChunkContent>();
  return (entry) => {
    // Version 1 has no voxel data; conversions to it report the loss.
    const chunk = ("kind" in entry ? realizeStored(entry, generated) : entry.chunk).withoutData();
    requireLatticePosition(...entry.position);
    return wholeChunk(entry.position, contentOf(chunk, contents));
  };
}

function storedChunks(chunks: readonly ChunkAssignment[]): readonly StoredChunk[] {
  const contents = new Map<Chunk, ChunkContent>();
  const stored: StoredChunk[] = [];
  for (const { position, chunk } of chunks) {
    if (chunk !== undefined) stored.push(wholeChunk(position, contentOf(chunk, contents)));
  }
  return stored;
}

/** Returns the content of a chunk, one for all positions that share it. */
function contentOf(chunk: Chunk, contents: Map<Chunk, ChunkContent>): ChunkContent {
  const content = contents.get(chunk) ?? ChunkContent.of(chunk);
  contents.set(chunk, content);
  return content;
}
