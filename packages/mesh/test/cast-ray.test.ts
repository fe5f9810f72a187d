import {
  AIR,
  DEFAULT_BLOCKS,
  type Dimensions,
  isOrthantError,
  type Position,
  type Vector,
} from "@orthant/core";
import { castRay, RAY_DISTANCE_MAX, type VoxelReader } from "@orthant/mesh";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { between, RandomWorld, STONE, WATER } from "./random-world.ts";
import { boxesAt, randomShapes, SHAPED_BLOCKS, type WorldBox } from "./shaped-blocks.ts";

const wall: VoxelReader<3> = {
  dimensions: 3,
  blocks: DEFAULT_BLOCKS,
  voxelAt: ([x]) => (x < 10 ? AIR : STONE),
};

interface Entry {
  readonly position: readonly number[];
  readonly distance: number;
  readonly axis: number | undefined;
}

/** Intersects a ray with every box, and returns where it enters the first; `undefined` for none. */
function nearest(
  boxes: readonly WorldBox[],
  origin: readonly number[],
  direction: readonly number[],
): Entry | undefined {
  const length = Math.hypot(...direction);
  let first: Entry | undefined;
  for (const { voxel, min, max } of boxes) {
    let [enter, leave] = [0, Number.POSITIVE_INFINITY];
    let axis: number | undefined;
    for (const [index, low] of min.entries()) {
      const high = max[index] as number;
      const part = (direction[index] as number) / length;
      const from = origin[index] as number;
      if (part === 0) {
        if (from < low || from >= high) leave = -1;
        continue;
      }
      const [near, far] = [(low - from) / part, (high - from) / part].sort((a, b) => a - b) as [
        number,
        number,
      ];
      if (near > enter) [enter, axis] = [near, index];
      leave = Math.min(leave, far);
    }
    if (enter < leave && enter < (first?.distance ?? Number.POSITIVE_INFINITY)) {
      first = { position: voxel, distance: enter, axis };
    }
  }
  return first;
}

/** Returns what a ray reports of an entry, except its block. */
function hitOf({ position, distance, axis }: Entry, direction: readonly number[]) {
  const normal = position.map((_, at) => (at === axis ? -Math.sign(direction[at] as number) : 0));
  const adjacent = position.map((coordinate, at) => coordinate + (normal[at] as number));
  const face = axis === undefined ? undefined : `${(normal[axis] as number) > 0 ? "+" : "-"}${"xyzw"[axis]}`;
  return { position, adjacent, face, normal, block: 0, distance };
}

function randomDirection(prng: Prng, dimensions: number): readonly number[] {
  const direction = Array.from({ length: dimensions }, () =>
    prng.below(8) === 0 ? 0 : between(prng, -3, 3),
  );
  return direction.every((part) => part === 0) ? direction.map((_, axis) => (axis === 0 ? 1 : 0)) : direction;
}

