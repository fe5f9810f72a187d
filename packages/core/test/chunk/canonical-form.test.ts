import {
  type Chunk,
  CUBE_CHUNKS,
  chunkFromVoxels,
  chunkShape,
  emptyChunk,
  HYPERCUBE_CHUNKS,
  OrthantError,
  PIXEL_CHUNKS,
  TILE_CHUNKS,
  uniformChunk,
} from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { chunkCodec, foreignChunkCodec, type VoxelEdit } from "@orthant/core/chunk";
import { fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { randomVoxels } from "./random-voxels.ts";
import { referenceEncoding } from "./reference-encoding.ts";

const volumes: [name: string, volume: number, rounds: number][] = [
  ["8 x 8 x 8 x 8", HYPERCUBE_CHUNKS.volume, 12],
  ["16 x 16 x 16", CUBE_CHUNKS.volume, 12],
  ["32 x 32", TILE_CHUNKS.volume, 40],
  ["128 x 128", PIXEL_CHUNKS.volume, 6],
  ["3 x 5 x 7", chunkShape([3, 5, 7, 1]).volume, 200],
  ["one voxel", 1, 20],
];

/** Checks all properties of a chunk against its expected voxels. */
function expectVoxels(chunk: Chunk, voxels: Uint16Array, name: string): void {
  const hex = referenceEncoding([...voxels]);
  const bytes = encode(chunkCodec(voxels.length), chunk);
  expect(toHex(bytes), name).toBe(hex);
  expect(chunk.byteLength, name).toBe(bytes.length);
  expect(chunk.voxels(), name).toEqual(voxels);
  expect([...chunk.blocks()], name).toEqual([...new Set(voxels)]);
}

/** Numbers of blocks whose indices have 1 to 9 bits. */
const BLOCK_COUNTS = [2, 3, 5, 9, 17, 33, 65, 129, 257];

test.each(BLOCK_COUNTS)(
  "the first voxel of one of %i blocks moves to the next one at any distance",
  (blocks) => {
    const volume = 1_000;
    for (let distance = 1; distance < 150; distance++) {
      const voxels = Uint16Array.from({ length: volume }, (_, position) =>
        position < blocks ? position : (position % (blocks - 1)) + 1,
      );
      // Block 0 is at the first voxel and, if it fits, once more behind all others; every block has an index before it.
      const next = blocks + distance;
      if (next < volume) voxels[next] = 0;
      const edited = Uint16Array.from(voxels);
      edited[0] = 1;
      expectVoxels(chunkFromVoxels(voxels).set(0, 1), edited, `distance ${distance}`);
    }
  },
);

describe("the canonical form", () => {
  test.each(volumes)("[C3, C4, C5, C7, C8, C9] follows the rules: %s", (_name, volume, rounds) => {
    const prng = new Prng(21);
    for (let round = 0; round < rounds; round++) {
      const voxels = randomVoxels(prng, volume);
      const name = `round ${round}`;
      expectVoxels(chunkFromVoxels(voxels), voxels, name);
      const decoded = decode(chunkCodec(volume), fromHex(referenceEncoding([...voxels])));
      expectVoxels(decoded, voxels, name);
      expect(decoded.equals(chunkFromVoxels(voxels)), name).toBe(true);
    }
  });

  test.each(volumes)(
    "holds for every chunk of a row of single edits, whichever is read first: %s",
    (_name, volume) => {
      const prng = new Prng(23);
      const voxels = randomVoxels(prng, volume);
      const row = [{ chunk: chunkFromVoxels(voxels), voxels }];
      for (let edit = 0; edit < 40; edit++) {
        // A few voxels and blocks, so that edits undo each other, and blocks appear and vanish.
        const [index, block] = [prng.below(Math.min(volume, 6)), prng.below(4)];
        const last = row[prng.below(3) === 0 ? prng.below(row.length) : row.length - 1] as (typeof row)[0];
        const next = last.voxels.slice();
        next[index] = block;
        row.push({ chunk: last.chunk.set(index, block), voxels: next });
        expect(row.at(-1)?.chunk.get(index), `edit ${edit}`).toBe(block);
      }
      for (const [place, { chunk, voxels: expected }] of row.entries()) {
        const other = row[prng.below(row.length)] as (typeof row)[0];
        const isSame = expected.every((block, index) => block === other.voxels[index]);
        expect(chunk.equals(other.chunk), `equality of ${place}`).toBe(isSame);
      }
      for (let reads = 0; reads < 12; reads++) {
        const place = prng.below(row.length);
        const { chunk, voxels: expected } = row[place] as (typeof row)[0];
        const isUniform = expected.every((block) => block === expected[0]);
        expect(chunk.uniformBlock, `chunk ${place}`).toBe(isUniform ? expected[0] : undefined);
        expectVoxels(chunk, expected, `chunk ${place}`);
      }
    },
  );

  test.each(volumes)("does not depend on the order of the edits: %s", (_name, volume, rounds) => {
    const prng = new Prng(22);
    for (let round = 0; round < Math.min(rounds, 10); round++) {
      const voxels = randomVoxels(prng, volume);
      const edits = Array.from(voxels, (block, index): VoxelEdit => ({ index, block }));
      for (let index = edits.length - 1; index > 0; index--) {
        const other = prng.below(index + 1);
        [edits[index], edits[other]] = [edits[other] as VoxelEdit, edits[index] as VoxelEdit];
      }
      const single = Math.min(edits.length, 300);
      let chunk = emptyChunk(volume).edit(edits.slice(single));
      for (const { index, block } of edits.slice(0, single)) chunk = chunk.set(index, block);
      expectVoxels(chunk, voxels, `round ${round}`);
      expect(chunk.equals(chunkFromVoxels(voxels))).toBe(true);
      expect(emptyChunk(volume).edit(edits).equals(chunk)).toBe(true);
    }
  });

  test.each<[name: string, volume: number, blocks: readonly number[], edits: number, every: number]>([
    ["two blocks", 70, [0, 1], 1500, 1],
    ["three blocks of one, two and three bytes", 70, [0, 200, 20_000], 1500, 1],
    ["as many as need three and four bits", 70, [0, 1, 2, 3, 4, 5, 6, 7, 8], 1500, 1],
    ["as many as make Dense16 the shorter", 70, Array.from({ length: 40 }, (_, index) => index * 5), 1500, 1],
    ["three voxels", 3, [0, 1, 2, 300], 2000, 1],
    ["one voxel", 1, [0, 1, 2], 200, 1],
    ["a chunk of 8^4, few blocks", 4096, [0, 1, 2, 3, 300], 1500, 100],
    ["a chunk of 8^4, many blocks", 4096, Array.from({ length: 200 }, (_, index) => index), 1500, 100],
    ["a chunk of 65,536 voxels", 65_536, [0, 1, 2, 3, 300], 300, 100],
  ])("holds after every single edit: %s", (_name, volume, blocks, edits, every) => {
    const prng = new Prng(23);
    const voxels = new Uint16Array(volume).fill(blocks[0] ?? 0);
    let chunk = uniformChunk(volume, blocks[0] ?? 0);
    for (let count = 1; count <= edits; count++) {
      // Prefer the first cells and the first blocks: that is where the order of the palette changes.
      const index = prng.chance(0.5) ? prng.below(Math.min(volume, 6)) : prng.below(volume);
      const block = prng.chance(0.6) ? prng.pick(blocks.slice(0, 3)) : prng.pick(blocks);
      voxels[index] = block;
      chunk = chunk.set(index, block);
      if (chunk.get(index) !== block) expect.fail(`edit ${count}`);
      if (!chunk.equals(chunkFromVoxels(voxels))) expect.fail(`edit ${count} leaves another chunk`);
      if (chunk.byteLength !== chunkFromVoxels(voxels).byteLength) expect.fail(`edit ${count}: byteLength`);
      if (count % every === 0) expectVoxels(chunk, voxels, `edit ${count}`);
    }
  });

  test("is the only one that a strict reader accepts, however the bytes are damaged", () => {
    const prng = new Prng(24);
    let accepted = 0;
    for (let round = 0; round < 20_000; round++) {
      const volume = prng.pick([1, 4, 8, 22, 70]);
      const bytes = encode(chunkCodec(volume), chunkFromVoxels(randomVoxels(prng, volume)));
      for (let count = prng.between(1, 2); count > 0; count--) {
        const offset = prng.below(bytes.length);
        bytes[offset] = prng.chance(0.5) ? (bytes[offset] ?? 0) ^ (1 << prng.below(8)) : prng.below(256);
      }
      const chunk = decodeOrUndefined(() => decode(chunkCodec(volume), bytes));
      const foreign = decodeOrUndefined(() => decode(foreignChunkCodec(volume), bytes));
      if (chunk === undefined) {
        const canonical = foreign === undefined ? undefined : toHex(encode(chunkCodec(volume), foreign));
        if (canonical === toHex(bytes))
          expect.fail(`round ${round}: ${toHex(bytes)} is canonical, but refused`);
        continue;
      }
      accepted++;
      if (toHex(encode(chunkCodec(volume), chunk)) !== toHex(bytes))
        expect.fail(`round ${round}: ${toHex(bytes)}`);
      if (referenceEncoding([...chunk.voxels()]) !== toHex(bytes))
        expect.fail(`round ${round}: ${toHex(bytes)}`);
      expect(foreign?.equals(chunk), `round ${round}`).toBe(true);
    }
    expect(accepted).toBeGreaterThan(1000);
  });
});

function decodeOrUndefined(attempt: () => Chunk): Chunk | undefined {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof OrthantError) return undefined;
    throw error;
  }
}
