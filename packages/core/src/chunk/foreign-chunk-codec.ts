import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { type Chunk, chunkFromVoxels, emptyChunk, requireVolume, uniformChunk } from "./chunk.ts";
import { chunkCodec } from "./chunk-codec.ts";
import { INDEX_BITS_MAX, indexAt, wordCount } from "./packed-indices.ts";

/**
 * Returns a codec for chunks from other programs: it reads any form that defines each voxel unambiguously,
 * canonical or not, and writes the canonical form. For importers, together with `decodeForeign`.
 */
export function foreignChunkCodec(volume: number): Codec<Chunk> {
  requireVolume(volume);
  return {
    write: chunkCodec(volume).write,
    read(input) {
      switch (input.tag(4)) {
        case 0:
          return emptyChunk(volume);
        case 1:
          return uniformChunk(volume, input.varU16());
        case 2:
          return readPalettePacked(input, volume);
        default:
          return readDense(input, volume);
      }
    },
  };
}

function readDense(input: ByteReader, volume: number): Chunk {
  const count = input.varUint();
  if (count !== volume) throw input.fail("ORT_CHUNK_VOLUME", `${count} blocks for ${volume} voxels`);
  return chunkFromVoxels(input.varU16Array(count));
}

/** Accepts unused and repeated entries, any order, too wide indices and any bits after the last one. */
function readPalettePacked(input: ByteReader, volume: number): Chunk {
  const palette = input.varU16Array(input.count(volume));
  const bitWidth = input.u8();
  if (bitWidth > INDEX_BITS_MAX) {
    throw input.fail("ORT_CHUNK_PACKING", `${bitWidth} bits, the limit is ${INDEX_BITS_MAX}`);
  }
  const count = input.varUint();
  if (count !== wordCount(volume, bitWidth)) {
    throw input.fail("ORT_CHUNK_PACKING", `${count} words for ${volume} voxels of ${bitWidth} bits`);
  }
  const indices = new Uint32Array(input.varU64Array(count).buffer);
  const voxels = new Uint16Array(volume);
  for (let position = 0; position < volume; position++) {
    const index = bitWidth === 0 ? 0 : indexAt(indices, bitWidth, position);
    const block = palette[index];
    if (block === undefined) {
      throw input.fail("ORT_CHUNK_PALETTE", `index ${index} into ${palette.length} blocks`);
    }
    voxels[position] = block;
  }
  return chunkFromVoxels(voxels);
}
