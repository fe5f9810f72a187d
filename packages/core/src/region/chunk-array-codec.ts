import type { ByteReader } from "../bytes/byte-reader.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { option } from "../bytes/combinators.ts";
import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import { varU16 } from "../bytes/primitives.ts";
import type { Chunk } from "../chunk/chunk.ts";
import { chunkCodec } from "../chunk/chunk-codec.ts";
import { foreignChunkCodec } from "../chunk/foreign-chunk-codec.ts";
import { type Box, boxCodec, boxExtents, boxVolume } from "../lattice/box.ts";

import { CHUNK_ARRAY_CELLS_MAX, ChunkArray, FOREIGN_CHUNK_ARRAY_CELLS_MAX } from "./chunk-array.ts";
import {
  cellCount,
  foreignPagedSparseRleCodec,
  pagedIndexBytesMax,
  pagedSparseRleCodec,
} from "./paged-sparse-rle.ts";

/** The encodings of indices: a value for each cell, or pages of runs. We always write the second. */
const INDEX_CODECS = 2;
const DENSE_U16 = 0;
const PAGED_SPARSE_RLE = 1;

const defaultIndexCodec = option(varU16);

/**
 * Returns a codec for chunk arrays of at most 256 cells that only accepts the canonical form. Rules T6 to T15
 * in docs/formats/region-tree.md.
 */
export function chunkArrayCodec(volume: number): Codec<ChunkArray> {
  return withBounds(chunkCodec(volume), (input, bounds, chunks) => readChunkArrayBody(input, bounds, chunks));
}

/** Returns a codec for other programs' chunk arrays, for `decodeForeign`. Its results are canonical. */
export function foreignChunkArrayCodec(volume: number): Codec<ChunkArray> {
  return withBounds(foreignChunkCodec(volume), readForeignBody);
}

/** Writes an array without its bounds. */
export function writeChunkArrayBody(out: ByteWriter, array: ChunkArray, chunks: Codec<Chunk>): void {
  const { extents, palette, defaultIndex } = array;
  requireInteger(cellCount(extents), 1, CHUNK_ARRAY_CELLS_MAX);
  out.varUint(palette.length);
  for (const chunk of palette) chunks.write(out, chunk);
  out.tag(PAGED_SPARSE_RLE, INDEX_CODECS);
  const indexData = new ByteWriter();
  pagedSparseRleCodec({ extents, paletteLength: palette.length, defaultIndex }).write(
    indexData,
    array.indices,
  );
  out.bytes(indexData.view());
  defaultIndexCodec.write(out, defaultIndex);
}

/** Reads an array without its bounds. Accepts only the canonical form. */
export function readChunkArrayBody(input: ByteReader, bounds: Box, chunks: Codec<Chunk>): ChunkArray {
  const extents = requireCells(input, bounds, CHUNK_ARRAY_CELLS_MAX);
  const palette = readPalette(input, chunks, cellCount(extents));
  if (input.tag(INDEX_CODECS) !== PAGED_SPARSE_RLE) {
    throw input.fail("ORT_ARRAY_HEADER", "DenseU16 indices where PagedSparseRle ones must be");
  }
  const indexData = input.within(readLength(input, pagedIndexBytesMax(extents)));
  const defaultIndex = readDefault(input, palette.length);
  const indices = pagedSparseRleCodec({ extents, paletteLength: palette.length, defaultIndex }).read(
    indexData,
  );
  indexData.end();
  const array = new ChunkArray(bounds, chunksOf(palette, indices));
  const ours = array.indices;
  if (array.palette.length !== palette.length || indices.some((index, cell) => index !== ours[cell])) {
    throw input.fail("ORT_ARRAY_PALETTE", "a palette that is not each chunk once, in order of appearance");
  }
  if (array.defaultIndex !== defaultIndex) {
    throw input.fail("ORT_ARRAY_DEFAULT", `default ${defaultIndex} where ${array.defaultIndex} must be`);
  }
  return array;
}

function readForeignBody(input: ByteReader, bounds: Box, chunks: Codec<Chunk>): ChunkArray {
  const extents = requireCells(input, bounds, FOREIGN_CHUNK_ARRAY_CELLS_MAX);
  const palette = readPalette(input, chunks, U16_MAX + 1);
  const indexCodec = input.tag(INDEX_CODECS);
  const indexData = input.within(readLength(input, pagedIndexBytesMax(extents)));
  const defaultIndex = readDefault(input, palette.length);
  const indices =
    indexCodec === DENSE_U16
      ? indexData.u16Array(cellCount(extents))
      : foreignPagedSparseRleCodec({ extents, paletteLength: palette.length, defaultIndex }).read(indexData);
  indexData.end();
  const beyond = indices.find((index) => index >= palette.length);
  if (beyond !== undefined) {
    throw input.fail("ORT_ARRAY_PALETTE", `index ${beyond} into a palette of ${palette.length}`);
  }
  return new ChunkArray(bounds, chunksOf(palette, indices));
}

function withBounds(
  chunks: Codec<Chunk>,
  readBody: (input: ByteReader, bounds: Box, chunks: Codec<Chunk>) => ChunkArray,
): Codec<ChunkArray> {
  return {
    write(out, array) {
      boxCodec.write(out, array.bounds);
      writeChunkArrayBody(out, array, chunks);
    },
    read: (input) => readBody(input, boxCodec.read(input), chunks),
  };
}

function requireCells(input: ByteReader, bounds: Box, limit: number): ReturnType<typeof boxExtents> {
  const cells = boxVolume(bounds);
  if (cells > limit)
    throw input.fail("ORT_LIMIT", `an array of ${cells} cells where at most ${limit} may be`);
  return boxExtents(bounds);
}

function readPalette(input: ByteReader, chunks: Codec<Chunk>, limit: number): readonly Chunk[] {
  const length = input.count(limit);
  const palette: Chunk[] = [];
  for (let index = 0; index < length; index++) palette.push(chunks.read(input));
  return palette;
}

function readLength(input: ByteReader, limit: number): number {
  const length = input.varUint();
  if (length > limit) throw input.fail("ORT_LIMIT", `${length} bytes where at most ${limit} may be`);
  return length;
}

function readDefault(input: ByteReader, paletteLength: number): number | undefined {
  const defaultIndex = defaultIndexCodec.read(input);
  if (defaultIndex !== undefined && defaultIndex >= paletteLength) {
    throw input.fail("ORT_ARRAY_DEFAULT", `default ${defaultIndex} in a palette of ${paletteLength}`);
  }
  return defaultIndex;
}

function chunksOf(palette: readonly Chunk[], indices: Uint16Array): readonly Chunk[] {
  return Array.from(indices, (index) => palette[index] as Chunk);
}
