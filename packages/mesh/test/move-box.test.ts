import { AIR, DEFAULT_BLOCKS, type Dimensions, isOrthantError } from "@orthant/core";
import { BOX_EDGE_MAX, BOX_MOTION_MAX, type BoxMove, moveBox, type VoxelReader } from "@orthant/mesh";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { between, RandomWorld, STONE } from "./random-world.ts";
import { boxesAt, randomShapes, SHAPED_BLOCKS, type WorldBox } from "./shaped-blocks.ts";

/** Overlaps below this do not count. */
const TOUCH = 2 ** -15;
/** A box that meets the edge of a voxel within this time may stop on either axis. */
const TIE = 2 ** -10;
const PERSON = [0.6, 1.8, 0.6] as const;

function worldOf(blockAt: (x: number, y: number, z: number) => number | undefined): VoxelReader<3> {
  return { dimensions: 3, blocks: DEFAULT_BLOCKS, voxelAt: (position) => blockAt(...position) };
}

const floor = worldOf((_x, y) => (y < 0 ? STONE : AIR));
const EMPTY = worldOf(() => AIR);

interface Ends {
  readonly low: number;
  readonly high: number;
}

function endsOf(position: readonly number[], size: readonly number[]): readonly Ends[] {
  return position.map((coordinate, axis) => {
    const edge = size[axis] as number;
    const low = axis === 1 ? coordinate : coordinate - edge / 2;
    return { low, high: low + edge };
  });
}

function overlaps(ends: readonly Ends[], { min, max }: WorldBox): boolean {
  return ends.every(({ low, high }, axis) => {
    return low + TOUCH < (max[axis] as number) && high - TOUCH > (min[axis] as number);
  });
}

/** Moves a box by intersecting its path with every solid box: the first one stops it on one axis, then the next. */
function moveByForce(
  solids: readonly WorldBox[],
  position: readonly number[],
  size: readonly number[],
  motion: readonly number[],
): { readonly position: readonly number[]; readonly hit: readonly number[]; readonly isTie: boolean } {
  const start = endsOf(position, size);
  const obstacles = solids.filter((solid) => !overlaps(start, solid));
  const stops: (number | undefined)[] = motion.map(() => undefined);
  const end = position.map((coordinate, axis) => coordinate + (motion[axis] as number));
  let isTie = false;
  for (let time = 0; ; ) {
    let first: { at: number; axis: number; solid: WorldBox; isTie: boolean } | undefined;
    for (const solid of obstacles) {
      const entry = entryInto(solid, start, motion, stops);
      if (entry === undefined || entry.leave <= time) continue;
      const at = Math.max(time, entry.enter);
      if (at < (first?.at ?? 1)) first = { at, axis: entry.axis, solid, isTie: at - entry.before < TIE };
    }
    if (first === undefined) break;
    const { axis, solid } = first;
    time = first.at;
    isTie ||= first.isTie;
    stops[axis] = time;
    const { low, high } = start[axis] as Ends;
    const face = ((motion[axis] as number) > 0 ? solid.min : solid.max)[axis] as number;
    end[axis] = (position[axis] as number) + face - ((motion[axis] as number) > 0 ? high : low);
  }
  return {
    position: end,
    hit: stops.map((stop, axis) => (stop === undefined ? 0 : Math.sign(motion[axis] as number))),
    isTie,
  };
}

/** Returns when a box on its path enters and leaves a solid one, and on which axis it enters last and next to last. */
function entryInto(
  { min, max }: WorldBox,
  start: readonly Ends[],
  motion: readonly number[],
  stops: readonly (number | undefined)[],
):
  | { readonly enter: number; readonly before: number; readonly leave: number; readonly axis: number }
  | undefined {
  let before = Number.NEGATIVE_INFINITY;
  let [enter, leave, entered] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, -1];
  for (const [axis, { low, high }] of start.entries()) {
    const [least, most] = [min[axis] as number, max[axis] as number];
    const [step, stop] = [motion[axis] as number, stops[axis]];
    if (step === 0 || stop !== undefined) {
      const moved = step * (stop ?? 0);
      if (low + moved + TOUCH >= most || high + moved - TOUCH <= least) return undefined;
      continue;
    }
    const from = step > 0 ? (least - high) / step : (most - low) / step;
    const to = step > 0 ? (most - TOUCH - low) / step : (least + TOUCH - high) / step;
    before = Math.max(before, Math.min(enter, from));
    if (from > enter) [enter, entered] = [from, axis];
    leave = Math.min(leave, to);
  }
  return enter < leave && entered >= 0 ? { enter, before, leave, axis: entered } : undefined;
}

