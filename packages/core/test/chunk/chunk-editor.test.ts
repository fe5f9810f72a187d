import { type Chunk, chunkFromVoxels } from "@orthant/core";
import { ChunkEditor, diffChunks } from "@orthant/core/chunk";
import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";

const VOLUMES = [1, 16, 320, 4_096];
/** Numbers of edits for each voxel: few, which are listed, more, and more than are known one by one. */
const SHARES = [0.01, 0.04, 0.2];

function drawnChunk(prng: Prng, volume: number, blocks: number): Chunk {
  return chunkFromVoxels(Uint16Array.from({ length: volume }, () => prng.below(blocks)));
}

test("an editor has the blocks of all edits, however many, and leaves its chunk as it was", () => {
  const prng = new Prng(48);
  for (const volume of VOLUMES)
    for (const share of SHARES)
      for (let round = 0; round < 12; round++) {
        const before = drawnChunk(prng, volume, prng.pick([1, 2, 5, 40]));
        const voxels = before.voxels();
        const editor = new ChunkEditor(before);
        // Some edits hit the same voxel, and some set the block that it had.
        const within = prng.pick([Math.ceil(volume / 8), volume]);
        for (let edit = 0; edit < Math.ceil(volume * share); edit++) {
          const [index, block] = [prng.below(within), prng.below(6)];
          expect(editor.set(index, block)).toBe(voxels[index] !== block);
          voxels[index] = block;
          expect(editor.get(index)).toBe(block);
        }
        const after = chunkFromVoxels(voxels);
        expect(editor.chunk().equals(after)).toBe(true);
        expect(editor.chunk().byteLength).toBe(after.byteLength);
        expect(editor.before).toBe(before);
        const edits = editor.edits();
        if (edits === undefined) continue;
        const indices = edits.map(({ index }) => index);
        expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
        expect(edits.every(({ index, block }) => voxels[index] === block)).toBe(true);
        expect(before.edit(edits).equals(after)).toBe(true);
      }
});

test("an editor whose edits change nothing returns its chunk", () => {
  const before = drawnChunk(new Prng(3), 4_096, 4);
  const editor = new ChunkEditor(before);
  expect(editor.chunk()).toBe(before);
  expect(editor.edits()).toEqual([]);
  for (let index = 0; index < 100; index++) editor.set(index, 9);
  for (let index = 0; index < 100; index++) editor.set(index, before.get(index));
  expect(editor.chunk()).toBe(before);
});

test("the differences of chunks with one palette are found at any number of bits", () => {
  const prng = new Prng(7);
  for (const volume of VOLUMES)
    for (const blocks of [2, 3, 6, 11, 20, 50, 100, 200, 400]) {
      if (blocks > volume) continue;
      // Both begin with all blocks, so that they have the same palette.
      const draw = (): Uint16Array =>
        Uint16Array.from({ length: volume }, (_, index) => (index < blocks ? index : prng.below(blocks)));
      const [old, young] = [draw(), draw()];
      const share = prng.pick([0, 0.01, 0.5, 1]);
      for (let index = 0; index < volume; index++)
        if (prng.fraction() >= share) young[index] = old[index] as number;
      const expected = Array.from(young, (block, index) => ({ index, block })).filter(
        ({ index, block }) => old[index] !== block,
      );
      expect(diffChunks(chunkFromVoxels(old), chunkFromVoxels(young))).toEqual(expected);
    }
});
