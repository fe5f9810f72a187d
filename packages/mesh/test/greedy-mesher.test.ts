import { DEFAULT_BLOCKS } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import {
  emptyVolume,
  GreedyMesher,
  type QuadMesh,
  quadCount,
  type Volume,
  type VolumePoint,
} from "@orthant/mesh/volume";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const STONE = 1;
const WATER = 5;
const LAMP = 13;
const looks = new BlockAppearance(DEFAULT_BLOCKS);

function volumeOf(size: VolumePoint, blockAt: (right: number, up: number, back: number) => number): Volume {
  const volume = emptyVolume(size);
  let index = 0;
  for (let back = -1; back <= size[2]; back++)
    for (let up = -1; up <= size[1]; up++)
      for (let right = -1; right <= size[0]; right++) volume.blocks[index++] = blockAt(right, up, back);
  return volume;
}

interface Vertex {
  readonly position: VolumePoint;
  readonly side: number;
  readonly light: number;
  readonly glows: boolean;
}

/** Returns the quads of a mesh, as four vertices each. */
function quadsOf({ positions }: QuadMesh): readonly (readonly Vertex[])[] {
  return Array.from({ length: positions.length / 16 }, (_, quad) =>
    [0, 1, 2, 3].map((corner) => {
      const at = quad * 16 + corner * 4;
      const word = positions[at + 3] as number;
      return {
        position: [positions[at] as number, positions[at + 1] as number, positions[at + 2] as number],
        side: word & 7,
        light: (word >> 3) & 3,
        glows: word >> 5 === 1,
      };
    }),
  );
}

/** Returns every unit face that the quads of a mesh cover, as `side: right,up,back of the voxel`. */
function unitFaces(mesh: QuadMesh): readonly string[] {
  return quadsOf(mesh).flatMap((quad) => {
    const side = quad[0]?.side ?? 0;
    const axis = side >> 1;
    const low = [0, 1, 2].map((at) => Math.min(...quad.map(({ position }) => position[at] as number)));
    const high = [0, 1, 2].map((at) => Math.max(...quad.map(({ position }) => position[at] as number)));
    low[axis] = (low[axis] as number) - (side % 2 === 0 ? 1 : 0);
    high[axis] = (low[axis] as number) + 1;
    const faces: string[] = [];
    for (let back = low[2] as number; back < (high[2] as number); back++)
      for (let up = low[1] as number; up < (high[1] as number); up++)
        for (let right = low[0] as number; right < (high[0] as number); right++)
          faces.push(`${side}: ${right},${up},${back}`);
    return faces;
  });
}

/** Computes the same from every voxel and its six neighbours. */
function expectedFaces(
  size: VolumePoint,
  isStone: (right: number, up: number, back: number) => boolean,
): readonly string[] {
  const faces: string[] = [];
  for (let back = 0; back < size[2]; back++)
    for (let up = 0; up < size[1]; up++)
      for (let right = 0; right < size[0]; right++)
        for (let side = 0; side < 6; side++) {
          const step = [0, 0, 0];
          step[side >> 1] = side % 2 === 0 ? 1 : -1;
          const [r = 0, u = 0, b = 0] = step;
          if (isStone(right, up, back) && !isStone(right + r, up + u, back + b))
            faces.push(`${side}: ${right},${up},${back}`);
        }
  return faces;
}

describe("a mesh", () => {
  test("a mesh of one voxel is a cube of six fully lit quads", () => {
    const volume = volumeOf([4, 4, 4], (...at) => (at.every((coordinate) => coordinate === 1) ? STONE : 0));
    const { opaque, transparent } = new GreedyMesher(looks).mesh(volume);
    expect([quadCount(opaque), quadCount(transparent)]).toEqual([6, 0]);
    expect(
      quadsOf(opaque)
        .flat()
        .every(({ light }) => light === 3),
    ).toBe(true);
    expect([...opaque.colours.subarray(0, 4)]).toEqual([0x8a, 0x8d, 0x91, 255]);
  });

  test("a mesh of an endless floor is one quad", () => {
    const volume = volumeOf([8, 8, 8], (_right, up) => (up < 3 ? STONE : 0));
    const { opaque } = new GreedyMesher(looks).mesh(volume);
    expect(quadsOf(opaque).map((quad) => quad.map(({ position }) => position))).toEqual([
      [
        [0, 3, 0],
        [0, 3, 8],
        [8, 3, 8],
        [8, 3, 0],
      ],
    ]);
  });

  test("a mesh of a voxel on a floor is dark around its foot", () => {
    const volume = volumeOf([3, 3, 3], (right, up, back) =>
      up < 1 || (up === 1 && right === 1 && back === 1) ? STONE : 0,
    );
    const { opaque } = new GreedyMesher(looks).mesh(volume);
    const floor = quadsOf(opaque).filter((quad) => quad[0]?.side === 2 && quad[0].position[1] === 1);
    const lightAt = (right: number, back: number): readonly number[] =>
      floor
        .flat()
        .flatMap(({ position, light }) => (position[0] === right && position[2] === back ? [light] : []));
    expect(lightAt(0, 0).every((light) => light === 3)).toBe(true);
    expect(lightAt(1, 1).every((light) => light < 3)).toBe(true);
    expect(lightAt(1, 1).length).toBeGreaterThan(0);
  });

  test("shows what lies under water through it, and has no walls inside the water", () => {
    const volume = volumeOf([4, 4, 4], (_right, up) => (up < 1 ? STONE : up < 3 ? WATER : 0));
    const { opaque, transparent } = new GreedyMesher(looks).mesh(volume);
    expect([quadCount(opaque), quadCount(transparent)]).toEqual([1, 1]);
    expect(transparent.colours[3]).toBeLessThan(255);
  });

  test("marks glowing blocks", () => {
    const volume = volumeOf([1, 1, 1], (...at) => (at.every((coordinate) => coordinate === 0) ? LAMP : 0));
    const { opaque } = new GreedyMesher(looks).mesh(volume);
    expect(
      quadsOf(opaque)
        .flat()
        .every(({ glows }) => glows),
    ).toBe(true);
  });

  test("covers exactly the visible faces, each once, for any voxels", () => {
    const prng = new Prng(5);
    const mesher = new GreedyMesher(looks);
    for (const size of [
      [5, 4, 3],
      [8, 8, 8],
      [1, 6, 2],
    ] as const) {
      for (const share of [1, 4, 8]) {
        const stones = new Set<string>();
        const volume = volumeOf(size, (...at) => {
          if (prng.below(9) >= share) return 0;
          stones.add(String(at));
          return STONE;
        });
        const mesh = mesher.mesh(volume).opaque;
        const isStone = (...at: [number, number, number]): boolean => stones.has(String(at));
        expect([...unitFaces(mesh)].sort()).toEqual([...expectedFaces(size, isStone)].sort());
      }
    }
  });

  test("has quads that face outwards", () => {
    const volume = volumeOf([3, 3, 3], (...at) => (at.every((coordinate) => coordinate === 1) ? STONE : 0));
    for (const [a, b, c] of quadsOf(new GreedyMesher(looks).mesh(volume).opaque)) {
      if (!a || !b || !c) throw new Error("a quad has four vertices");
      const edge = (from: Vertex, to: Vertex): number[] =>
        from.position.map((at, axis) => (to.position[axis] as number) - at);
      const [ax = 0, ay = 0, az = 0] = edge(a, b);
      const [bx = 0, by = 0, bz = 0] = edge(b, c);
      const normal = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
      expect(Math.sign(normal[a.side >> 1] as number)).toBe(a.side % 2 === 0 ? 1 : -1);
    }
  });
});
