import { AIR, DEFAULT_BLOCKS, type Dimensions, isOrthantError } from "@orthant/core";
import { BOX_EDGE_MAX, BOX_MOTION_MAX, type BoxMove, moveBox, type VoxelReader } from "@orthant/mesh";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { between, RandomWorld, STONE } from "./random-world.ts";

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

function overlaps(ends: readonly Ends[], voxel: readonly number[]): boolean {
  return ends.every(({ low, high }, axis) => {
    const at = voxel[axis] as number;
    return low + TOUCH < at + 1 && high - TOUCH > at;
  });
}

/** Moves a box by intersecting its path with every solid voxel: the first one stops it on one axis, then the next. */
function moveByForce(
  solids: readonly (readonly number[])[],
  position: readonly number[],
  size: readonly number[],
  motion: readonly number[],
): { readonly position: readonly number[]; readonly hit: readonly number[]; readonly isTie: boolean } {
  const start = endsOf(position, size);
  const obstacles = solids.filter((voxel) => !overlaps(start, voxel));
  const stops: (number | undefined)[] = motion.map(() => undefined);
  const end = position.map((coordinate, axis) => coordinate + (motion[axis] as number));
  let isTie = false;
  for (let time = 0; ; ) {
    let first: { at: number; axis: number; voxel: readonly number[]; isTie: boolean } | undefined;
    for (const voxel of obstacles) {
      const entry = entryInto(voxel, start, motion, stops);
      if (entry === undefined || entry.leave <= time) continue;
      const at = Math.max(time, entry.enter);
      if (at < (first?.at ?? 1)) first = { at, axis: entry.axis, voxel, isTie: at - entry.before < TIE };
    }
    if (first === undefined) break;
    const { axis, voxel } = first;
    time = first.at;
    isTie ||= first.isTie;
    stops[axis] = time;
    const { low, high } = start[axis] as Ends;
    const face = (voxel[axis] as number) + ((motion[axis] as number) > 0 ? 0 : 1);
    end[axis] = (position[axis] as number) + face - ((motion[axis] as number) > 0 ? high : low);
  }
  return {
    position: end,
    hit: stops.map((stop, axis) => (stop === undefined ? 0 : Math.sign(motion[axis] as number))),
    isTie,
  };
}

/** Returns when a box on its path enters and leaves a voxel, and on which axis it enters last and next to last. */
function entryInto(
  voxel: readonly number[],
  start: readonly Ends[],
  motion: readonly number[],
  stops: readonly (number | undefined)[],
):
  | { readonly enter: number; readonly before: number; readonly leave: number; readonly axis: number }
  | undefined {
  let before = Number.NEGATIVE_INFINITY;
  let [enter, leave, entered] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, -1];
  for (const [axis, { low, high }] of start.entries()) {
    const [at, step, stop] = [voxel[axis] as number, motion[axis] as number, stops[axis]];
    if (step === 0 || stop !== undefined) {
      const moved = step * (stop ?? 0);
      if (low + moved + TOUCH >= at + 1 || high + moved - TOUCH <= at) return undefined;
      continue;
    }
    const from = step > 0 ? (at - high) / step : (at + 1 - low) / step;
    const to = step > 0 ? (at + 1 - TOUCH - low) / step : (at + TOUCH - high) / step;
    before = Math.max(before, Math.min(enter, from));
    if (from > enter) [enter, entered] = [from, axis];
    leave = Math.min(leave, to);
  }
  return enter < leave && entered >= 0 ? { enter, before, leave, axis: entered } : undefined;
}

describe("a moving box", () => {
  test.each<Dimensions>([2, 3, 4])(
    "ends where intersecting every voxel says, in %i dimensions",
    (dimensions) => {
      const prng = new Prng(100 + dimensions);
      const [reach, moves] = dimensions === 4 ? [3, 3_000] : [6, 4_000];
      let [hits, slides, ties] = [0, 0, 0];
      for (let round = 0; round < moves; ) {
        const world = new RandomWorld(dimensions, reach, [3, 10, 25][round % 3] as number, AIR, prng);
        const solids = world.positions((block) => block === STONE);
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
          const isOutside = !solids.some((voxel) => overlaps(ended, voxel) && !overlaps(started, voxel));
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
