import { AIR, DEFAULT_BLOCKS, type Dimensions, type Vector } from "@orthant/core";
import { type BodyMove, type BodyOptions, moveBody, type VoxelReader } from "@orthant/mesh";
import { describe, expect, test } from "vitest";
import { STONE } from "./random-world.ts";
import { SHAPED_BLOCKS } from "./shaped-blocks.ts";

const WATER = 5;
const SHEEP = [0.9, 1.3, 0.9] as const;
const SECONDS = 0.05;

function worldOf<D extends Dimensions>(
  dimensions: D,
  blockAt: (...position: readonly number[]) => number,
): VoxelReader<D> {
  return { dimensions, blocks: DEFAULT_BLOCKS, voxelAt: (position) => blockAt(...position) };
}

/** Moves a body for some steps. */
function walked<D extends Dimensions>(
  world: VoxelReader<D>,
  start: Vector<D>,
  size: Vector<D>,
  options: Omit<BodyOptions<D>, "seconds">,
  steps: number,
): BodyMove<D> {
  const still = start.map(() => 0) as unknown as Vector<D>;
  let body = moveBody(world, { position: start, size, velocity: still }, { walk: still, seconds: 0 });
  for (let step = 0; step < steps; step++) body = moveBody(world, body, { ...options, seconds: SECONDS });
  return body;
}

/** Ground that rises by a voxel every four voxels. */
const hill = worldOf(3, (x, y) => (y < Math.max(0, Math.floor((x as number) / 4)) ? STONE : AIR));

