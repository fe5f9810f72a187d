import { type Chunk, chunkFromVoxels, HYPERCUBE_CHUNKS, type Position } from "@orthant/core";
import { cubeAt, positionsLexicographic, REGION_EDGE_CHUNKS, regionOf } from "@orthant/core/lattice";
import { clockFrom } from "@orthant/core/tree";
import type { LeafChange } from "@orthant/save";
import { Prng } from "@orthant/testkit";

const BOXES_PER_CHUNK = 6;
const BLOCKS = 12;
const EDGE = HYPERCUBE_CHUNKS.extents[0];
const CHUNKS_PER_LEAF = REGION_EDGE_CHUNKS ** 4;

/** Yields adjacent leaves of one region each, with built chunks: ground, and boxes of a dozen blocks. */
export function* builtLeaves(chunks: number, seed: number): Generator<LeafChange> {
  const prng = new Prng(seed);
  const leaves = Math.ceil(chunks / CHUNKS_PER_LEAF);
  const edge = Math.ceil(leaves ** 0.25);
  for (let index = 0; index < leaves; index++) {
    const number = [index, index / edge, index / edge ** 2, index / edge ** 3] as const;
    const [x, y, z, w] = number.map((part) => (Math.floor(part) % edge) * REGION_EDGE_CHUNKS);
    const cube = cubeAt([x, y, z, w] as unknown as Position, REGION_EDGE_CHUNKS);
    const inThis = Math.min(CHUNKS_PER_LEAF, chunks - index * CHUNKS_PER_LEAF);
    const positions = [...positionsLexicographic(cube)].slice(0, inThis);
    yield {
      cube,
      chunks: positions.map((position) => ({ position, chunk: builtChunk(prng) })),
      clocks: [{ region: regionOf(cube.min), clock: clockFrom(1, index + 1) }],
    };
  }
}

/** Returns a chunk as people build: ground, and boxes of a dozen blocks. */
export function builtChunk(prng: Prng): Chunk {
  const voxels = new Uint16Array(HYPERCUBE_CHUNKS.volume);
  fillBox(voxels, [0, 0, 0, 0], [EDGE, 1, EDGE, EDGE], 2);
  fillBox(voxels, [0, 1, 0, 0], [EDGE, 2, EDGE, EDGE], 3);
  for (let box = 0; box < BOXES_PER_CHUNK; box++) {
    const min = Array.from({ length: 4 }, () => prng.below(EDGE));
    const max = min.map((from) => prng.between(from + 1, EDGE));
    fillBox(voxels, min, max, 1 + prng.below(BLOCKS));
  }
  return chunkFromVoxels(voxels);
}

function fillBox(
  voxels: Uint16Array,
  [x0 = 0, y0 = 0, z0 = 0, w0 = 0]: readonly number[],
  [x1 = 0, y1 = 0, z1 = 0, w1 = 0]: readonly number[],
  block: number,
): void {
  for (let w = w0; w < w1; w++) {
    for (let z = z0; z < z1; z++) {
      for (let y = y0; y < y1; y++) {
        const row = EDGE * (y + EDGE * (z + EDGE * w));
        voxels.fill(block, row + x0, row + x1);
      }
    }
  }
}
