import { type Chunk, requireLatticePlace } from "@orthant/core";
import type { NewRecord } from "../files/pack-writer.ts";
import { BLOCK_BLOB, PACKED_BLOB_VERSION } from "../layout.ts";
import { sealBlob } from "../records/blob-envelope.ts";
import type { BlobSize } from "../records/blob-size.ts";
import { encodeBlockBlob } from "../records/block-blob.ts";
import { encodePackedBlob, packedBytesAtLeast } from "../records/packed-blob.ts";
import { type BlockEntry, prepareBlocks } from "../records/prepared-blocks.ts";
import {
  blockStorer,
  ChunkContent,
  type GeneratedChunks,
  realizeBlock,
  type StoredBlock,
  StoredChunk,
} from "../records/stored-block.ts";
import type { Pacer } from "../slow-work.ts";

/** The version of block blobs: 1 is the specification as it stands, 2 is packed and compressed. */
export type BlockBlobVersion = 1 | 2;

/** How the blocks of a save are stored. */
export interface BlockStorage {
  /** 2, unless the save is for a reader that knows the specification and no more: then 1. */
  readonly blobVersion?: BlockBlobVersion;
  /** What the world's generator makes; without it no block is stored as a change. */
  readonly generated?: GeneratedChunks;
  /** Told of every block, so that a large change is made in slices. */
  readonly pacer?: Pacer;
}

/** A record that should be written, with the size that leaves are measured by. */
export interface LeafRecord extends NewRecord {
  readonly size?: BlobSize;
}

/** Bytes that a block of version 1 takes at least, beside its chunk. */
const BLOCK_BYTES_MIN = 6;

/** Blocks as the save stores them. Version 1 has no changes, so that there they all become chunks. */
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
    requireLatticePlace(...block.place);
    return new StoredChunk(block.place, content);
  };
}

/** Whether the blob of arranged blocks has at most this many bytes, before it is compressed. */
export function blocksFit(
  blocks: readonly StoredBlock[],
  bytesMax: number,
  blobVersion: BlockBlobVersion,
): boolean {
  const isPacked = blobVersion === PACKED_BLOB_VERSION;
  const bytesMin = isPacked ? packedBytesAtLeast(blocks) : plainBytesAtLeast(blocks);
  return bytesMin <= bytesMax && encodeBlocks(blocks, blobVersion).length <= bytesMax;
}

/** The record of arranged blocks. */
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
  const chunks = blocks.map((block) => ({ place: block.place, chunk: realizeBlock(block, undefined) }));
  return encodeBlockBlob(prepareBlocks(chunks, chunks[0]?.chunk.volume ?? 1));
}

function plainBytesAtLeast(blocks: readonly StoredBlock[]): number {
  const contents = new Set<ChunkContent>();
  for (const block of blocks) if (block.kind === "chunk") contents.add(block.content);
  let bytes = blocks.length * BLOCK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}
