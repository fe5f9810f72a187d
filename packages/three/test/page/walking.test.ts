import { AIR, DEFAULT_BLOCKS, type Position } from "@orthant/core";
import { defineBlocks } from "@orthant/core/chunk";
import { type WalkInput, type Walking, type WalkState, walking } from "@orthant/three/page";
import { expect, test } from "vitest";

const [STONE, WATER] = ["stone", "water"].map((name) => DEFAULT_BLOCKS.id(name)) as [number, number];
const STILL: WalkInput = {
  ahead: 0,
  right: 0,
  jump: false,
  down: false,
  run: false,
  fly: false,
  climb: false,
  yaw: 0,
  pitch: 0,
};
const FRAME = 1 / 60;

/** A world of stone below 0, with whatever a test adds. */
function field(added: (position: Position<3>) => number | undefined = () => undefined) {
  return {
    dimensions: 3 as const,
    blocks: DEFAULT_BLOCKS,
    spawn: [0.5, 0, 0.5] as const,
    voxelAt: (position: Position<3>) => added(position) ?? (position[1] < 0 ? STONE : AIR),
  };
}

function move(walk: Walking<3>, from: WalkState, input: Partial<WalkInput>, seconds: number): WalkState {
  let state = from;
  for (let frame = 0; frame < seconds * 60; frame++) state = walk.step(state, { ...STILL, ...input }, FRAME);
  return state;
}

test("a player walks ahead at the speed of the game, runs faster, and keeps to it on the diagonal", () => {
  const walk = walking(field(), { speed: 4, runSpeed: 7 });
  const distance = (input: Partial<WalkInput>): number => {
    const started = move(walk, walk.state, input, 1);
    const { position } = move(walk, started, input, 1);
    return Math.hypot(...position.map((part, axis) => part - (started.position[axis] as number)));
  };
  expect(distance({ ahead: 1 })).toBeCloseTo(4, 2);
  expect(distance({ ahead: 1, run: true })).toBeCloseTo(7, 2);
  expect(distance({ ahead: 1, right: 1 })).toBeCloseTo(4, 2);
  expect(distance({ ahead: 0.5 })).toBeCloseTo(2, 2);
});

test("a player walks up slabs and stairs without a jump, and down again", () => {
  const blocks = defineBlocks(DEFAULT_BLOCKS, {
    slab: {
      shape: [
        [
          [0, 0, 0],
          [1, 0.5, 1],
        ],
      ],
    },
  });
  const slab = blocks.id("slab");
  const steps = field(([, y, z]) =>
    z > -2 || z < -6 || y > 0 || y < 0 ? undefined : z === -2 || z === -6 ? slab : STONE,
  );
  const walk = walking({ ...steps, blocks });
  const heights = new Set<number>();
  let state = walk.state;
  for (let frame = 0; frame < 150; frame++) {
    state = walk.step(state, { ...STILL, ahead: 1 }, FRAME);
    if (state.onGround) heights.add(state.position[1]);
  }
  expect([...heights]).toEqual([0, 0.5, 1]);
  expect([state.position[1], state.onGround]).toEqual([0, true]);
  expect(state.position[2]).toBeLessThan(-10);
});

test("a player walks to where the view points, and the pose tells where that is", () => {
  const walk = walking(field());
  const west = move(walk, walk.state, { ahead: 1, yaw: Math.PI / 2, pitch: -0.3 }, 1);
  expect(west.position[0]).toBeLessThan(-3);
  expect(west.position[2]).toBeCloseTo(0.5);
  const [sin, cos] = [Math.sin(0.15), Math.cos(0.15)];
  const expected = [-sin, cos, sin, cos].map((part) => part * Math.SQRT1_2);
  for (const [index, part] of west.orientation.entries()) expect(part).toBeCloseTo(expected[index] as number);
});

test("a jump leads over one voxel and not over two", () => {
  for (const [height, passes] of [
    [1, true],
    [2, false],
  ] as const) {
    const walk = walking(field(([, y, z]) => (z === -3 && y < height ? STONE : undefined)));
    const { position } = move(walk, walk.state, { ahead: 1, jump: true }, 2);
    expect([height, position[2] < -3]).toEqual([height, passes]);
  }
});

test("a player who climbs walks up stairs of one voxel without a jump, and stops at a wall of two", () => {
  const stairs = ([, y, z]: Position<3>): number | undefined =>
    y < -1 - z && z < 0 && z > -60 ? STONE : undefined;
  const walk = walking(field(stairs));
  expect(move(walk, walk.state, { ahead: 1, climb: true }, 4).position[1]).toBeGreaterThan(2);
  expect(move(walk, walk.state, { ahead: 1 }, 4).position[1]).toBe(0);
  const wall = walking(field(([, y, z]) => (z === -3 && y < 2 ? STONE : undefined)));
  const stopped = move(wall, wall.state, { ahead: 1, climb: true }, 4);
  expect([stopped.position[1], stopped.onGround]).toEqual([0, true]);
});

