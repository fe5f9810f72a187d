import { DEFAULT_BLOCKS } from "@orthant/core";
import { BlockAppearance } from "@orthant/mesh";
import {
  decodeMaterial,
  decodeQuad,
  emptyVolume,
  QUAD_WORDS,
  type Quad,
  type QuadList,
  quadCorners,
  quadCount,
  SIDE_FRAMES,
  type SideFrame,
  type Volume,
  VolumeMesher,
  type VolumePoint,
} from "@orthant/mesh/volume";
import { Prng } from "@orthant/testkit";
import {
  GreedyMesher,
  randomVolume,
  surfaceDifference,
  surfaceOfQuads,
  surfaceOfVertices,
} from "@orthant/testkit/mesh";
import { describe, expect, test } from "vitest";

const STONE = 1;
const WATER = 5;
const LAMP = 13;
/** Water is not the only transparent block. */
const GLASS = 6;
/** `ORTHANT_MESHES=10000` compares as many. */
const VOLUMES = Number(process.env["ORTHANT_MESHES"] ?? 300);
const looks = new BlockAppearance(DEFAULT_BLOCKS);

function volumeOf(size: VolumePoint, blockAt: (right: number, up: number, back: number) => number): Volume {
  const volume = emptyVolume(size);
  let index = 0;
  for (let back = -1; back <= size[2]; back++)
    for (let up = -1; up <= size[1]; up++)
      for (let right = -1; right <= size[0]; right++) volume.blocks[index++] = blockAt(right, up, back);
  return volume;
}

/** Returns the quads of a list. */
function quadsOf(quads: QuadList): readonly Quad[] {
  return Array.from({ length: quadCount(quads) }, (_, index) => decodeQuad(quads, index));
}

/** Returns the corners of a quad, three numbers each. */
function pointsOf(quad: Quad): readonly (readonly number[])[] {
  const points = quadCorners(quad, new Float32Array(0));
  return [0, 3, 6, 9].map((at) => [...points.subarray(at, at + 3)]);
}

