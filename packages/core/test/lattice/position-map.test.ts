import type { Position } from "@orthant/core";
import { type PositionHashSecret, positionHashSecret } from "@orthant/core/internal";
import {
  comparePositions,
  cubeAt,
  PositionMap,
  PositionSet,
  positionsMinorToMajor,
} from "@orthant/core/lattice";
import { codeOf, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const OPERATIONS = 100_000;
const EXTREMES = [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1];

function contentOf<Value>(map: PositionMap<Value>): (readonly [Position, Value])[] {
  return [...map].sort(([a], [b]) => comparePositions(a, b));
}

describe("PositionMap", () => {
  test.each<[name: string, seed: number, coordinate: (prng: Prng) => number]>([
    ["a small cube that fills up and empties", 1, (prng) => prng.between(-4, 4)],
    ["a lattice of large powers of two", 2, (prng) => (prng.between(-4, 4) << 28) | 0],
    ["extreme coordinates", 3, (prng) => prng.pick(EXTREMES)],
    ["any coordinates", 4, (prng) => prng.u32() | 0],
  ])("agrees with a Map of strings over random operations: %s", (_name, seed, coordinate) => {
    const prng = new Prng(seed);
    const map = new PositionMap<number>();
    const model = new Map<string, [Position, number]>();
    const known: Position[] = [];
    for (let operation = 0; operation < OPERATIONS; operation++) {
      // Long phases of growth and of decay, so that the table grows and shrinks.
      const growing = Math.floor(operation / 10_000) % 2 === 0;
      const position: Position =
        prng.chance(0.5) && known.length > 0
          ? prng.pick(known)
          : [coordinate(prng), coordinate(prng), coordinate(prng), coordinate(prng)];
      const key = String(position);
      if (prng.chance(growing ? 0.7 : 0.2)) {
        map.set(...position, operation);
        if (!model.has(key)) known.push(position);
        model.set(key, [position, operation]);
      } else {
        if (map.delete(...position) !== model.delete(key))
          expect.fail(`seed ${seed}, operation ${operation}`);
      }
      const asked = known.length > 0 ? prng.pick(known) : position;
      if (map.get(...asked) !== model.get(String(asked))?.[1])
        expect.fail(`seed ${seed}, operation ${operation}`);
      if (map.size !== model.size) expect.fail(`seed ${seed}, operation ${operation}`);
      if (operation % 10_000 === 9999) {
        expect(contentOf(map)).toEqual([...model.values()].sort(([a], [b]) => comparePositions(a, b)));
      }
    }
  });

  test("distinguishes every position of a regular lattice", () => {
    const map = new PositionMap<string>();
    const positions = [...positionsMinorToMajor(cubeAt([-8, -8, -8, -8], 16))];
    for (const position of positions) map.set(...position, String(position));
    expect(map.size).toBe(65_536);
    for (const position of positions)
      if (map.get(...position) !== String(position)) expect.fail(String(position));
    expect(map.has(8, 0, 0, 0)).toBe(false);
  });

  test("can store undefined as a value", () => {
    const map = new PositionMap<undefined>();
    map.set(0, 0, 0, 0, undefined);
    expect([map.size, map.has(0, 0, 0, 0), map.has(0, 0, 0, 1)]).toEqual([1, true, false]);
  });

  test("refuses coordinates that are not 32-bit integers, and finds nothing there", () => {
    const map = new PositionMap<number>();
    map.set(0, 0, 0, 0, 1);
    map.set(-(2 ** 31), 0, 0, 0, 2);
    for (const coordinate of [2 ** 31, -(2 ** 31) - 1, 0.5, Number.NaN, 2 ** 32]) {
      expect(codeOf(() => map.set(coordinate, 0, 0, 0, 1))).toBe("ORT_POSITION_RANGE");
      expect(codeOf(() => map.set(0, 0, 0, coordinate, 1))).toBe("ORT_POSITION_RANGE");
      expect(map.get(coordinate, 0, 0, 0)).toBeUndefined();
      expect(map.delete(coordinate, 0, 0, 0)).toBe(false);
    }
    expect(map.size).toBe(2);
  });

  test("lets a loop replace values, and stops one that adds or deletes", () => {
    const map = new PositionMap<number>();
    for (let x = 0; x < 10; x++) map.set(x, 0, 0, 0, x);
    for (const [position, value] of map) map.set(...position, value + 1);
    expect([...map.values()].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const change = () => {
      for (const position of map.positions()) map.delete(...position);
    };
    expect(codeOf(change)).toBe("ORT_ARGUMENT");
    const add = () => {
      map.forEach((_value, x) => {
        map.set(x, 1, 0, 0, 0);
      });
    };
    expect(codeOf(add)).toBe("ORT_ARGUMENT");
  });

  test("visits every entry once, and none after clear", () => {
    const map = new PositionMap<number>();
    const positions = [...positionsMinorToMajor(cubeAt([-2, -2, -2, -2], 4))];
    positions.forEach((position, index) => {
      map.set(...position, index);
    });
    const visited: [Position, number][] = [];
    map.forEach((value, x, y, z, w) => {
      visited.push([[x, y, z, w], value]);
    });
    expect(visited.sort(([, a], [, b]) => a - b)).toEqual(
      positions.map((position, index) => [position, index]),
    );
    map.clear();
    expect([map.size, [...map], map.has(0, 0, 0, 0)]).toEqual([0, [], false]);
  });
});

/** Returns positions with the same hash under a secret: x is solved for each y from the secret. */
function collidingPositions(secret: PositionHashSecret, count: number): readonly Position[] {
  const [, low = 0, high = 0, ofY = 0] = secret;
  const positions: Position[] = [];
  for (let y = 0; positions.length < count; y++) {
    for (let upper = 0; upper < 2 ** 16; upper++) {
      const rest = -Math.imul(high, upper) - Math.imul(ofY, y);
      const lower = Math.imul(rest | 0, inverseOf(low)) >>> 0;
      if (lower < 2 ** 16) positions.push([(upper << 16) | lower, y, 0, 0]);
    }
  }
  return positions.slice(0, count);
}

/** Returns the multiplicative inverse of an odd number modulo 2^32. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let round = 0; round < 5; round++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

describe("the secret of a PositionMap", () => {
  // Its second word is odd, and so invertible.
  const KNOWN = positionHashSecret(2n);
  const filled = (
    secret: PositionHashSecret | undefined,
    positions: Iterable<Position>,
  ): PositionMap<number> => {
    const map = new PositionMap<number>(secret);
    let count = 0;
    for (const position of positions) map.set(...position, count++);
    return map;
  };

  test("keeps searches short for positions chosen to collide under another secret", () => {
    const positions = collidingPositions(KNOWN, 2_000);
    expect(filled(KNOWN, positions).longestSearch).toBe(2_000);
    for (let bits = 100n; bits < 150n; bits++) {
      expect(filled(positionHashSecret(bits), positions).longestSearch, `secret ${bits}`).toBeLessThan(100);
    }
    expect(filled(undefined, positions).longestSearch).toBeLessThan(100);
  });

  test.each<[name: string, positions: readonly Position[]]>([
    ["a plane", Array.from({ length: 4_096 }, (_, index) => [index % 64, 0, Math.floor(index / 64), 0])],
    ["a cube of four axes", [...positionsMinorToMajor(cubeAt([-4, -4, -4, -4], 8))]],
    [
      "large powers of two",
      [...positionsMinorToMajor(cubeAt([0, 0, 0, 0], 8))].map(
        ([x, y, z, w]): Position => [x << 28, y << 28, z << 28, w << 28],
      ),
    ],
    [
      "a diagonal far away",
      Array.from({ length: 4_096 }, (_, index) => [index << 18, index, -index, 1_000_000]),
    ],
  ])("keeps searches short for %s, whatever the secret is", (_name, positions) => {
    for (let bits = 0n; bits < 50n; bits++) {
      expect(filled(positionHashSecret(bits), positions).longestSearch, `secret ${bits}`).toBeLessThan(100);
    }
  });

  test("does not affect the order of entries, which is insertion order", () => {
    const prng = new Prng(11);
    const histories = [1n, 2n, 3n].map((bits) => new PositionMap<number>(positionHashSecret(bits)));
    const added: Position[] = [];
    for (let step = 0; step < 2_000; step++) {
      const position: Position = [prng.between(-9, 9), prng.between(-9, 9), prng.u32() | 0, 0];
      const isDeletion = prng.chance(0.3) && added.length > 0;
      const chosen = isDeletion ? prng.pick(added) : position;
      if (!isDeletion) added.push(position);
      for (const map of histories) {
        if (isDeletion) map.delete(...chosen);
        else map.set(...chosen, step);
      }
    }
    const [first, second, third] = histories.map((map) => [...map]);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect([...filled(KNOWN, added.slice(0, 50)).positions()]).toEqual(added.slice(0, 50));
  });
});

describe("PositionSet", () => {
  test("contains each position once", () => {
    const set = new PositionSet();
    set.add(1, 2, 3, -4);
    set.add(1, 2, 3, -4);
    set.add(0, 0, 0, 0);
    expect([set.size, set.has(1, 2, 3, -4), set.has(1, 2, 3, 4)]).toEqual([2, true, false]);
    expect([...set].sort(comparePositions)).toEqual([
      [0, 0, 0, 0],
      [1, 2, 3, -4],
    ]);
    expect([set.delete(0, 0, 0, 0), set.delete(0, 0, 0, 0), set.size]).toEqual([true, false, 1]);
    set.clear();
    expect(set.size).toBe(0);
  });
});