test("a player sinks slowly in water, swims up, and jumps out at the bank", () => {
  const pond = ([x, y]: Position<3>): number | undefined => (x >= 2 && y < 0 && y > -9 ? WATER : undefined);
  const walk = walking(field(pond));
  const there: WalkState = { ...walk.state, position: [4.5, -1.2, 0.5] };
  const sunk = move(walk, there, {}, 1);
  expect(sunk.inLiquid).toBe(true);
  expect(sunk.position[1]).toBeLessThan(-2);
  expect(sunk.position[1]).toBeGreaterThan(-3);
  expect(move(walk, sunk, { down: true }, 1).position[1]).toBeLessThan(-5);
  expect(move(walk, sunk, { jump: true }, 2).position[1]).toBeGreaterThan(-1.5);
  const out = move(walk, sunk, { jump: true, ahead: 1, yaw: Math.PI / 2 }, 4);
  expect(out.position[0]).toBeLessThan(2);
  expect(out.inLiquid).toBe(false);
});

test("a player flies only where the game allows it, and lands on the ground", () => {
  const grounded = walking(field());
  expect(move(grounded, grounded.state, { fly: true, jump: true }, 0.2).isFlying).toBe(false);
  const walk = walking(field(), { canFly: true, flySpeed: 10 });
  const up = move(walk, walk.state, { fly: true, jump: true }, 2);
  expect(up.position[1]).toBeGreaterThan(8);
  expect(move(walk, up, { fly: true }, 1).position[1] - up.position[1]).toBeLessThan(1);
  const down = move(walk, up, { fly: true, down: true }, 4);
  expect([down.position[1], down.onGround]).toEqual([0, true]);
});

test("in a world that has not arrived, a player waits instead of falling", () => {
  const walk = walking({ ...field(), voxelAt: () => undefined });
  const { position } = move(walk, walk.state, { ahead: 1, jump: true }, 1);
  expect(position.every((part, axis) => Math.abs(part - (walk.state.position[axis] as number)) < 0.3)).toBe(
    true,
  );
});

test("a client's player begins where the server put them, and a correction stops them there", () => {
  const orientation = [0, Math.SQRT1_2, 0, Math.SQRT1_2] as const;
  const walk = walking({ ...field(), pose: { position: [7, 3, 7], orientation } });
  expect(walk.state.position).toEqual([7, 3, 7]);
  expect(walk.state.orientation).toEqual(orientation);
  const fast = { ...walk.state, velocity: [9, -20, 0] as const };
  const placed = walk.correct(fast, { position: [1, 1, 1], orientation });
  expect([placed.position, placed.velocity]).toEqual([
    [1, 1, 1],
    [0, 0, 0],
  ]);
});

test("a block cannot be put where the player stands, and can be put below the feet", () => {
  const walk = walking(field());
  const feet = [0.5, 4, 0.5] as const;
  const overlaps = (...voxel: Position<3>): boolean => walk.overlaps(feet, voxel);
  expect([
    overlaps(0, 4, 0),
    overlaps(0, 5, 0),
    overlaps(0, 3, 0),
    overlaps(0, 6, 0),
    overlaps(1, 4, 0),
  ]).toEqual([true, true, false, false, false]);
});

test("in 2D a player walks to the left and right, jumps and climbs", () => {
  const world = {
    dimensions: 2 as const,
    blocks: DEFAULT_BLOCKS,
    spawn: [0.5, 0] as const,
    voxelAt: ([x, y]: Position<2>) => (y < 0 || (x > 2 && y === 0) ? STONE : AIR),
  };
  const walk = walking(world, { size: [0.8, 1.7] });
  let state = walk.state;
  for (let frame = 0; frame < 120; frame++)
    state = walk.step(state, { ...STILL, right: 1, climb: true }, FRAME);
  expect(state.position[0]).toBeGreaterThan(4);
  expect(state.position[1]).toBeCloseTo(1);
  expect(walk.eyes(state.position)[1]).toBeCloseTo(2.53);
});

test("a wrong option is refused with what would be right", () => {
  expect(() => walking(field(), { speed: -1 })).toThrow(/speed.*0 to 1,000/);
  expect(() => walking(field(), { sped: 1 } as never)).toThrow(/sped/);
});
