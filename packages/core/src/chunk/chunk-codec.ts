import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";
import {
  AIR,
  Chunk,
  type ChunkForm,
  chunkFromVoxels,
  emptyChunk,
  requireVolume,
  uniformChunk,
} from "./chunk.ts";
import { varU32Bytes } from "./encoded-size.ts";
import {
  indexAt,
  indexBits,
  type PackedIndices,
  packedIndicesBytes,
  paddingIsZero,
  wordCount,
} from "./packed-indices.ts";
import { denseHeaderBytes, hasRepeatedMaterial, packedHeaderBytes } from "./palette-voxels.ts";

/** The forms in the order of their tags. */
const FORMS: readonly ChunkForm[] = ["empty", "uniform", "palettePacked", "dense16"];

/** Chunks of one volume, each in its canonical form and no other. Rules in docs/formats/chunk-payload.md. */
export function chunkCodec(volume: number): Codec<Chunk> {
  requireVolume(volume);
  return {
    write(out, chunk) {
      requireInteger(chunk.volume, volume, volume);
      out.tag(FORMS.indexOf(chunk.form), FORMS.length);
      switch (chunk.form) {
        case "empty":
          return;
        case "uniform":
          return out.varU16(chunk.get(0));
        case "palettePacked": {
          const palette = chunk.materials();
          out.varUint(palette.length);
          out.varU16Array(palette);
          out.u8(indexBits(palette.length));
          return chunk.writeIndices(out);
        }
        case "dense16":
          out.varUint(volume);
          return out.varU16Array(chunk.voxels());
      }
    },

    read(input) {
      switch (FORMS[input.tag(FORMS.length)]) {
        case "uniform":
          return readUniform(input, volume);
        case "palettePacked":
          return readPalettePacked(input, volume);
        case "dense16":
          return readDense(input, volume);
        default:
          return emptyChunk(volume);
      }
    },
  };
}

function readUniform(input: ByteReader, volume: number): Chunk {
  const material = input.varU16();
  if (material === AIR) throw input.fail("ORT_CHUNK_FORM", "air written as Uniform");
  return uniformChunk(volume, material);
}

function readDense(input: ByteReader, volume: number): Chunk {
  const count = input.varUint();
  if (count !== volume) throw input.fail("ORT_CHUNK_VOLUME", `${count} materials for ${volume} voxels`);
  const chunk = chunkFromVoxels(input.varU16Array(count));
  if (chunk.form !== "dense16") throw input.fail("ORT_CHUNK_FORM", `Dense16 where ${chunk.form} is shorter`);
  return chunk;
}

function readPalettePacked(input: ByteReader, volume: number): Chunk {
  const palette = input.varU16Array(input.count(volume));
  if (palette.length < 2) throw input.fail("ORT_CHUNK_FORM", `PalettePacked of ${palette.length} materials`);
  if (hasRepeatedMaterial(palette)) throw input.fail("ORT_CHUNK_PALETTE", "a material listed twice");
  const bitWidth = input.u8();
  if (bitWidth !== indexBits(palette.length)) {
    throw input.fail("ORT_CHUNK_PACKING", `${bitWidth} bits for ${palette.length} materials`);
  }
  const count = input.varUint();
  if (count !== wordCount(volume, bitWidth)) {
    throw input.fail("ORT_CHUNK_PACKING", `${count} words for ${volume} voxels of ${bitWidth} bits`);
  }
  const indices = new Uint32Array(input.varU64Array(count).buffer);
  if (!paddingIsZero(indices, bitWidth, volume)) {
    throw input.fail("ORT_CHUNK_PACKING", "bits that are not zero behind the last voxel");
  }

  const firstPositions = readFirstPositions(input, volume, palette.length, indices);
  const denseBytes = denseHeaderBytes(volume) + sumMaterialBytes(volume, palette, indices);
  const packedBytes = packedHeaderBytes(volume, palette) + packedIndicesBytes(indices);
  if (denseBytes < packedBytes) {
    throw input.fail("ORT_CHUNK_FORM", `${packedBytes} bytes where Dense16 has ${denseBytes}`);
  }
  return new Chunk({ volume, palette, firstPositions, bitWidth, indices, packedBytes, denseBytes });
}

/** Where each palette entry appears first, when they all appear, in their order, and no index is beyond them. */
function readFirstPositions(
  input: ByteReader,
  volume: number,
  paletteLength: number,
  indices: PackedIndices,
): Uint16Array {
  const bitWidth = indexBits(paletteLength);
  const firstPositions = new Uint16Array(paletteLength);
  // Once every entry was seen, an index can only be wrong if the bits can say more than the palette holds.
  const mayGoBeyond = paletteLength < 1 << bitWidth;
  let seen = 0;
  for (let position = 0; position < volume && (mayGoBeyond || seen < paletteLength); position++) {
    const index = indexAt(indices, bitWidth, position);
    if (index < seen) continue;
    if (index > seen || index >= paletteLength) {
      throw input.fail("ORT_CHUNK_PALETTE", `index ${index} after ${seen} of ${paletteLength} materials`);
    }
    firstPositions[seen++] = position;
  }
  if (seen < paletteLength) {
    throw input.fail("ORT_CHUNK_PALETTE", `${paletteLength} materials of which ${seen} occur`);
  }
  return firstPositions;
}

function sumMaterialBytes(volume: number, palette: Uint16Array, indices: PackedIndices): number {
  if (palette.every((material) => varU32Bytes(material) === 1)) return volume;
  const bitWidth = indexBits(palette.length);
  let bytes = 0;
  for (let position = 0; position < volume; position++) {
    bytes += varU32Bytes(palette[indexAt(indices, bitWidth, position)] as number);
  }
  return bytes;
}
