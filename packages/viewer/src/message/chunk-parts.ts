import type { Box, Chunk } from "@orthant/core";
import { type Codec, list, record } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { boxCodec } from "@orthant/core/lattice";
import type { Piece } from "@orthant/core/tree";

/** Everything that a box of chunks holds: its chunks that are not as generated. */
export interface ChunkPart {
  readonly box: Box;
  readonly pieces: readonly Piece<Chunk>[];
}

const PARTS_MAX = 65_536;
const PIECES_MAX = 65_536;

/** How parts of a world travel between two threads; never stored. */
export function chunkPartsCodec(volume: number): Codec<readonly ChunkPart[]> {
  const piece = record<Piece<Chunk>>({ box: boxCodec, content: chunkCodec(volume) });
  return list(record<ChunkPart>({ box: boxCodec, pieces: list(piece, PIECES_MAX) }), PARTS_MAX);
}
