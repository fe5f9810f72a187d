import {
  type Codec,
  comparePositions,
  foreignChunkCodec,
  HYPERCUBE_CHUNKS,
  list,
  positionCodec,
} from "@orthant/core";
import type { BlockEntry } from "../codec/prepared-blocks.ts";

const OVERRIDE_VERSION = 1;
const CHUNKS_MAX = 100_000_000;
const chunkCodec = foreignChunkCodec(HYPERCUBE_CHUNKS.volume);

const entriesCodec = list<BlockEntry>(
  {
    write(out, { position, chunk }) {
      positionCodec.write(out, position);
      // The original encodes a chunk of placed air as Uniform(0); Empty would be an absent chunk.
      if (chunk.isEmpty) out.raw(Uint8Array.of(1, 0));
      else chunkCodec.write(out, chunk);
    },
    read: (input) => ({ position: positionCodec.read(input), chunk: chunkCodec.read(input) }),
  },
  CHUNKS_MAX,
);

/**
 * Codec of the blocks that the last shipped servers kept in the global file instead of in blobs. Rule S41.
 */
export const worldOverrideCodec: Codec<readonly BlockEntry[]> = {
  write(out, blocks) {
    out.varU32(OVERRIDE_VERSION);
    entriesCodec.write(out, blocks);
  },

  read(input) {
    const version = input.varU32();
    if (version !== OVERRIDE_VERSION) {
      throw input.fail("ORT_VERSION", `world override version ${version}, known is ${OVERRIDE_VERSION}`);
    }
    const blocks = entriesCodec.read(input);
    for (const [index, { position }] of blocks.entries()) {
      const previous = blocks[index - 1];
      if (previous !== undefined && comparePositions(previous.position, position) >= 0) {
        throw input.fail("ORT_BLOB", `the chunk at [${position}] is out of order`);
      }
    }
    return blocks;
  },
};
