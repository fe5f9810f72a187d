import type { ByteReader } from "../bytes/byte-reader.ts";
import { ByteWriter } from "../bytes/byte-writer.ts";
import type { Codec } from "../bytes/codec.ts";
import { option } from "../bytes/combinators.ts";
import { requireInteger } from "../bytes/integers.ts";
import { varU16 } from "../bytes/primitives.ts";
import type { Chunk } from "../chunk/chunk.ts";
import { type Box, boxExtents, boxVolume } from "../lattice/box.ts";

import type { Position } from "../lattice/position.ts";
import { CHUNK_ARRAY_CELLS_MAX, ChunkArray } from "./chunk-array.ts";
import { cellCount, pagedIndexBytesMax, pagedSparseRleCodec } from "./paged-sparse-rle.ts";

/** The encodings of indices: a value for each cell, or pages of runs. We always write the second. */
const INDEX_CODECS = 2;
const PAGED_SPARSE_RLE = 1;

const defaultIndexCodec = option(varU16);

/**
 * Writes an array of at most 256 cells without its bounds. Rules T6 to T15 in docs/formats/region-tree.md.
 */
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
  const extents = requireCells(input, bounds);
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

function requireCells(input: ByteReader, bounds: Box): Position {
  const cells = boxVolume(bounds);
  if (cells > CHUNK_ARRAY_CELLS_MAX) {
    throw input.fail("ORT_LIMIT", `an array of ${cells} cells, the limit is ${CHUNK_ARRAY_CELLS_MAX}`);
  }
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
  if (length > limit) throw input.fail("ORT_LIMIT", `${length} bytes, the limit is ${limit}`);
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
