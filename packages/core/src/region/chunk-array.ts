import { requireInteger, U16_MAX } from "../bytes/integers.ts";
import type { Chunk } from "../chunk/chunk.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { type Box, boxContains, boxExtents, positionsMinorToMajor } from "../lattice/box.ts";
import { getOrAdd } from "../lattice/get-or-add.ts";
import { type Position, positionFrom } from "../lattice/position.ts";
import { RegionTree } from "../tree/region-tree.ts";
import { cellCount, pageCells, pageCount, pageIsAll } from "./paged-sparse-rle.ts";

/** Maximum number of cells of an array in our own encoding: one region. */
export const CHUNK_ARRAY_CELLS_MAX = 256;

/** The chunks of a box, each distinct one stored once. Immutable; equal chunks make equal arrays. */
export class ChunkArray {
  readonly bounds: Box;
  /** The distinct chunks in the order of their first appearance, x running fastest. */
  readonly palette: readonly Chunk[];
  /** The index of pages that are not encoded; `undefined` where that would save no page. */
  readonly defaultIndex: number | undefined;
  readonly #indices: Uint16Array;

  /** Creates an array from a chunk for each cell of the box, x running fastest. */
  constructor(bounds: Box, chunks: readonly Chunk[]) {
    const extents = boxExtents(bounds);
    const cells = cellCount(extents);
    requireInteger(cells, 1, U16_MAX + 1);
    requireInteger(chunks.length, cells, cells);
    const { palette, indices } = gather(chunks);
    this.bounds = bounds;
    this.palette = palette;
    this.#indices = indices;
    this.defaultIndex = chooseDefault(extents, indices, palette.length);
  }

  /** Number of cells on each axis. */
  get extents(): Position {
    return boxExtents(this.bounds);
  }

  /** A copy of the palette index of each cell, x running fastest. */
  get indices(): Uint16Array {
    return this.#indices.slice();
  }

  /** Returns the chunk at a position. Throws `ORT_ARGUMENT` outside the bounds. */
  at(position: Position): Chunk {
    const { bounds, extents } = this;
    if (!boxContains(bounds, position)) {
      throw new OrthantError("ORT_ARGUMENT", `[${position}] is not from [${bounds.min}] to [${bounds.max}]`);
    }
    const [x, y, z, w] = positionFrom((axis) => position[axis] - bounds.min[axis]);
    return this.#chunkOf(x + extents[0] * (y + extents[1] * (z + extents[2] * w)));
  }

  /** Returns the chunk of every cell, x running fastest. */
  chunks(): readonly Chunk[] {
    return Array.from(this.#indices, (_index, cell) => this.#chunkOf(cell));
  }

  #chunkOf(cell: number): Chunk {
    return this.palette[this.#indices[cell] as number] as Chunk;
  }
}

/** Returns a tree with only the contents of an array. */
export function treeOfArray(array: ChunkArray): RegionTree {
  let tree = RegionTree.EMPTY;
  const chunks = array.chunks();
  let cell = 0;
  for (const position of positionsMinorToMajor(array.bounds)) {
    const chunk = chunks[cell++] as Chunk;
    if (!chunk.isEmpty) tree = tree.set(position, chunk);
  }
  return tree;
}

function gather(chunks: readonly Chunk[]): { palette: readonly Chunk[]; indices: Uint16Array } {
  const palette: Chunk[] = [];
  const indices = new Uint16Array(chunks.length);
  const known = new Map<Chunk, number>();
  const alike = new Map<string, number[]>();
  for (const [cell, chunk] of chunks.entries()) {
    let index = known.get(chunk);
    if (index === undefined) {
      const likeness = likenessOf(chunk);
      const candidates = getOrAdd(alike, likeness, () => []);
      index = candidates.find((candidate) => palette[candidate]?.equals(chunk));
      if (index === undefined) {
        index = palette.push(chunk) - 1;
        candidates.push(index);
      }
      known.set(chunk, index);
    }
    indices[cell] = index;
  }
  return { palette, indices };
}

/** Returns a cheap key that equal chunks share. */
function likenessOf({ byteLength, uniformBlock }: Chunk): string {
  return uniformBlock === undefined ? `${byteLength} bytes` : `all ${uniformBlock}`;
}

/** Returns the most frequent index, the lowest of several, if at least one page has no other. */
function chooseDefault(extents: Position, indices: Uint16Array, paletteLength: number): number | undefined {
  const counts = new Uint32Array(paletteLength);
  for (const index of indices) counts[index] = (counts[index] as number) + 1;
  let best = 0;
  for (let index = 1; index < paletteLength; index++) {
    if ((counts[index] as number) > (counts[best] as number)) best = index;
  }
  for (let page = 0; page < pageCount(extents); page++) {
    if (pageIsAll(pageCells(extents, page), indices, best)) return best;
  }
  return undefined;
}
