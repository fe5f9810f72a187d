import type { Box, ErrorCode, Position } from "@orthant/core";
import { decode, encode } from "@orthant/core/bytes";
import { splitBox, subtractBox } from "@orthant/core/internal";
import {
  boxAt,
  boxBetween,
  boxCodec,
  boxContains,
  boxContainsBox,
  boxEquals,
  boxesIntersect,
  boxVolume,
  comparePositions,
  cubeAt,
  intersectBoxes,
  positionsLexicographic,
  positionsMinorToMajor,
  unionBox,
  WHOLE_LATTICE,
} from "@orthant/core/lattice";
import { codeOf, fromHex, Prng, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { modelOf, smallBox } from "./small-boxes.ts";

const ROUNDS = 150;
const unit = boxAt([0, 0, 0, 0]);

describe("boxes", () => {
  test("are refused when they are empty, inverted or not of safe integers", () => {
    const broken: [Position, Position][] = [
      [
        [0, 0, 0, 0],
        [1, 1, 1, 0],
      ],
      [
        [0, 5, 0, 0],
        [1, 4, 1, 1],
      ],
      [
        [0, 0, 0.5, 0],
        [1, 1, 1, 1],
      ],
      [
        [0, 0, 0, 0],
        [1, 1, Number.NaN, 1],
      ],
      [
        [0, 0, 0, 0],
        [1, 1, 1, 2 ** 53],
      ],
    ];
    for (const [min, max] of broken) expect(codeOf(() => boxBetween(min, max))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => cubeAt([0, 0, 0, 0], 0))).toBe("ORT_ARGUMENT");
  });

  test("agree with a model of single positions on contents, intersection, union and difference", () => {
    const prng = new Prng(1);
    for (let round = 0; round < ROUNDS; round++) {
      const a = smallBox(prng);
      const b = smallBox(prng);
      const inA = modelOf(a);
      const inB = modelOf(b);
      const shared = [...inA].filter((position) => inB.has(position));
      const name = `round ${round}`;

      expect(boxVolume(a), name).toBe(inA.size);
      for (const position of positionsMinorToMajor(unionBox(a, b))) {
        expect(boxContains(a, position), name).toBe(inA.has(String(position)));
      }
      expect(boxesIntersect(a, b), name).toBe(shared.length > 0);
      const common = intersectBoxes(a, b);
      expect(new Set(common === undefined ? [] : modelOf(common)), name).toEqual(new Set(shared));
      expect(boxContainsBox(a, b), name).toBe(shared.length === inB.size);
      expect(boxEquals(a, b), name).toBe(shared.length === inA.size && shared.length === inB.size);

      const pieces = subtractBox(a, b);
      expect(pieces.length, name).toBeLessThanOrEqual(8);
      const left = pieces.flatMap((piece) => [...modelOf(piece)]);
      expect(new Set(left).size, `${name}: the pieces are disjoint`).toBe(left.length);
      expect(new Set(left), name).toEqual(new Set([...inA].filter((position) => !inB.has(position))));
    }
  });

  test("subtract in pieces for each axis from x to w, the lower one first", () => {
    const pieces = subtractBox(boxBetween([0, 0, 0, 0], [3, 3, 3, 3]), boxAt([1, 1, 1, 1]));
    expect(pieces).toEqual([
      { min: [0, 0, 0, 0], max: [1, 3, 3, 3] },
      { min: [2, 0, 0, 0], max: [3, 3, 3, 3] },
      { min: [1, 0, 0, 0], max: [2, 1, 3, 3] },
      { min: [1, 2, 0, 0], max: [2, 3, 3, 3] },
      { min: [1, 1, 0, 0], max: [2, 2, 1, 3] },
      { min: [1, 1, 2, 0], max: [2, 2, 3, 3] },
      { min: [1, 1, 1, 0], max: [2, 2, 2, 1] },
      { min: [1, 1, 1, 2], max: [2, 2, 2, 3] },
    ]);
    expect(subtractBox(unit, WHOLE_LATTICE)).toEqual([]);
    expect(subtractBox(unit, boxAt([0, 0, 0, 1]))).toEqual([unit]);
  });

  test("split in two at a coordinate inside them, and nowhere else", () => {
    const wide = boxBetween([-4, 0, 0, 0], [4, 2, 2, 2]);
    expect(splitBox(wide, 0, -1)).toEqual([
      { min: [-4, 0, 0, 0], max: [-1, 2, 2, 2] },
      { min: [-1, 0, 0, 0], max: [4, 2, 2, 2] },
    ]);
    expect(splitBox(WHOLE_LATTICE, 3, 0)[1].min).toEqual([-(2 ** 31), -(2 ** 31), -(2 ** 31), 0]);
    for (const at of [-5, -4, 4, 0.5]) expect(codeOf(() => splitBox(wide, 0, at))).toBe("ORT_ARGUMENT");
  });

  test("represent the whole lattice exactly", () => {
    expect(boxVolume(WHOLE_LATTICE)).toBe(2 ** 128);
    for (const corner of [-(2 ** 31), 2 ** 31 - 1]) {
      expect(boxContains(WHOLE_LATTICE, [corner, corner, corner, corner])).toBe(true);
    }
    expect(boxContains(WHOLE_LATTICE, [0, 0, 0, 2 ** 31])).toBe(false);
    expect(boxContains(WHOLE_LATTICE, [0, -(2 ** 31) - 1, 0, 0])).toBe(false);
  });

  test("iterate with x fastest in cell order, and lexicographically", () => {
    const box = boxBetween([-1, 0, 2, 0], [1, 2, 3, 2]);
    expect([...positionsMinorToMajor(box)]).toEqual([
      [-1, 0, 2, 0],
      [0, 0, 2, 0],
      [-1, 1, 2, 0],
      [0, 1, 2, 0],
      [-1, 0, 2, 1],
      [0, 0, 2, 1],
      [-1, 1, 2, 1],
      [0, 1, 2, 1],
    ]);
    const prng = new Prng(2);
    for (let round = 0; round < ROUNDS; round++) {
      const walked = smallBox(prng);
      const positions = [...positionsLexicographic(walked)];
      expect(new Set(positions.map(String))).toEqual(modelOf(walked));
      expect(positions).toEqual([...positionsMinorToMajor(walked)].sort(comparePositions));
    }
  });
});