describe("a ray", () => {
  test.each<[dimensions: Dimensions, blocks: string]>([
    [2, "whole"],
    [3, "whole"],
    [4, "whole"],
    [2, "shaped"],
    [3, "shaped"],
    [4, "shaped"],
  ])(
    "hits what intersecting every box finds, in %i dimensions, with blocks that are %s",
    (dimensions, blocks) => {
      const prng = new Prng(dimensions);
      const [reach, rays] = dimensions === 4 ? [3, 3_000] : [6, 3_000];
      let hits = 0;
      for (let round = 0; round < rays; ) {
        const world = new RandomWorld(
          dimensions,
          reach,
          [2, 10, 40][round % 3] as number,
          AIR,
          prng,
          blocks === "shaped" ? randomShapes(prng) : undefined,
        );
        const boxes = boxesAt(
          world,
          world.positions((block) => block !== AIR),
        );
        for (let ray = 0; ray < 50; ray++, round++) {
          const origin = Array.from({ length: dimensions }, () => between(prng, -reach - 1, reach + 1));
          const direction = randomDirection(prng, dimensions);
          const expected = nearest(boxes, origin, direction);
          const hit = castRay(world, origin as never, direction as never, 40);
          if (expected !== undefined) hits++;
          const wanted = expected && {
            ...hitOf(expected, direction),
            block: world.voxelAt(expected.position as never),
          };
          const isSame =
            JSON.stringify({ ...hit, distance: 0, face: 0 }) ===
              JSON.stringify({ ...wanted, distance: 0, face: 0 }) &&
            Math.abs((hit?.distance ?? 0) - (expected?.distance ?? 0)) < 1e-9;
          if (!isSame) expect(hit, `round ${round}: [${origin}] towards [${direction}]`).toEqual(wanted);
        }
      }
      expect(hits).toBeGreaterThan(rays / (blocks === "shaped" ? 15 : 5));
    },
  );

  test("reports the voxel, the face, the voxel before it and the distance", () => {
    expect(castRay(wall, [0.5, 0.5, 0.5], [1, 0, 0], 50)).toEqual({
      position: [10, 0, 0],
      adjacent: [9, 0, 0],
      face: "-x",
      normal: [-1, 0, 0],
      block: STONE,
      distance: 9.5,
    });
    const floor: VoxelReader<2> = { ...wall, dimensions: 2, voxelAt: ([, y]) => (y > -4 ? AIR : STONE) };
    expect(castRay(floor, [0.5, -0.5], [0, -0.001], 50)).toEqual({
      position: [0, -4],
      adjacent: [0, -3],
      face: "+y",
      normal: [0, 1],
      block: STONE,
      distance: 2.5,
    });
  });

  test("hits the boxes of a block, and passes beside them through its voxel", () => {
    const slab = SHAPED_BLOCKS.id("slab");
    const world: VoxelReader<3> = {
      ...{ dimensions: 3, blocks: SHAPED_BLOCKS },
      voxelAt: ([x, y]) => (y === 0 && x === 2 ? slab : x === 5 ? STONE : AIR),
    };
    expect(castRay(world, [0.5, 0.25, 0.5], [1, 0, 0], 9)).toMatchObject({
      ...{ position: [2, 0, 0], face: "-x", distance: 1.5, block: slab },
    });
    expect(castRay(world, [0.5, 0.75, 0.5], [1, 0, 0], 9)).toMatchObject({
      position: [5, 0, 0],
      distance: 4.5,
    });
    expect(castRay(world, [2.5, 3, 0.5], [0, -1, 0], 9)).toMatchObject({
      ...{ position: [2, 0, 0], adjacent: [2, 1, 0], face: "+y", distance: 2.5 },
    });
    expect(
      castRay(world, [2.5, 3, 0.5], [0, -1, 0], 2.25),
      "the box is too far, not its voxel",
    ).toBeUndefined();
    expect(castRay(world, [2.5, 0.25, 0.5], [0, 1, 0], 9)).toMatchObject({ face: undefined, distance: 0 });
    expect(castRay(world, [2.5, 0.5, 0.5], [0, -1, 0], 9)).toMatchObject({ face: "+y", distance: 0 });
    expect(castRay(world, [2.5, 0.5, 0.5], [0, 1, 0], 9)).toBeUndefined();
  });

  test("hits the whole voxel of a block that stops nothing, so that a player can close an open gate", () => {
    const open = SHAPED_BLOCKS.id("gate", { open: "yes" });
    const world: VoxelReader<3> = {
      ...{ dimensions: 3, blocks: SHAPED_BLOCKS },
      voxelAt: ([x]) => (x === 2 ? open : AIR),
    };
    expect(castRay(world, [0.5, 0.5, 0.5], [1, 0, 0], 9)?.position).toEqual([2, 0, 0]);
    const stopsAt = (block: number) => SHAPED_BLOCKS.isSolid(block);
    expect(castRay(world, [0.5, 0.5, 0.5], [1, 0, 0], 9, { stopsAt })).toBeUndefined();
  });

  test("a ray that starts inside a block hits it, without a face", () => {
    expect(castRay(wall, [12.5, 3.5, 0.5], [0, 1, 0], 5)).toMatchObject({
      position: [12, 3, 0],
      adjacent: [12, 3, 0],
      face: undefined,
      normal: [0, 0, 0],
      distance: 0,
    });
  });

  test("takes whatever yields its numbers, and a direction of any length", () => {
    const point = (...numbers: number[]) => ({
      x: numbers[0] as number,
      [Symbol.iterator]: () => numbers.values(),
    });
    for (const length of [5e-324, 1e-200, 1, 1e308]) {
      expect(castRay(wall, point(0.5, 0.5, 0.5), point(length, 0, 0), 50)?.distance).toBe(9.5);
    }
    expect(castRay(wall, new Float64Array([0.5, 0.5, 0.5]) as never, [1, 0, 0], 50)?.distance).toBe(9.5);
  });

  test("ends at maxDistance and at voxels that are not in memory", () => {
    expect(castRay(wall, [0.5, 0.5, 0.5], [1, 0, 0], 9.49)).toBeUndefined();
    expect(castRay(wall, [0.5, 0.5, 0.5], [1, 0, 0], 9.5)?.position).toEqual([10, 0, 0]);
    const half: VoxelReader<3> = { ...wall, voxelAt: ([x]) => (x < 5 ? AIR : x < 8 ? undefined : STONE) };
    expect(castRay(half, [0.5, 0.5, 0.5], [1, 0, 0], 50)).toBeUndefined();
  });

  test("flies through what does not stop it", () => {
    const pool: VoxelReader<3> = { ...wall, voxelAt: ([, y]) => (y < 0 ? STONE : y < 4 ? WATER : AIR) };
    expect(castRay(pool, [0.5, 9.5, 0.5], [0, -1, 0], 50)?.block).toBe(WATER);
    const stopsAt = (block: number): boolean => pool.blocks.isSolid(block);
    expect(castRay(pool, [0.5, 9.5, 0.5], [0, -1, 0], 50, { stopsAt })?.position).toEqual([0, -1, 0]);
  });

  test.each<[what: string, argument: string, call: () => unknown]>([
    ["no world", "world is undefined", () => castRay(undefined as never, [0, 0, 0], [1, 0, 0], 5)],
    [
      "a world without dimensions",
      "world.dimensions",
      () => castRay({ ...wall, dimensions: 5 } as never, [0, 0, 0], [1, 0, 0], 5),
    ],
    [
      "a world without blocks",
      "world.blocks",
      () => castRay({ ...wall, blocks: [] } as never, [0, 0, 0], [1, 0, 0], 5),
    ],
    ["two coordinates for three", "origin is [0, 0]", () => castRay(wall, [0, 0] as never, [1, 0, 0], 5)],
    [
      "four coordinates for three",
      "direction is [1, 0, 0, 0]",
      () => castRay(wall, [0, 0, 0], [1, 0, 0, 0] as never, 5),
    ],
    ["NaN", "origin is [NaN, 0, 0]", () => castRay(wall, [Number.NaN, 0, 0], [1, 0, 0], 5)],
    ["a place that is too far", "origin is [1e+300, 0, 0]", () => castRay(wall, [1e300, 0, 0], [1, 0, 0], 5)],
    ["a text", 'origin is "000" (a string)', () => castRay(wall, "000" as never, [1, 0, 0], 5)],
    ["no direction", "direction is [0, 0, 0]", () => castRay(wall, [0, 0, 0], [0, 0, 0], 5)],
    [
      "an endless direction",
      "direction is [Infinity, 0, 0]",
      () => castRay(wall, [0, 0, 0], [Number.POSITIVE_INFINITY, 0, 0], 5),
    ],
    ["a negative distance", "maxDistance is -1", () => castRay(wall, [0, 0, 0], [1, 0, 0], -1)],
    [
      "a distance that takes too long",
      `to ${RAY_DISTANCE_MAX}`,
      () => castRay(wall, [0, 0, 0], [1, 0, 0], Number.POSITIVE_INFINITY),
    ],
    [
      "options that are not an object",
      "options is null",
      () => castRay(wall, [0, 0, 0], [1, 0, 0], 5, null as never),
    ],
    [
      "an option of the wrong type",
      "options.stopsAt is true",
      () => castRay(wall, [0, 0, 0], [1, 0, 0], 5, { stopsAt: true as never }),
    ],
  ])("refuses %s", (_what, argument, call) => {
    expect(call).toThrow(argument);
    expect(call).toThrow(expect.toSatisfy((error) => isOrthantError(error, "ORT_ARGUMENT")));
  });

  test("asks the world with its own number of coordinates, and never with -0", () => {
    const asked: Position<2>[] = [];
    const world: VoxelReader<2> = {
      ...wall,
      dimensions: 2,
      voxelAt: (position) => {
        asked.push(position);
        return AIR;
      },
    };
    const origin: Vector<2> = [-0, 1.5];
    castRay(world, origin, [-1, 1], 4);
    expect(
      asked.every((position) => position.length === 2 && !position.some((part) => Object.is(part, -0))),
    ).toBe(true);
    expect(asked.length).toBeGreaterThan(4);
  });
});