describe("a moving box", () => {
  test.each<[dimensions: Dimensions, blocks: string]>([
    [2, "whole"],
    [3, "whole"],
    [4, "whole"],
    [2, "shaped"],
    [3, "shaped"],
    [4, "shaped"],
  ])(
    "ends where intersecting every solid box says, in %i dimensions, with blocks that are %s",
    (dimensions, blocks) => {
      const prng = new Prng(100 + dimensions);
      const [reach, moves] = dimensions === 4 ? [3, 3_000] : [6, 4_000];
      let [hits, slides, ties] = [0, 0, 0];
      for (let round = 0; round < moves; ) {
        const world = new RandomWorld(
          dimensions,
          reach,
          [3, 10, 25][round % 3] as number,
          AIR,
          prng,
          blocks === "shaped" ? randomShapes(prng) : undefined,
        );
        const solids = boxesAt(
          world,
          world.positions((block) => world.blocks.isSolid(block)),
        );
        const size = Array.from({ length: dimensions }, () =>
          between(prng, 0.1, prng.chance(0.2) ? 2.5 : 0.9),
        );
        let position = Array.from({ length: dimensions }, () => between(prng, -reach, reach));
        // Each walk goes on from where the last one ended, mostly in touch with something.
        for (let step = 0; step < 40; step++, round++) {
          if (position.some((coordinate) => Math.abs(coordinate) > reach + 2))
            position = position.map(() => reach - 1.5);
          const fast = prng.chance(0.3) ? 8 : 0.7;
          const motion = position.map(() => (prng.chance(0.15) ? 0 : between(prng, -fast, fast)));
          const expected = moveByForce(solids, position, size, motion);
          const moved = moveBox(world, { position, size } as never, motion as never);
          const started = endsOf(position, size);
          const ended = endsOf(moved.position, size);
          const errors = expected.position.map(
            (coordinate, axis) => coordinate - (moved.position[axis] as number),
          );
          const isSame =
            expected.hit.every((part, axis) => part === moved.hit[axis]) &&
            errors.every((error) => Math.abs(error) < TOUCH);
          const isOutside = !solids.some((solid) => overlaps(ended, solid) && !overlaps(started, solid));
          if (expected.isTie) ties++;
          if (!(isSame || expected.isTie) || !isOutside) {
            expect(moved, `round ${round}: [${position}] of [${size}] by [${motion}]`).toEqual(expected);
          }
          const isHit = moved.hit.some((part) => part !== 0);
          hits += isHit ? 1 : 0;
          slides += isHit && moved.hit.some((part, axis) => part === 0 && moved.motion[axis] !== 0) ? 1 : 0;
          position = [...moved.position];
        }
      }
      expect(ties).toBeLessThan(moves / 50);
      expect(hits).toBeGreaterThan(moves / 5);
      expect(slides).toBeGreaterThan(moves / 10);
    },
  );

  test("falls onto the ground and stays there exactly, however long it walks", () => {
    let player: BoxMove<3> = moveBox(floor, { position: [0.5, 3.7, 0.5], size: PERSON }, [0, -9, 0]);
    expect(player).toEqual({
      position: [0.5, 0, 0.5],
      size: [...PERSON],
      motion: [0, -3.7, 0],
      hit: [0, -1, 0],
      onGround: true,
    });
    const prng = new Prng(9);
    for (let step = 0; step < 10_000; step++) {
      player = moveBox(floor, player, [between(prng, -1, 1), -0.1, between(prng, -1, 1)]);
      expect([player.position[1], player.onGround]).toEqual([0, true]);
    }
  });

  test("slides along a wall, and stops in a corner", () => {
    const corner = worldOf((x, y, z) => (y < 0 || x >= 3 || z >= 3 ? STONE : AIR));
    const slid = moveBox(corner, { position: [1.5, 0, 0.5], size: PERSON }, [4, 0, 1]);
    const rounded = ({ position }: BoxMove<3>): readonly number[] =>
      position.map((part) => Math.round(part * 1e9) / 1e9);
    expect(rounded(slid)).toEqual([2.7, 0, 1.5]);
    expect([slid.hit, slid.onGround]).toEqual([[1, 0, 0], false]);
    const cornered = moveBox(corner, slid, [5, -1, 5]);
    expect(rounded(cornered)).toEqual([2.7, 0, 2.7]);
    expect([cornered.hit, cornered.onGround]).toEqual([[1, -1, 1], true]);
  });

  test("never tunnels, also not through a corner that it meets exactly", () => {
    const plate = worldOf((x) => (x === 100 ? STONE : AIR));
    const flown = moveBox(plate, { position: [0.5, 0, 0.5], size: PERSON }, [BOX_MOTION_MAX, 0, 0]);
    expect(flown.position[0]).toBeCloseTo(99.7, 12);
    const one = worldOf((x, _y, z) => (x === 1 && z === 1 ? STONE : AIR));
    const unit = moveBox(one, { position: [0.5, 0, 0.5], size: [1, 1, 1] }, [1, 0, 1]);
    expect(unit.hit.filter((part) => part !== 0).length, "stopped on one axis, slides on the other").toBe(1);
    expect(unit.position.filter((part) => part === 1.5).length).toBe(1);
  });

  test("treats unloaded space as solid, unless told otherwise", () => {
    const edge = worldOf((x) => (x < 4 ? AIR : undefined));
    const box = { position: [1.5, 0, 0.5], size: PERSON } as const;
    expect(moveBox(edge, box, [5, 0, 0]).hit).toEqual([1, 0, 0]);
    expect(moveBox(edge, box, [5, 0, 0], { unloaded: "air" }).hit).toEqual([0, 0, 0]);
  });

  test("passes what the catalog calls passable, or what a game does", () => {
    const water = worldOf((x) => (x < 4 ? AIR : 5));
    const box = { position: [1.5, 0, 0.5], size: PERSON } as const;
    expect(moveBox(water, box, [5, 0, 0]).motion).toEqual([5, 0, 0]);
    expect(moveBox(water, box, [5, 0, 0], { isSolid: (block) => block !== AIR }).hit).toEqual([1, 0, 0]);
  });

  test("can leave a block that was placed into it, but not go deeper", () => {
    const inside = worldOf((x) => (x >= 0 && x < 2 ? STONE : AIR));
    const box = { position: [0.1, 0, 0.5], size: PERSON } as const;
    expect(moveBox(inside, box, [-1, 0, 0]).motion[0]).toBe(-1);
    expect(moveBox(inside, box, [2, 0, 0]).hit).toEqual([1, 0, 0]);
  });

  test("lies exactly on slabs, and walks over their seams in all directions", () => {
    const slab = SHAPED_BLOCKS.id("slab");
    const slabs = {
      ...worldOf((x, y) => (y === 0 ? (x === 7 ? slab + 1 : slab) : AIR)),
      blocks: SHAPED_BLOCKS,
    };
    let player: BoxMove<3> = moveBox(slabs, { position: [0.5, 0.9, 0.5], size: PERSON }, [0, -9, 0]);
    expect([player.position, player.hit, player.onGround]).toEqual([[0.5, 0.5, 0.5], [0, -1, 0], true]);
    const prng = new Prng(11);
    for (let step = 0; step < 3_000; step++) {
      const before = player.position;
      const motion = [between(prng, -1, 1), -0.1, between(prng, -1, 1)] as const;
      player = moveBox(slabs, player, motion);
      const isAtStep = player.hit[0] !== 0;
      if (isAtStep) expect(player.position[0], "before the slab at the top").toBeCloseTo(6.7);
      else expect(player.position[0]).toBeCloseTo(before[0] + motion[0]);
      expect([player.position[1], player.hit[2], player.onGround]).toEqual([0.5, 0, true]);
      if (player.position[0] > 7) throw new Error("it passed the slab at the top");
    }
  });

  test("climbs steps of half a voxel with a step height, and no higher ones", () => {
    const stair = SHAPED_BLOCKS.id("stair");
    const slope = {
      ...worldOf((x, y) => (y < Math.max(0, Math.min(x, 6)) ? STONE : y === x && x < 6 ? stair : AIR)),
      blocks: SHAPED_BLOCKS,
    };
    let player: BoxMove<3> = moveBox(slope, { position: [-3, 0, 0.5], size: PERSON }, [0, -1, 0]);
    const heights = new Set<number>();
    for (let step = 0; step < 120; step++) {
      player = moveBox(slope, player, [0.1, -0.2, 0], { stepHeight: 0.5 });
      heights.add(player.position[1]);
    }
    expect(player.position).toEqual([expect.closeTo(9), 6, 0.5]);
    expect([...heights]).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6]);
    for (let step = 0; step < 120; step++)
      player = moveBox(slope, player, [-0.1, -0.6, 0], { stepHeight: 0.5 });
    expect(player.position).toEqual([expect.closeTo(-3), 0, 0.5]);
    const low = moveBox(slope, { position: [-0.5, 0, 0.5], size: PERSON }, [2, -0.2, 0], {
      stepHeight: 0.4375,
    });
    expect([low.position[0], low.hit]).toEqual([-0.3, [1, -1, 0]]);
  });

  test("passes an open door and not a closed one, and stands between them", () => {
    const door = SHAPED_BLOCKS.id("door");
    const gate = SHAPED_BLOCKS.id("gate");
    const wallWith = (block: number): VoxelReader<3> => ({
      ...worldOf((x, y, z) => (x === 3 && z === 0 ? block : x === 3 || y < 0 ? STONE : AIR)),
      blocks: SHAPED_BLOCKS,
    });
    const box = { position: [1.5, 0, 0.5], size: PERSON } as const;
    const moved = (block: number) => moveBox(wallWith(block), box, [4, -0.1, 0]).position[0];
    expect([door, door + 1, gate, gate + 1].map(moved)).toEqual([
      expect.closeTo(2.7),
      5.5,
      expect.closeTo(2.7),
      5.5,
    ]);
    const back = moveBox(wallWith(door), { ...box, position: [3.5, 0, 0.5] }, [-2, 0, 0]);
    expect(back.position[0], "beside the closed door, in its voxel").toBeCloseTo(3.4875);
  });

  test("counts the first two axes of boxes in a world of two dimensions, and fills w in one of four", () => {
    const slab = SHAPED_BLOCKS.id("slab");
    const flat: VoxelReader<2> = {
      ...{ dimensions: 2, blocks: SHAPED_BLOCKS },
      voxelAt: ([, y]) => (y === 0 ? slab : AIR),
    };
    expect(moveBox(flat, { position: [0.5, 3], size: [0.6, 1.8] }, [1, -9]).position).toEqual([1.5, 0.5]);
    const deep: VoxelReader<4> = {
      ...{ dimensions: 4, blocks: SHAPED_BLOCKS },
      voxelAt: ([, y, , w]) => (y === 0 && w === 2 ? slab : AIR),
    };
    const box = { position: [0.5, 1, 0.5, 2.5], size: [0.6, 1.8, 0.6, 0.6] } as const;
    expect(moveBox(deep, box, [0, -2, 0, 0]).position).toEqual([0.5, 0.5, 0.5, 2.5]);
    const beside = { ...box, position: [0.5, 0.25, 0.5, 0.5] } as const;
    expect(moveBox(deep, beside, [0, 0, 0, 5]).hit).toEqual([0, 0, 0, 1]);
  });

  test("rests beside a wall far from the origin", () => {
    const far = 2 ** 35;
    const wall = worldOf((x, y) => (y < 0 || x >= far ? STONE : AIR));
    let box: BoxMove<3> = moveBox(wall, { position: [far - 3, 0, 0.5], size: PERSON }, [9, -1, 0]);
    for (let step = 0; step < 50; step++) {
      box = moveBox(wall, box, [0.1, -0.1, 0.3]);
      expect([box.hit[0], box.hit[1], box.hit[2]]).toEqual([1, -1, 0]);
    }
    expect(box.position[2]).toBeCloseTo(15.5, 9);
  });

  const box = { position: [0, 0, 0], size: PERSON } as const;
  test.each<[what: string, argument: string, call: () => unknown]>([
    ["no world", "world is 3", () => moveBox(3 as never, box, [0, 0, 0])],
    ["no box", "box is undefined", () => moveBox(EMPTY, undefined as never, [0, 0, 0])],
    [
      "a box without a size",
      "box.size is undefined",
      () => moveBox(EMPTY, { position: [0, 0, 0] } as never, [0, 0, 0]),
    ],
    [
      "two coordinates for three",
      "box.position is [0, 0]",
      () => moveBox(EMPTY, { ...box, position: [0, 0] } as never, [0, 0, 0]),
    ],
    ["NaN", "motion is [0, NaN, 0]", () => moveBox(EMPTY, box, [0, Number.NaN, 0])],
    ["a motion that takes too long", `to ${BOX_MOTION_MAX}`, () => moveBox(EMPTY, box, [0, 1e9, 0])],
    [
      "a box without a volume",
      "box.size is [0, 1, 1]",
      () => moveBox(EMPTY, { ...box, size: [0, 1, 1] }, [0, 0, 0]),
    ],
    [
      "a box that is too large",
      `to ${BOX_EDGE_MAX}`,
      () => moveBox(EMPTY, { ...box, size: [99, 1, 1] }, [0, 0, 0]),
    ],
    [
      "another choice",
      'options.unloaded is "maybe"',
      () => moveBox(EMPTY, box, [0, 0, 0], { unloaded: "maybe" as never }),
    ],
    [
      "an option of the wrong type",
      "options.isSolid is 1",
      () => moveBox(EMPTY, box, [0, 0, 0], { isSolid: 1 as never }),
    ],
  ])("refuses %s", (_what, argument, call) => {
    expect(call).toThrow(argument);
    expect(call).toThrow(expect.toSatisfy((error) => isOrthantError(error, "ORT_ARGUMENT")));
  });
});
