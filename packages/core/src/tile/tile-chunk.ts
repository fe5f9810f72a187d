import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";

/** Tiles along an edge of a chunk of tiles. */
export const TILE_CHUNK_EDGE = 32;
/** Tiles in a chunk. */
export const TILES_PER_CHUNK: number = TILE_CHUNK_EDGE * TILE_CHUNK_EDGE;
const TILE_BYTES = 2;

/** The tiles of one chunk, row by row: the tile at (x, y) inside the chunk is number `y * 32 + x`. */
export interface TileChunk {
  readonly x: number;
  readonly y: number;
  /** `TILES_PER_CHUNK` blocks. */
  readonly tiles: Uint16Array;
}

/** The `chunk_snapshot` of Wire v1, on the wire and in saves. Rules W20 and W21, docs/formats/wire-v1.md. */
export const tileChunkCodec: Codec<TileChunk> = {
  write(out, { x, y, tiles }) {
    requireInteger(tiles.length, TILES_PER_CHUNK, TILES_PER_CHUNK);
    out.varI32(x);
    out.varI32(y);
    out.varUint(TILES_PER_CHUNK);
    out.varUint(TILES_PER_CHUNK * TILE_BYTES);
    out.u16Array(tiles);
  },

  read(input) {
    const x = input.varI32();
    const y = input.varI32();
    requireCount(input, TILES_PER_CHUNK, "tiles");
    requireCount(input, TILES_PER_CHUNK * TILE_BYTES, "bytes of tiles");
    return { x, y, tiles: input.u16Array(TILES_PER_CHUNK) };
  },
};

/** Check before allocating anything: both counts come from the sender. */
function requireCount(input: ByteReader, expected: number, what: string): void {
  const count = input.varU64();
  if (count === BigInt(expected)) return;
  throw input.fail("ORT_TILES", `${count} ${what} where a chunk has ${expected}`);
}