describe("a body", () => {
  test("falls faster and faster, until it stands", () => {
    const falling = walked(hill, [-5, 10, 0.5], SHEEP, { walk: [0, 0, 0] }, 10);
    expect(falling.position[1]).toBeCloseTo(10 - (28 * SECONDS * SECONDS * 10 * 11) / 2);
    expect([falling.velocity[1], falling.onGround]).toEqual([expect.closeTo(-14), false]);
    const standing = walked(hill, [-5, 10, 0.5], SHEEP, { walk: [0, 0, 0] }, 40);
    expect(standing.position).toEqual([-5, 0, 0.5]);
    expect([standing.velocity, standing.onGround]).toEqual([[0, 0, 0], true]);
  });

  test("walks up a hill and down again", () => {
    const up = walked(hill, [-2, 0, 0.5], SHEEP, { walk: [4, 0, 0] }, 80);
    expect(up.position[0]).toBeCloseTo(14, 0);
    expect(up.position[1]).toBe(3);
    let body = up;
    for (let step = 0; step < 80; step++) body = moveBody(hill, body, { walk: [-4, 0, 0], seconds: SECONDS });
    expect([body.position[0], body.position[1]]).toEqual([expect.closeTo(-2, 0), 0]);
  });

  test("walks up stairs and slabs and down again, without a jump and exactly on each step", () => {
    const [stair, slab] = [SHAPED_BLOCKS.id("stair"), SHAPED_BLOCKS.id("slab")];
    const flight: VoxelReader<3> = {
      ...{ dimensions: 3, blocks: SHAPED_BLOCKS },
      voxelAt: ([x, y]) => {
        const height = Math.max(0, Math.min(x, 4));
        if (y < height) return STONE;
        return y > height ? AIR : x === -1 || x === 6 ? slab : x >= 0 && x < 4 ? stair : AIR;
      },
    };
    const options = { walk: [4, 0, 0], stepHeight: 0.5 } as const;
    const up = walked(flight, [-3, 0, 0.5], SHEEP, options, 30);
    expect(up.position, "on the lower half of a stair").toEqual([expect.closeTo(3), 3.5, 0.5]);
    let body = walked(flight, [-3, 0, 0.5], SHEEP, options, 42);
    expect(body.position, "before the slab").toEqual([expect.closeTo(5.4), 4, 0.5]);
    for (let step = 0; step < 16; step++) body = moveBody(flight, body, { ...options, seconds: SECONDS });
    expect(body.position, "behind the slab").toEqual([expect.closeTo(8.6), 4, 0.5]);
    for (let step = 0; step < 66; step++)
      body = moveBody(flight, body, { ...options, walk: [-4, 0, 0], seconds: SECONDS });
    expect(body.position).toEqual([expect.closeTo(-4.6), 0, 0.5]);
  });

  test("stops at a step that is too high, and jumps over it", () => {
    const wall = worldOf(3, (x, y) => (y < ((x as number) >= 3 ? 1 : 0) ? STONE : AIR));
    const low = { walk: [4, 0, 0], stepHeight: 0.5 } as const;
    const stopped = walked(wall, [0, 0, 0.5], SHEEP, low, 60);
    expect(stopped.position).toEqual([expect.closeTo(3 - 0.45), 0, 0.5]);
    expect([stopped.hit[0], stopped.velocity[0]]).toEqual([1, 0]);
    expect(walked(wall, [0, 0, 0.5], SHEEP, { ...low, jumpSpeed: 9 }, 60).position[0]).toBeGreaterThan(5);
  });

  test("does not climb where it would hit its head, nor in the air", () => {
    const tunnel = worldOf(3, (x, y) => (y < ((x as number) >= 3 ? 1 : 0) || y >= 2 ? STONE : AIR));
    expect(walked(tunnel, [0, 0, 0.5], SHEEP, { walk: [4, 0, 0] }, 60).position[0]).toBeCloseTo(3 - 0.45);
    const cliff = worldOf(3, (x) => ((x as number) >= 3 ? STONE : AIR));
    const falling = walked(cliff, [0, 500, 0.5], SHEEP, { walk: [4, 0, 0] }, 60);
    expect([falling.position[0], falling.onGround]).toEqual([expect.closeTo(3 - 0.45), false]);
  });

  test("slides along a wall that it cannot climb", () => {
    const cliff = worldOf(3, (x, y) => ((x as number) >= 3 || (y as number) < 0 ? STONE : AIR));
    const { position } = walked(cliff, [0, 0, 0.5], SHEEP, { walk: [4, 0, 2] }, 60);
    expect(position).toEqual([expect.closeTo(3 - 0.45), 0, expect.closeTo(0.5 + 2 * 60 * SECONDS)]);
  });

  test("swims in a liquid: it floats, rises and dives as it wants", () => {
    const sea = worldOf(3, (_x, y) => ((y as number) < 0 ? WATER : AIR));
    const isLiquid = (block: number): boolean => block === WATER;
    const isSolid = (block: number): boolean => block === STONE;
    const swim = (rise: number) =>
      walked(sea, [0, -10, 0], SHEEP, { walk: [1, rise, 0], isLiquid, isSolid }, 40);
    expect(swim(0).position).toEqual([expect.closeTo(2), expect.closeTo(-10), 0]);
    expect(swim(2).position[1]).toBeGreaterThan(-7);
    expect(swim(-2).position[1]).toBeLessThan(-13);
  });

  test("walks in two and four dimensions", () => {
    const flat = worldOf(2, (x, y) => (y < Math.max(0, Math.floor((x as number) / 4)) ? STONE : AIR));
    const two = walked(flat, [-2, 0], [0.7, 1.7], { walk: [4, 0] }, 80);
    expect(two.position).toEqual([expect.closeTo(14, 0), 3]);
    const wide = worldOf(4, (_x, y, _z, w) => (y < Math.max(0, Math.floor((w as number) / 4)) ? STONE : AIR));
    const four = walked(wide, [0, 0, 0, -2], [0.9, 1.3, 0.9, 0.9], { walk: [1, 0, 0, 4] }, 80);
    expect(four.position).toEqual([expect.closeTo(4), 3, 0, expect.closeTo(14, 0)]);
  });

  test.each<[options: object, message: string]>([
    [{ walk: [1, 0, 0] }, "options.seconds is undefined"],
    [{ seconds: 0.05 }, "options.walk is undefined"],
    [{ walk: [1, 0], seconds: 0.05 }, "options.walk is"],
    [{ walk: [1, 0, 0], seconds: 2 }, "options.seconds is 2"],
    [{ walk: [1, 0, 0], seconds: 0.05, jumpSpeed: -1 }, "options.jumpSpeed is -1"],
    [{ walk: [1, 0, 0], seconds: 0.05, jump: 1 }, "there is no field jump in options"],
  ])("is not moved with %j", (options, message) => {
    const body = { position: [0, 0, 0], size: SHEEP, velocity: [0, 0, 0] } as const;
    expect(() => moveBody(hill, body, options as never)).toThrow(message);
  });
});
