import { CUBE_CHUNKS, DEFAULT_BLOCKS, emptyChunk, HYPERCUBE_CHUNKS, uniformChunk } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import {
  cutChunk,
  decodeQuad,
  emptyVolume,
  quadCount,
  type Volume,
  VolumeMesher,
} from "@orthant/mesh/volume";
import {
  differenceOf,
  fillMeshBlock,
  firstSlice,
  meshBlockGrid,
  type ScenePoint,
  sliceHiding,
} from "@orthant/viewer/internal";
import { describe, expect, test } from "vitest";

const STONE = 1;
const looks = new BlockAppearance(DEFAULT_BLOCKS);

function volumeOf(size: ScenePoint, blockAt: (right: number, up: number, back: number) => number): Volume {
  const volume = emptyVolume(size);
  let index = 0;
  for (let back = -1; back <= size[2]; back++)
    for (let up = -1; up <= size[1]; up++)
      for (let right = -1; right <= size[0]; right++) volume.blocks[index++] = blockAt(right, up, back);
  return volume;
}

describe("a block", () => {
  test("takes its border from its neighbours", () => {
    const slice = firstSlice(CUBE_CHUNKS, [0, 0, 0, 0]);
    const grid = meshBlockGrid(CUBE_CHUNKS, slice);
    expect(grid.size).toEqual([32, 32, 32]);
    const volume = emptyVolume(grid.size);
    // Solid below, and air from chunk 2 up: the block's top borders on air that belongs to its neighbour.
    expect(fillMeshBlock(grid, [0, 0, 0], (_right, up) => (up < 2 ? STONE : 0), volume)).toBe("filled");
    const { opaque } = new VolumeMesher(looks).mesh(volume);
    expect(quadCount(opaque)).toBe(1);
    expect(decodeQuad(opaque, 0), "the top of its highest voxels").toMatchObject({
      voxel: [0, 31, 0],
      side: 2,
    });
  });

  test("is not made while a neighbour is unknown", () => {
    const slice = firstSlice(CUBE_CHUNKS, [0, 0, 0, 0]);
    const grid = meshBlockGrid(CUBE_CHUNKS, slice);
    const cutAt = (right: number): number | undefined => (right < 2 ? STONE : undefined);
    expect(fillMeshBlock(grid, [0, 0, 0], cutAt, emptyVolume(grid.size))).toBe("unknown");
    expect(fillMeshBlock(grid, [0, 0, 0], () => 0, emptyVolume(grid.size))).toBe("air");
  });

  test("a block of a four-dimensional chunk shows its slice, along any axis", () => {
    const shape = HYPERCUBE_CHUNKS;
    const marked = emptyChunk(shape.volume).set(1 + 8 * (2 + 8 * (3 + 8 * 4)), STONE); // x 1, y 2, z 3, w 4
    const hidden3 = cutChunk(marked, shape, sliceHiding(3, [0, 0, 0, 4]));
    expect(hidden3).toBeInstanceOf(Uint16Array);
    expect((hidden3 as Uint16Array).indexOf(STONE)).toBe(1 + 8 * (2 + 8 * 3));
    const hidden0 = cutChunk(marked, shape, sliceHiding(0, [1, 0, 0, 0]));
    expect((hidden0 as Uint16Array).indexOf(STONE), "w stands where x stood").toBe(4 + 8 * (2 + 8 * 3));
    expect(cutChunk(marked, shape, sliceHiding(3, [0, 0, 0, 5]))).toBe(0);
    expect(cutChunk(marked, shape, sliceHiding(3, [0, 0, 0, -4])), "4 from the end is 4").toBeInstanceOf(
      Uint16Array,
    );
    expect(cutChunk(uniformChunk(shape.volume, 7), shape, sliceHiding(3, [0, 0, 0, 0]))).toBe(7);
  });

  test("shows of a neighbouring slice only what its own slice lacks", () => {
    const here = volumeOf([2, 2, 2], (right) => (right === 0 ? STONE : 0));
    const beside = volumeOf([2, 2, 2], () => STONE);
    const difference = emptyVolume([2, 2, 2]);
    expect(differenceOf(beside, here, difference)).toBe(true);
    expect([...difference.blocks]).toEqual([...here.blocks].map((block) => (block === 0 ? STONE : 0)));
    expect(differenceOf(here, beside, difference)).toBe(false);
  });
});
