import type { ErrorCode, Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { CLOCKS_PER_EPOCH } from "@orthant/core/internal";
import {
  changeNumberOf,
  clockFrom,
  EPOCH_MAX,
  epochOf,
  RESYNC_REGIONS_MAX,
  RegionClocks,
  regionClockListCodec,
} from "@orthant/core/tree";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const EAST: Position = [1, 0, 0, 0];
const WEST: Position = [-1, 0, 0, 0];

/** Returns the clocks of a few regions after some epochs. */
function clocksWith(...entries: readonly (readonly [region: Position, clock: number])[]): RegionClocks {
  const clocks = new RegionClocks();
  for (const [region, clock] of entries) clocks.advance(region, clock);
  return clocks;
}

describe("a region clock", () => {
  test("[P1] is the epoch times 2^33 plus the step, and exact up to the last one", () => {
    expect(clockFrom(3, 5)).toBe(25_769_803_781);
    const last = clockFrom(EPOCH_MAX, CLOCKS_PER_EPOCH - 1);
    expect(last).toBe(Number.MAX_SAFE_INTEGER);
    expect([epochOf(last), changeNumberOf(last)]).toEqual([1_048_575, 8_589_934_591]);
  });

  test.each([
    ["step 0", 1, 0],
    ["epoch 0", 0, 1],
    ["an epoch that is too large", 2 ** 20, 1],
    ["a step that is too large", 1, 2 ** 33],
    ["half a step", 1, 0.5],
  ])("[P1] does not exist for %s", (_name, epoch, step) => {
    expect(codeOf(() => clockFrom(epoch, step))).toBe("ORT_CLOCK");
  });
});

describe("the clocks of regions", () => {
  test("[P23] are bumped once for each region, and return the steps in order", () => {
    const clocks = clocksWith([EAST, clockFrom(1, 7)]);
    expect(clocks.bump([EAST, WEST, EAST], 2)).toEqual([
      { region: WEST, before: 0, after: clockFrom(2, 1) },
      { region: EAST, before: clockFrom(1, 7), after: clockFrom(2, 1) },
    ]);
    expect(clocks.get(EAST)).toBe(clockFrom(2, 1));
    expect(clocks.size).toBe(2);
  });

  test("[P23] start at the first step of a new epoch, and have no step after its last", () => {
    const clocks = clocksWith([EAST, clockFrom(2, 9)], [WEST, clockFrom(2, CLOCKS_PER_EPOCH - 1)]);
    expect(clocks.bump([EAST], 2)).toEqual([
      { region: EAST, before: clockFrom(2, 9), after: clockFrom(2, 10) },
    ]);
    expect(codeOf(() => clocks.bump([WEST], 2))).toBe("ORT_CLOCK");
    clocks.bump([EAST, WEST], 5);
    expect([EAST, WEST].map((region) => clocks.get(region))).toEqual([clockFrom(5, 1), clockFrom(5, 1)]);
  });

  test("[P23] all stay unchanged when one cannot be bumped", () => {
    const clocks = clocksWith([EAST, clockFrom(3, 7)]);
    expect(codeOf(() => clocks.bump([WEST, EAST], 2))).toBe("ORT_CLOCK");
    expect(clocks.get(WEST)).toBe(0);
  });

  test("[P23] never go back, unless they are reset", () => {
    const clocks = clocksWith([EAST, clockFrom(3, 7)]);
    expect(codeOf(() => clocks.advance(EAST, clockFrom(3, 6)))).toBe("ORT_CLOCK");
    clocks.reset(EAST, clockFrom(1, 1));
    expect(clocks.get(EAST)).toBe(clockFrom(1, 1));
    clocks.reset(EAST, 0);
    expect(clocks.size).toBe(0);
  });

  test("[P23] adopt the later ones of another set", () => {
    const clocks = clocksWith([EAST, clockFrom(3, 7)], [WEST, clockFrom(1, 1)]);
    clocks.merge(clocksWith([EAST, clockFrom(3, 6)], [WEST, clockFrom(2, 1)]));
    expect(clocks.entries()).toEqual([
      { region: WEST, clock: clockFrom(2, 1) },
      { region: EAST, clock: clockFrom(3, 7) },
    ]);
  });

  test("[P4] are compared with another set in region order", () => {
    const before = clocksWith([EAST, clockFrom(1, 1)], [[0, 5, 0, 0], clockFrom(1, 1)]);
    const after = before.copy();
    after.bump([EAST, WEST], 1);
    expect(before.differences(after)).toEqual([
      { region: WEST, before: 0, after: clockFrom(1, 1) },
      { region: EAST, before: clockFrom(1, 1), after: clockFrom(1, 2) },
    ]);
    expect(before.differences(before.copy())).toEqual([]);
  });

  test("[P5] exist only for regions on the lattice", () => {
    const clocks = new RegionClocks();
    expect(codeOf(() => clocks.advance([2 ** 29, 0, 0, 0], clockFrom(1, 1)))).toBe("ORT_POSITION_RANGE");
    expect(codeOf(() => clocks.bump([[0.5, 0, 0, 0]], 1))).toBe("ORT_POSITION_RANGE");
    expect(codeOf(() => clocks.advance(EAST, 5))).toBe("ORT_CLOCK");
  });
});

describe("clocks in bytes", () => {
  const codec = regionClockListCodec(3);

  test.each<[rule: string, name: string, entries: readonly (readonly [Position, number])[], hex: string]>([
    ["P2", "no clocks", [], "00 00"],
    ["P2", "the epoch once, then each clock", [[EAST, clockFrom(3, 5)]], "03 01 02000000 0a"],
    [
      "P3",
      "an older clock with its age",
      [
        [WEST, clockFrom(1, 6)],
        [EAST, clockFrom(3, 5)],
      ],
      "03 02 01000000 0d02 04000000 0a",
    ],
    [
      "P3",
      "a region that was never changed",
      [
        [WEST, 0],
        [EAST, clockFrom(3, 5)],
      ],
      "03 02 01000000 0103 04000000 0a",
    ],
    [
      "P4",
      "a region as the difference to the one before",
      [
        [EAST, clockFrom(1, 1)],
        [[1, 0, 0, 9], clockFrom(1, 1)],
      ],
      "01 02 02000000 02 00000012 02",
    ],
    ["P3", "never changed regions only", [[EAST, 0]], "00 01 02000000 00"],
  ])("[%s] encode %s", (_rule, _name, pairs, hex) => {
    const entries = pairs.map(([region, clock]) => ({ region, clock }));
    expect(toHex(encode(codec, entries))).toBe(hex.replaceAll(" ", ""));
    expect(decode(codec, fromHex(hex))).toEqual(entries);
  });

  test.each<[rule: string, name: string, hex: string, code: ErrorCode]>([
    ["P2", "an epoch that no clock has", "04 01 02000000 0b01", "ORT_CLOCK"],
    ["P2", "an epoch without clocks", "01 00", "ORT_CLOCK"],
    ["P1", "an epoch that is too large", "808040 01 02000000 02", "ORT_CLOCK"],
    ["P1", "step 0", "03 01 02000000 00", "ORT_CLOCK"],
    ["P1", "step 2^33", "03 01 02000000 8080808040", "ORT_CLOCK"],
    ["P3", "an age of 0", "03 01 02000000 0b00", "ORT_CLOCK"],
    ["P3", "an age past the first epoch", "03 01 02000000 0b04", "ORT_CLOCK"],
    ["P3", "a step of epoch 0", "03 01 02000000 0b03", "ORT_CLOCK"],
    ["P4", "a region twice", "01 02 02000000 02 00000000 02", "ORT_REGION_ORDER"],
    ["P4", "regions out of order", "01 02 02000000 02 01000000 02", "ORT_REGION_ORDER"],
    ["P5", "a region off the lattice", "01 01 8080808004000000 02", "ORT_POSITION_RANGE"],
    ["P2", "more clocks than may be", "01 04 02000000 02 00000000 02", "ORT_LIMIT"],
  ])("[%s] are refused with %s", (_rule, _name, hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex.replaceAll(" ", ""))))).toBe(code);
  });

  test("[P4] are not written out of order", () => {
    const entries = [EAST, WEST].map((region) => ({ region, clock: clockFrom(1, 1) }));
    expect(codeOf(() => encode(codec, entries))).toBe("ORT_REGION_ORDER");
  });

  test("[P2] survive a round trip, and are refused when truncated", () => {
    const list = regionClockListCodec(50);
    for (let seed = 0; seed < 20; seed++) {
      const prng = new Prng(seed);
      const clocks = new RegionClocks();
      for (let change = 0; change < 50; change++) {
        const region: Position = [
          prng.between(-3, 3),
          prng.between(-(2 ** 29), 2 ** 29 - 1),
          0,
          prng.between(-1, 1),
        ];
        clocks.bump([region], 1 + Math.floor(change / 10));
      }
      const bytes = encode(list, clocks.entries());
      expect(decode(list, bytes), `seed ${seed}`).toEqual(clocks.entries());
      for (let length = 0; length < bytes.length; length++) {
        expect(codeOf(() => decode(list, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
      }
    }
  });

  const resyncCodec = regionClockListCodec(RESYNC_REGIONS_MAX);

  test("[P7] a resync request may include regions that were never changed", () => {
    const regions = [{ region: EAST, clock: 0 }];
    expect(toHex(encode(resyncCodec, regions))).toBe("00010200000000");
    expect(decode(resyncCodec, fromHex("00010200000000"))).toEqual(regions);
  });

  test("[P7] a resync request has at most 512 regions", () => {
    const regions = Array.from({ length: 513 }, (_, x) => ({
      region: [x, 0, 0, 0] as const,
      clock: clockFrom(9, x + 1),
    }));
    expect(codeOf(() => encode(resyncCodec, regions))).toBe("ORT_ARGUMENT");
    const most = regions.slice(1);
    const bytes = encode(resyncCodec, most);
    expect(decode(resyncCodec, bytes)).toEqual(most);
    const tooMany = Uint8Array.of(...bytes.subarray(0, 1), 0x81, 0x04, ...bytes.subarray(3));
    expect(codeOf(() => decode(resyncCodec, tooMany))).toBe("ORT_LIMIT");
    for (let length = 0; length < 40; length++) {
      expect(codeOf(() => decode(resyncCodec, bytes.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});
