import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";
import { CHUNK_VOXELS_MAX } from "../lattice/chunk-shape.ts";
import {
  AIR,
  Chunk,
  type ChunkForm,
  chunkFromVoxels,
  emptyChunk,
  requireVolume,
  uniformChunk,
} from "./chunk.ts";
import {
  findFirstPositions,
  INDEX_BITS_MAX,
  indexBits,
  type PackedIndices,
  packedIndicesBytes,
  paddingIsZero,
  wordCount,
} from "./packed-indices.ts";

import { blockBytes, denseHeaderBytes, hasRepeatedBlock, packedHeaderBytes } from "./palette-voxels.ts";

/** The forms in the order of their tags. */
const FORMS: readonly ChunkForm[] = ["empty", "uniform", "palettePacked", "dense16"];

/** Returns a codec for chunks of one volume in canonical form. Rules in docs/formats/chunk-payload.md. */
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
          const palette = chunk.blocks();
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

/** Reads past one chunk, with all checks of {@link chunkCodec}. Returns whether it is empty. */
export function checkChunk(input: ByteReader, volume: number): "empty" | "content" {
  switch (FORMS[input.tag(FORMS.length)]) {
    case "uniform":
      readUniform(input, volume);
      return "content";
    case "palettePacked":
      scanPalettePacked(input, volume);
      return "content";
    case "dense16":
      readDense(input, volume);
      return "content";
    default:
      return "empty";
  }
}

function readUniform(input: ByteReader, volume: number): Chunk {
  const block = input.varU16();
  if (block === AIR) throw input.fail("ORT_CHUNK_FORM", "air written as Uniform");
  return uniformChunk(volume, block);
}

function readDense(input: ByteReader, volume: number): Chunk {
  const count = input.varUint();
  if (count !== volume) throw input.fail("ORT_CHUNK_VOLUME", `${count} blocks for ${volume} voxels`);
  const chunk = chunkFromVoxels(input.varU16Array(count));
  if (chunk.form !== "dense16") throw input.fail("ORT_CHUNK_FORM", `Dense16 where ${chunk.form} is shorter`);
  return chunk;
}

function readPalettePacked(input: ByteReader, volume: number): Chunk {
  const { palette, bitWidth, halves, packedBytes, denseBytes } = scanPalettePacked(input, volume);
  const indices = scratchIndices.slice(0, halves);
  const firstPositions = scratchFirsts.slice(0, palette.length);
  return new Chunk({ volume, palette, firstPositions, bitWidth, indices, packedBytes, denseBytes });
}

// Shared by all calls, which never overlap, so that checking allocates no arrays.
const scratchIndices: PackedIndices = new Uint32Array((CHUNK_VOXELS_MAX * INDEX_BITS_MAX) / 32);
const scratchFirsts = new Uint16Array(CHUNK_VOXELS_MAX);

interface ScannedPalette {
  readonly palette: Uint16Array;
  readonly bitWidth: number;
  /** Number of scratch indices in use. */
  readonly halves: number;
  readonly packedBytes: number;
  readonly denseBytes: number;
}

/** Reads and checks a palette and its indices, which stay in the scratch arrays. */
function scanPalettePacked(input: ByteReader, volume: number): ScannedPalette {
  const palette = input.varU16Array(input.count(volume));
  if (palette.length < 2) throw input.fail("ORT_CHUNK_FORM", `PalettePacked of ${palette.length} blocks`);
  if (hasRepeatedBlock(palette)) throw input.fail("ORT_CHUNK_PALETTE", "a block listed twice");
  const bitWidth = input.u8();
  if (bitWidth !== indexBits(palette.length)) {
    throw input.fail("ORT_CHUNK_PACKING", `${bitWidth} bits for ${palette.length} blocks`);
  }
  const count = input.varUint();
  if (count !== wordCount(volume, bitWidth)) {
    throw input.fail("ORT_CHUNK_PACKING", `${count} words for ${volume} voxels of ${bitWidth} bits`);
  }
  const start = input.offset;
  input.varU64Halves(scratchIndices, count);
  const halves = count * 2;
  // In the strict dialect, words have the length with which they are written.
  const wordBytes =
    input.dialect === "strict" ? input.offset - start : packedIndicesBytes(scratchIndices, halves);
  if (!paddingIsZero(scratchIndices, bitWidth, volume, halves)) {
    throw input.fail("ORT_CHUNK_PACKING", "bits that are not zero behind the last voxel");
  }
  findFirstPositions(input, scratchIndices, scratchFirsts, volume, palette.length);
  const denseBytes = denseHeaderBytes(volume) + blockBytes(volume, palette, scratchIndices);
  const packedBytes = packedHeaderBytes(volume, palette) + wordBytes;
  if (denseBytes < packedBytes) {
    throw input.fail("ORT_CHUNK_FORM", `${packedBytes} bytes where Dense16 has ${denseBytes}`);
  }
  return { palette, bitWidth, halves, packedBytes, denseBytes };
}
