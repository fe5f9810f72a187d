import { isOrthantError, type OrthantError } from "@orthant/core";
import { EMPTY_BLOCK_NAME } from "../block-names.ts";
import type { SaveFiles } from "../files/save-files.ts";
import { type Octree, uniformOctree } from "../octree/octree.ts";
import {
  ChunkReader,
  type MarsMinerChunk,
  type MarsMinerChunkEntry,
  requireDepth,
} from "../records/chunk-reader.ts";

/** The readable part of a chunk. */
export interface MendedChunk {
  /** `undefined` if its list of octrees or its block types are unreadable. */
  readonly content: MarsMinerChunk | undefined;
  /** Damaged octrees, by number from below. They are empty in `content`. */
  readonly emptied: readonly number[];
  /** The first fault. */
  readonly error: OrthantError | undefined;
}

/** Reads a chunk octree by octree, replacing damaged ones with empty ones. */
export async function mendChunk(
  files: SaveFiles,
  cubeSize: number,
  { address }: MarsMinerChunkEntry,
): Promise<MendedChunk> {
  const emptied: number[] = [];
  let error: OrthantError | undefined;
  try {
    const { value: block } = await files.readBlock(files.kinds.chunk, address);
    const table = await files.target(block.blockTypes, address.blob, "a table of block types");
    const blockTypes = await new ChunkReader(files, cubeSize).readBlockTypes(table);
    const emptyId = Math.max(
      0,
      blockTypes.findIndex(({ name }) => name === EMPTY_BLOCK_NAME),
    );
    const octrees: Octree[] = [];
    for (const [number, pointer] of block.octrees.entries()) {
      try {
        const at = await files.target(pointer, address.blob, "an octree");
        const { value } = await files.readBlock(files.kinds.octree, at);
        requireDepth(value, at, Math.log2(cubeSize));
        octrees.push(value);
      } catch (thrown) {
        if (!isOrthantError(thrown)) throw thrown;
        error ??= thrown;
        emptied.push(number);
        octrees.push(uniformOctree(emptyId));
      }
    }
    return { content: { blockTypes, octrees }, emptied, error };
  } catch (thrown) {
    if (!isOrthantError(thrown)) throw thrown;
    return { content: undefined, emptied, error: thrown };
  }
}