describe("the bytes of a box", () => {
  const samples: [name: string, box: Box, hex: string][] = [
    ["one position", unit, "00000000 00000000"],
    [
      "a box around the origin",
      boxBetween([-1, -2, 0, 0], [1, 1, 65, 1]),
      "01030000 000080 0100".replaceAll(" ", ""),
    ],
    ["the whole lattice", WHOLE_LATTICE, "ffffffff0f".repeat(4) + "feffffff0f".repeat(4)],
  ];

  test.each(samples)("are eight varints with an inclusive maximum: %s", (_name, box, hex) => {
    expect(toHex(encode(boxCodec, box))).toBe(hex.replaceAll(" ", ""));
    expect(decode(boxCodec, fromHex(hex))).toEqual(box);
  });

  test.each(samples)("are refused when truncated at any byte: %s", (_name, box) => {
    const whole = encode(boxCodec, box);
    for (let length = 0; length < whole.length; length++) {
      expect(codeOf(() => decode(boxCodec, whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });

  test.each<[name: string, hex: string, code: ErrorCode]>([
    ["the maximum is below the minimum on x", "02000000 00000000", "ORT_BOX"],
    ["the maximum is below the minimum on w", "00000000 00000001", "ORT_BOX"],
    ["a coordinate passes 32 bits", "00000000 8080808010 000000", "ORT_VARINT_RANGE"],
    ["a byte follows", "00000000 00000000 00", "ORT_TRAILING_BYTES"],
  ])("are refused when %s", (_name, hex, code) => {
    expect(codeOf(() => decode(boxCodec, fromHex(hex)))).toBe(code);
  });

  test("are refused for a box that is empty or leaves the lattice", () => {
    const empty: Box = { min: [0, 0, 0, 0], max: [1, 1, 1, 0] };
    const beyond: Box = { min: [0, 0, 0, 0], max: [1, 1, 1, 2 ** 31 + 1] };
    for (const box of [empty, beyond]) expect(codeOf(() => encode(boxCodec, box))).toBe("ORT_ARGUMENT");
  });
});