/** Returns every unit face that quads cover, as `side: right,up,back of the voxel`. */
function unitFaces(quads: QuadList): readonly string[] {
  return quadsOf(quads).flatMap(({ voxel, side, width, height }) => {
    const { right, up } = SIDE_FRAMES[side] as SideFrame;
    return Array.from({ length: width * height }, (_, index) => {
      const at = [...voxel];
      at[right] = (at[right] as number) + (index % width);
      at[up] = (at[up] as number) + Math.floor(index / width);
      return `${side}: ${at}`;
    });
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

describe("a mesh of a volume", () => {
  test("is a cube of six fully lit quads for one voxel", () => {
    const volume = volumeOf([4, 4, 4], (...at) => (at.every((coordinate) => coordinate === 1) ? STONE : 0));
    const mesher = new VolumeMesher(looks);
    const { opaque, cutout, blended } = mesher.mesh(volume);
    expect([quadCount(opaque), quadCount(cutout), quadCount(blended)]).toEqual([6, 0, 0]);
    const quads = quadsOf(opaque);
    expect(new Set(quads.map(({ corners }) => String(corners)))).toEqual(new Set(["3,3,3,3"]));
    expect(quads[0]).toMatchObject({ block: STONE, lights: [0xf0, 0xf0, 0xf0, 0xf0] });
    expect(decodeMaterial(mesher.blocks.materials, quads[0]?.material ?? -1)).toEqual({
      layer: 0,
      variants: 1,
      isScattered: false,
      turns: 0,
      tint: 0x8a8d91,
      opacity: 255,
    });
    expect(opaque.byteLength / quadCount(opaque), "bytes a quad").toBe(16);
    expect(QUAD_WORDS * 4).toBe(16);
  });

  test("is one quad for an endless floor, also for one that is wider than a word has bits", () => {
    for (const edge of [8, 30, 31, 32, 100]) {
      const volume = volumeOf([edge, 4, edge], (_right, up) => (up < 3 ? STONE : 0));
      const { opaque } = new VolumeMesher(looks).mesh(volume);
      expect(quadsOf(opaque).map(pointsOf)).toEqual([
        [
          [0, 3, edge],
          [edge, 3, edge],
          [edge, 3, 0],
          [0, 3, 0],
        ],
      ]);
    }
  });

  test("is dark around the foot of a voxel on a floor", () => {
    const volume = volumeOf([3, 3, 3], (right, up, back) =>
      up < 1 || (up === 1 && right === 1 && back === 1) ? STONE : 0,
    );
    const { opaque } = new VolumeMesher(looks).mesh(volume);
    const floor = quadsOf(opaque).filter(({ side, voxel }) => side === 2 && voxel[1] === 0);
    const lightAt = (right: number, back: number): readonly number[] =>
      floor.flatMap((quad) =>
        pointsOf(quad).flatMap(([x, , z], corner) =>
          x === right && z === back ? [quad.corners[corner] as number] : [],
        ),
      );
    expect(lightAt(0, 0).every((light) => light === 3)).toBe(true);
    expect(lightAt(1, 1).every((light) => light < 3)).toBe(true);
    expect(lightAt(1, 1).length).toBeGreaterThan(0);
  });

  test("shows what lies under water through it, and has no walls inside the water", () => {
    const volume = volumeOf([4, 4, 4], (_right, up) => (up < 1 ? STONE : up < 3 ? WATER : 0));
    const mesher = new VolumeMesher(looks);
    const { opaque, blended } = mesher.mesh(volume);
    expect([quadCount(opaque), quadCount(blended)]).toEqual([1, 1]);
    expect(decodeMaterial(mesher.blocks.materials, decodeQuad(blended, 0).material).opacity).toBeLessThan(
      255,
    );
  });

  test("marks glowing blocks", () => {
    const volume = volumeOf([1, 1, 1], (...at) => (at.every((coordinate) => coordinate === 0) ? LAMP : 0));
    const { opaque } = new VolumeMesher(looks).mesh(volume);
    expect(quadsOf(opaque).every(({ isGlowing }) => isGlowing)).toBe(true);
  });

  test("covers exactly the visible faces, each once, for any voxels", () => {
    const prng = new Prng(5);
    const mesher = new VolumeMesher(looks);
    for (const size of [
      [5, 4, 3],
      [8, 8, 8],
      [1, 6, 2],
      [40, 2, 3],
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
    for (const quad of quadsOf(new VolumeMesher(looks).mesh(volume).opaque)) {
      const [a = [], b = [], c = []] = pointsOf(quad);
      const edge = (from: readonly number[], to: readonly number[]): number[] =>
        from.map((at, axis) => (to[axis] as number) - at);
      const [ax = 0, ay = 0, az = 0] = edge(a, b);
      const [bx = 0, by = 0, bz = 0] = edge(b, c);
      const normal = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
      expect(Math.sign(normal[quad.side >> 1] as number)).toBe(quad.side % 2 === 0 ? 1 : -1);
    }
  });

  test(`has the faces and shadows of the slow mesher, on ${VOLUMES} random volumes of cubes`, () => {
    const prng = new Prng(42);
    const mesher = new VolumeMesher(looks);
    const slow = new GreedyMesher(looks);
    const sizes: readonly VolumePoint[] = [
      [16, 16, 16],
      [16, 16, 16],
      [8, 8, 8],
      [32, 5, 7],
      [31, 4, 4],
      [1, 9, 3],
      [61, 3, 2],
    ];
    for (let round = 0; round < VOLUMES; round++) {
      const size = prng.pick(sizes);
      const volume = randomVolume(prng, size, [STONE, STONE, 2, WATER, GLASS, LAMP, 900]);
      const isShaded = round % 8 !== 0;
      const { opaque, blended } = mesher.mesh(volume, { isShaded });
      const wanted = slow.mesh(volume, isShaded);
      const solid = surfaceDifference(
        surfaceOfQuads(opaque, size),
        surfaceOfVertices(wanted.opaque, size),
        size,
      );
      const clear = surfaceDifference(
        surfaceOfQuads(blended, size),
        surfaceOfVertices(wanted.transparent, size),
        size,
      );
      expect([solid, clear], `round ${round}`).toEqual([undefined, undefined]);
    }
  });
});
