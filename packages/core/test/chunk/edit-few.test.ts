import { chunkFromVoxels } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { chunkCodec } from "@orthant/core/chunk";
import { Prng } from "@orthant/testkit";
import { expect, test } from "vitest";

const CHUNKS = 200;
const VOLUMES = [320, 1_024, 4_096];

test("a chunk with some edits is the chunk of the edited voxels, in every field", () => {
  const prng = new Prng(5);
  for (let count = 0; count < CHUNKS; count++) {
    const volume = prng.pick(VOLUMES);
    const before = 1 + prng.below(prng.pick([1, 2, 5, 40, 300]));
    const voxels = Uint16Array.from({ length: volume }, () => prng.below(before));
    const blocks = before + prng.pick([0, 1, 30]);
    // Some edits lie close together, so that they hit the same voxel, and the first ones of a block.
    const within = prng.pick([4, 20, volume]);
    const edits = Array.from({ length: 5 + prng.below(volume / 64 - 4) }, () => ({
      index: prng.below(within),
      block: prng.below(blocks),
    }));
    const edited = chunkFromVoxels(voxels).edit(edits);
    for (const { index, block } of edits) voxels[index] = block;
    const expected = chunkFromVoxels(voxels);
    expect(edited.voxels()).toEqual(voxels);
    expect(edited.equals(expected)).toBe(true);
    expect(edited.byteLength).toBe(expected.byteLength);
    expect(edited.form).toBe(expected.form);
    expect(encode(chunkCodec(volume), edited)).toEqual(encode(chunkCodec(volume), expected));
    // Its first positions are right, too: another edit relies on them.
    const next = prng.below(volume);
    voxels[next] = 1;
    expect(edited.set(next, 1).equals(chunkFromVoxels(voxels))).toBe(true);
  }
});
