import { type Chunk, requireLatticePosition } from "@orthant/core";
import { sealBlob } from "../codec/blob-envelope.ts";
import type { BlobSize } from "../codec/blob-size.ts";
import { encodeBlockBlob } from "../codec/block-blob.ts";
import { BLOCK_BLOB, PACKED_BLOB_VERSION } from "../codec/layout.ts";
import { encodePackedBlob, packedBytesAtLeast } from "../codec/packed-blob.ts";
import { type BlockEntry, prepareBlocks } from "../codec/prepared-blocks.ts";
import {
  blockStorer,
  ChunkContent,
  type GeneratedChunks,
  realizeBlock,
  type StoredBlock,
  StoredChunk,
} from "../codec/stored-block.ts";
import type { Pacer } from "../commit/slow-work.ts";
import type { NewRecord } from "../pack/pack-writer.ts";

/** Version of block blobs: 1 follows the specification, 2 is packed and compressed. */
export type BlockBlobVersion = 1 | 2;

/** Options for storing the blocks of a save. */
export interface BlockStorage {
  /** Default: 2. Use 1 for a reader that knows only the specification. */
  readonly blobVersion?: BlockBlobVersion;
  /** The world's generator. Without it no block is stored as a change. */
  readonly generated?: GeneratedChunks;
  /** Counts every block, so that a large change is encoded in slices. */
  readonly pacer?: Pacer;
}

/** A record to write, with the size by which leaves are measured. */
export interface LeafRecord extends NewRecord {
  readonly size?: BlobSize;
}

/** Minimum bytes of a version 1 block, besides its chunk. */
const BLOCK_BYTES_MIN = 6;

/** Returns the blocks in the form the save stores. Version 1 has no changes, so all of them become chunks. */
export async function blocksToStore(
  blocks: readonly (BlockEntry | StoredBlock)[],
  storage: BlockStorage,
): Promise<readonly StoredBlock[]> {
  const { blobVersion = PACKED_BLOB_VERSION, generated, pacer } = storage;
  const isPacked = blobVersion === PACKED_BLOB_VERSION;
  const store = isPacked ? blockStorer(blocks, generated) : chunkStorer(generated);
  const stored: StoredBlock[] = [];
  for (const block of blocks) {
    stored.push(store(block));
    if (!("kind" in block)) await pacer?.stored(1);
  }
  return stored;
}

function chunkStorer(
  generated: GeneratedChunks | undefined,
): (block: BlockEntry | StoredBlock) => StoredBlock {
  const contents = new Map<Chunk, ChunkContent>();
  return (block) => {
    const chunk = "kind" in block ? realizeBlock(block, generated) : block.chunk;
    const content = contents.get(chunk) ?? ChunkContent.of(chunk);
    contents.set(chunk, content);
    requireLatticePosition(...block.position);
    return new StoredChunk(block.position, content);
  };
}

/** Returns whether the uncompressed blob of arranged blocks has at most `bytesMax` bytes. */
export function blocksFit(
  blocks: readonly StoredBlock[],
  bytesMax: number,
  blobVersion: BlockBlobVersion,
): boolean {
  const isPacked = blobVersion === PACKED_BLOB_VERSION;
  const bytesMin = isPacked ? packedBytesAtLeast(blocks) : plainBytesAtLeast(blocks);
  return bytesMin <= bytesMax && encodeBlocks(blocks, blobVersion).length <= bytesMax;
}

/** Encodes the record of arranged blocks. */
export async function blockRecord(
  blocks: readonly StoredBlock[],
  blobVersion: BlockBlobVersion,
): Promise<LeafRecord> {
  const inner = encodeBlocks(blocks, blobVersion);
  return {
    blobType: BLOCK_BLOB,
    blobVersion,
    payload: blobVersion === PACKED_BLOB_VERSION ? await sealBlob(inner) : inner,
    size: { bytes: inner.length, blocks: blocks.length },
  };
}

function encodeBlocks(blocks: readonly StoredBlock[], blobVersion: BlockBlobVersion): Uint8Array {
  if (blobVersion === PACKED_BLOB_VERSION) return encodePackedBlob(blocks);
  const chunks = blocks.map((block) => ({ position: block.position, chunk: realizeBlock(block, undefined) }));
  return encodeBlockBlob(prepareBlocks(chunks, chunks[0]?.chunk.volume ?? 1));
}

function plainBytesAtLeast(blocks: readonly StoredBlock[]): number {
  const contents = new Set<ChunkContent>();
  for (const block of blocks) if (block.kind === "chunk") contents.add(block.content);
  let bytes = blocks.length * BLOCK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}
