import type { Position } from "@orthant/core";
import { requireAtMost } from "@orthant/core/arguments";
import { PositionMap } from "@orthant/core/lattice";
import type { ChunkBlocks } from "@orthant/core/tree";
import { EDIT_CHUNKS_MAX } from "../options/world-options.ts";

interface GatheredBlocks extends ChunkBlocks {
  readonly indices: number[];
  readonly blocks: number[];
}

/** Gathers the voxels of an edit and their new blocks by chunk. */
export class BlocksByChunk {
  readonly #chunks: GatheredBlocks[] = [];
  /** Made for the second chunk, because most edits touch one. */
  #byPosition: PositionMap<GatheredBlocks> | undefined;
  #latest: GatheredBlocks | undefined;

  /** The chunks with what they get, in the order of their first voxels. */
  get chunks(): readonly ChunkBlocks[] {
    return this.#chunks;
  }

  /** Returns what a chunk gets, to append voxels. Throws `ORT_LIMIT` for more than `EDIT_CHUNKS_MAX` chunks. */
  of(x: number, y: number, z: number, w: number): GatheredBlocks {
    const latest = this.#latest;
    if (latest !== undefined && isAt(latest.chunk, x, y, z, w)) return latest;
    this.#latest = this.#byPosition?.get(x, y, z, w) ?? this.#add(x, y, z, w);
    return this.#latest;
  }

  #add(x: number, y: number, z: number, w: number): GatheredBlocks {
    requireAtMost(this.#chunks.length + 1, EDIT_CHUNKS_MAX, "chunks of an edit", "edit them in parts");
    const added: GatheredBlocks = { chunk: [x, y, z, w], indices: [], blocks: [] };
    const [first] = this.#chunks;
    this.#chunks.push(added);
    if (first === undefined) return added;
    if (this.#byPosition === undefined) {
      this.#byPosition = new PositionMap();
      this.#byPosition.set(...first.chunk, first);
    }
    this.#byPosition.set(x, y, z, w, added);
    return added;
  }
}

function isAt(chunk: Position, x: number, y: number, z: number, w: number): boolean {
  return chunk[0] === x && chunk[1] === y && chunk[2] === z && chunk[3] === w;
}
