import { DEFAULT_BLOCKS } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import {
  decodeQuad,
  emptyVolume,
  type Quad,
  quadCount,
  VolumeMesher,
  type VolumePoint,
} from "@orthant/mesh/volume";
import { describe, expect, test } from "vitest";

const STONE = 1;
const SKY = 0xf0;
const UP = 2;

/** Returns the quads of the upper sides of a volume, lowest voxel first. */
function topsOf(
  size: VolumePoint,
  blockAt: (...place: [x: number, y: number, z: number]) => number,
  lightAt: (...place: [x: number, y: number, z: number]) => number,
): readonly Quad[] {
  const volume = emptyVolume(size);
  const light = new Uint8Array(volume.blocks.length);
  let index = 0;
  for (let z = -1; z <= size[2]; z++)
    for (let y = -1; y <= size[1]; y++)
      for (let x = -1; x <= size[0]; x++) {
        volume.blocks[index] = blockAt(x, y, z);
        light[index++] = lightAt(x, y, z);
      }
  const { opaque } = new VolumeMesher(new BlockAppearance(DEFAULT_BLOCKS)).mesh(volume, { light });
  return Array.from({ length: quadCount(opaque) }, (_, at) => decodeQuad(opaque, at)).filter(
    ({ side }) => side === UP,
  );
}

const floor = (_x: number, y: number): number => (y < 1 ? STONE : 0);

describe("light at the corners of quads", () => {
  test.each<[name: string, light: number]>([
    ["the sky", SKY],
    ["darkness", 0],
    ["a lamp", 0x0b],
  ])("leaves a floor that is evenly lit by %s in one quad", (_name, light) => {
    for (const edge of [6, 7, 40]) {
      const tops = topsOf([edge, 3, edge], floor, (_x, y) => (y < 1 ? 0 : light));
      expect(tops).toMatchObject([{ width: edge, height: edge, lights: [light, light, light, light] }]);
    }
  });

  test("is the mean of the voxels around the corner that are not opaque, rounded", () => {
    // Over the voxel [1, 0, 1]: levels of the sky fall to the right, those of blocks rise towards +z.
    const tops = topsOf([3, 2, 3], floor, (x, y, z) => (y < 1 ? 0 : (12 - 4 * x) * 16 + 3 * z + 3));
    const middle = tops.find(({ voxel }) => String(voxel) === "1,0,1");
    // Corners: the lower left one is at -x and +z.
    expect(middle?.lights.map((light) => light.toString(16))).toEqual(["a8", "68", "65", "a5"]);
  });

  test("does not come around the edge between two opaque voxels", () => {
    // A wall with a diagonal gap: behind it shines the sky.
    const isWall = (x: number, z: number): boolean => (x === 1 && z === 0) || (x === 0 && z === 1);
    const tops = topsOf(
      [1, 2, 1],
      (x, y, z) => (y < 1 || (y === 1 && isWall(x, z)) ? STONE : 0),
      (x, y, z) => (y < 1 || isWall(x, z) ? 0 : x === 1 && z === 1 ? SKY : 0x04),
    );
    const ground = tops.find(({ voxel }) => voxel[1] === 0);
    // At +x and +z is the lower right corner, beside both walls.
    expect(ground?.lights[1]).toBe(0x04);
  });

  test("merges faces along the direction in which it stays the same, and only there", () => {
    const tops = topsOf([8, 2, 4], floor, (_x, y, z) => (y < 1 ? 0 : z + 2));
    expect(tops.map(({ width, height }) => [width, height])).toEqual(Array(4).fill([8, 1]));
    expect(tops[0]?.lights).toEqual([3, 3, 2, 2]);
  });

  test("turns the diagonal of a quad so that it joins the brighter corners", () => {
    const lit = (x: number, y: number, z: number): number => (y < 1 ? 0 : x === 1 && z === 1 ? 0x0f : 0x03);
    const turnsOf = (at: VolumePoint): boolean | undefined =>
      topsOf([3, 2, 3], floor, lit).find(({ voxel }) => String(voxel) === String(at))?.isTurned;
    expect([turnsOf([0, 0, 0]), turnsOf([2, 0, 0])]).toEqual([true, false]);
  });

  test("refuses light of another size", () => {
    const volume = emptyVolume([2, 2, 2]);
    volume.blocks[21] = STONE;
    const mesher = new VolumeMesher(new BlockAppearance(DEFAULT_BLOCKS));
    expect(() => mesher.mesh(volume, { light: new Uint8Array(8) })).toThrow("64 bytes");
  });
});
