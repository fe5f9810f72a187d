import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger, VARINT_BYTES_MAX } from "../bytes/integers.ts";
import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import { Chunk, chunkFromVoxels, requireVolume, uniformChunk } from "./chunk.ts";
import {
  findFirstPositions,
  INDEX_BITS_MAX,
  indexBits,
  type PackedIndices,
  packedIndicesBytes,
  paddingIsZero,
  varU32Bytes,
  wordCount,
} from "./packed-indices.ts";

import { blockBytes, denseHeaderBytes, hasRepeatedBlock, packedHeaderBytes } from "./palette-voxels.ts";
import { sharedWriter } from "./shared-writer.ts";

/** Replaces the palette length when there is no palette and each voxel stores its block. */
const DENSE = 0;
const BLOCK_BYTES = 2;
const WORD_BYTES = 8;

/**
 * Returns a codec for chunks in block blobs of version 2: a palette and words of fixed width, so that the
 * first number determines the length. Rules S75 and S76 in docs/formats/polychora-save.md.
 */
export function packedChunkCodec(volume: number): Codec<Chunk> {
  requireVolume(volume);
  return {
    write(out, chunk) {
      requireInteger(chunk.volume, volume, volume);
      const { blockCount } = chunk;
      if (isDense(blockCount, volume)) {
        out.varUint(DENSE);
        out.u16Array(chunk.voxels());
      } else {
        out.varUint(blockCount);
        chunk.writeBlocksAndWords(out);
      }
    },

    read(input) {
      const paletteLength = readPaletteLength(input, volume);
      if (paletteLength === DENSE) return readDense(input, volume);
      scanPalette(input, volume, paletteLength);
      const palette = scratchPalette.slice(0, paletteLength);
      if (paletteLength === 1) return uniformChunk(volume, palette[0] as number);
      const bitWidth = indexBits(paletteLength);
      const indices = scratchIndices.slice(0, wordCount(volume, bitWidth) * 2);
      const firstPositions = scratchFirsts.slice(0, paletteLength);
      const packedBytes = packedHeaderBytes(volume, palette) + packedIndicesBytes(indices);
      const denseBytes = denseHeaderBytes(volume) + blockBytes(volume, palette, indices);
      return new Chunk({ volume, palette, firstPositions, bitWidth, indices, packedBytes, denseBytes });
    },
  };
}

/** Returns the length of a chunk that is encoded with {@link packedChunkCodec}, without encoding it. */
export function packedChunkBytes({ volume, blockCount }: Chunk): number {
  if (isDense(blockCount, volume)) return varU32Bytes(DENSE) + volume * BLOCK_BYTES;
  const words = wordCount(volume, indexBits(blockCount));
  return varU32Bytes(blockCount) + blockCount * BLOCK_BYTES + words * WORD_BYTES;
}

/** Encodes a chunk with {@link packedChunkCodec}. The result may be a view of a larger array, which nothing changes later. */
export function encodePackedChunk(chunk: Chunk): Uint8Array {
  // The writer makes room for the longest varint before it writes one.
  const bytesMax = VARINT_BYTES_MAX + packedChunkBytes(chunk);
  const out = sharedWriter(bytesMax);
  const start = out.length;
  packedChunkCodec(chunk.volume).write(out, chunk);
  return out.view(start);
}

/** Reads past one chunk with all checks of {@link packedChunkCodec}. Returns the number of its different blocks. */
export function checkPackedChunk(input: ByteReader, volume: number): number {
  const paletteLength = readPaletteLength(input, volume);
  if (paletteLength === DENSE) return readDense(input, volume).blockCount;
  scanPalette(input, volume, paletteLength);
  return paletteLength;
}

/** Moves past one chunk, whose first number tells its length. Checks nothing else. */
export function skipPackedChunk(input: ByteReader, volume: number): void {
  const paletteLength = readPaletteLength(input, volume);
  if (paletteLength === DENSE) input.view(volume * BLOCK_BYTES);
  else {
    const words = paletteLength === 1 ? 0 : wordCount(volume, indexBits(paletteLength));
    input.view(paletteLength * BLOCK_BYTES + words * WORD_BYTES);
  }
}

// Shared by all calls, which never overlap, so that checking allocates no arrays.
const scratchIndices: PackedIndices = new Uint32Array((CHUNK_VOXELS_MAX * INDEX_BITS_MAX) / 32);
const scratchBytes = new Uint8Array(scratchIndices.buffer);
const scratchFirsts = new Uint16Array(CHUNK_VOXELS_MAX);
const scratchPalette = new Uint16Array(CHUNK_VOXELS_MAX);

/** Whether storing blocks is shorter than a palette, which depends only on the number of blocks. */
function isDense(paletteLength: number, volume: number): boolean {
  const words = wordCount(volume, indexBits(paletteLength));
  return paletteLength * BLOCK_BYTES + words * WORD_BYTES > volume * BLOCK_BYTES;
}

function readPaletteLength(input: ByteReader, volume: number): number {
  const length = input.varUint();
  if (length > volume || (length !== DENSE && isDense(length, volume))) {
    throw input.fail("ORT_CHUNK_FORM", `a palette of ${length} blocks for ${volume} voxels`);
  }
  return length;
}

function readDense(input: ByteReader, volume: number): Chunk {
  const chunk = chunkFromVoxels(input.u16Array(volume));
  const { blockCount } = chunk;
  if (!isDense(blockCount, volume)) {
    throw input.fail("ORT_CHUNK_FORM", `${volume} blocks where a palette of ${blockCount} is shorter`);
  }
  return chunk;
}

/** Reads and checks a palette and its indices, which stay in the scratch arrays. */
function scanPalette(input: ByteReader, volume: number, paletteLength: number): void {
  input.u16Into(scratchPalette, paletteLength);
  if (paletteLength === 1) return;
  if (hasRepeatedBlock(scratchPalette, paletteLength))
    throw input.fail("ORT_CHUNK_PALETTE", "a block listed twice");
  const bitWidth = indexBits(paletteLength);
  const words = wordCount(volume, bitWidth);
  scratchBytes.set(input.view(words * WORD_BYTES));
  if (!paddingIsZero(scratchIndices, bitWidth, volume, words * 2)) {
    throw input.fail("ORT_CHUNK_PACKING", "bits that are not zero behind the last voxel");
  }
  findFirstPositions(input, scratchIndices, scratchFirsts, volume, paletteLength);
}
