import type { Box, Chunk } from "@orthant/core";
import { type ByteReader, type Codec, option, U16_MAX, varU16 } from "@orthant/core/bytes";
import { chunkCodec, foreignChunkCodec } from "@orthant/core/chunk";
import {
  ChunkArray,
  pagedIndexBytesMax,
  readChunkArrayBody,
  writeChunkArrayBody,
} from "@orthant/core/internal";
import { boxCodec, boxExtents, boxVolume } from "@orthant/core/lattice";
import { foreignPagedSparseRleCodec } from "./foreign-paged-sparse-rle.ts";

/** Maximum number of cells of an array from another program; the original sent 343. */
const FOREIGN_CELLS_MAX = 65_536;
const INDEX_CODECS = 2;
const DENSE_U16 = 0;

const defaultIndexCodec = option(varU16);

/**
 * Returns a codec for chunk arrays of at most 256 cells that only accepts the canonical form. Rules T6 to T15
 * in docs/formats/region-tree.md.
 */
export function chunkArrayCodec(volume: number): Codec<ChunkArray> {
  return withBounds(chunkCodec(volume), readChunkArrayBody);
}

/** Returns a codec for other programs' chunk arrays, for `decodeForeign`. Its results are canonical. */
export function foreignChunkArrayCodec(volume: number): Codec<ChunkArray> {
  return withBounds(foreignChunkCodec(volume), readForeignBody);
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

function readForeignBody(input: ByteReader, bounds: Box, chunks: Codec<Chunk>): ChunkArray {
  const cells = boxVolume(bounds);
  if (cells > FOREIGN_CELLS_MAX) throw input.fail("ORT_LIMIT", `an array of ${cells} cells`);
  const extents = boxExtents(bounds);
  const palette: Chunk[] = [];
  const paletteLength = input.count(U16_MAX + 1);
  for (let index = 0; index < paletteLength; index++) palette.push(chunks.read(input));
  const indexCodec = input.tag(INDEX_CODECS);
  const indexBytes = input.varUint();
  if (indexBytes > pagedIndexBytesMax(extents)) throw input.fail("ORT_LIMIT", `${indexBytes} bytes`);
  const indexData = input.within(indexBytes);
  const defaultIndex = defaultIndexCodec.read(input);
  if (defaultIndex !== undefined && defaultIndex >= paletteLength) {
    throw input.fail("ORT_ARRAY_DEFAULT", `default ${defaultIndex} in a palette of ${paletteLength}`);
  }
  const indices =
    indexCodec === DENSE_U16
      ? indexData.u16Array(cells)
      : foreignPagedSparseRleCodec({ extents, paletteLength, defaultIndex }).read(indexData);
  indexData.end();
  const array = Array.from(indices, (index) => {
    const chunk = palette[index];
    if (chunk !== undefined) return chunk;
    throw input.fail("ORT_ARRAY_PALETTE", `index ${index} into a palette of ${paletteLength}`);
  });
  return new ChunkArray(bounds, array);
}
