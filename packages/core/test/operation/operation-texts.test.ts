import { DEFAULT_BLOCKS, type Dimensions } from "@orthant/core";
import {
  Clipboard,
  type Mask,
  type Operation,
  parseMask,
  parseOperation,
  parsePattern,
  parseSelection,
  printMask,
  printOperation,
  printPattern,
  printSelection,
} from "@orthant/core/operations";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const stone = { block: "stone" };
const gravel = { block: "gravel" };
const box = { unit: "voxels", min: [0, 60, 0], max: [16, 64, 16] } as const;

describe("the text of an operation", () => {
  test.each<[text: string, operation: Operation]>([
    ["set stone", { set: stone }],
    ["replace gravel stone", { replace: gravel, with: stone }],
    ["outline stone", { outline: stone }],
    ["outline stone 2", { outline: stone, thickness: 2 }],
    ["walls stone 3", { walls: stone, thickness: 3 }],
    ["hollow", { hollow: { block: "air" } }],
    ["hollow 2", { hollow: { block: "air" }, thickness: 2 }],
    ["hollow stone 2", { hollow: stone, thickness: 2 }],
    [
      "line 0,64,0 5,64,-3 stone 1.5",
      {
        line: [
          [0, 64, 0],
          [5, 64, -3],
        ],
        with: stone,
        radius: 1.5,
      },
    ],
    [
      "curve 0,0,0 1,1,1 2,0,2 80%stone,20%gravel",
      {
        curve: [
          [0, 0, 0],
          [1, 1, 1],
          [2, 0, 2],
        ],
        with: {
          mixed: [
            { weight: 80, pattern: stone },
            { weight: 20, pattern: gravel },
          ],
        },
      },
    ],
    ["overlay stone 4", { overlay: stone, depth: 4 }],
    ["naturalize grass dirt stone", { naturalize: [{ block: "grass" }, { block: "dirt" }, stone] }],
    [
      "naturalize grass dirt stone 5",
      { naturalize: [{ block: "grass" }, { block: "dirt" }, stone], depth: 5 },
    ],
    ["smooth", { smooth: 1 }],
    ["smooth 4", { smooth: 4 }],
    ["drain water|lava", { drain: { any: [{ block: "water" }, { block: "lava" }] } }],
    ["move 0,-1,0", { move: [0, -1, 0] }],
    ["move 0,-1,0 stone", { move: [0, -1, 0], leave: stone }],
    ["stack 3 0,4,0", { stack: 3, by: [0, 4, 0] }],
    ["rotate xz", { rotate: "xz" }],
    ["rotate xz 3", { rotate: "xz", turns: 3 }],
    ["mirror x", { mirror: "x" }],
    ["regenerate", { regenerate: true }],
    ["set stone in box(0,60,0,16,64,16)", { set: stone, in: box }],
    ["set stone seed 7", { set: stone, seed: 7 }],
    ["hollow in box(0,60,0,16,64,16) seed 7", { hollow: { block: "air" }, in: box, seed: 7 }],
  ])("%s is its value", (text, operation) => {
    expect(parseOperation(text)).toEqual(operation);
    expect(printOperation(operation)).toBe(text);
  });

  test("has as many coordinates as the world has dimensions", () => {
    expect(parseOperation("move 1,2", { dimensions: 2 })).toEqual({ move: [1, 2] });
    expect(parseOperation("move 1,2,3,4", { dimensions: 4 })).toEqual({ move: [1, 2, 3, 4] });
    expect(printOperation({ move: [1, 2, 3, 4] }, { dimensions: 4 })).toBe("move 1,2,3,4");
    expect(parseOperation("rotate zw", { dimensions: 4 })).toEqual({ rotate: "zw" });
  });

  test("may have spaces where they do not separate operands", () => {
    const text =
      " replace  ( #natural | ! stone [a = b] )\t3 % stone , 1%gravel\n in  box ( 0 , 60, 0,16,64,16 ) ";
    expect(codeOf(() => parseOperation(text))).toBe("ORT_ARGUMENT");
    const tight = text.replace("stone [", "stone[").replace("box (", "box(");
    expect(printOperation(parseOperation(tight))).toBe(
      "replace #natural|!stone[a=b] 3%stone,1%gravel in box(0,60,0,16,64,16)",
    );
  });

  test("leaves out what means the same as nothing", () => {
    expect(parseOperation("outline stone 1 seed 0")).toEqual({ outline: stone });
    expect(parseOperation("line 0,0,0 1,0,0 stone 0")).toEqual(parseOperation("line 0,0,0 1,0,0 stone"));
    expect(parseOperation("move 0,1,0 air")).toEqual({ move: [0, 1, 0] });
    expect(parseOperation("naturalize a b c 3")).toEqual(parseOperation("naturalize a b c"));
    expect(printOperation({ replace: "((stone))", with: "80%stone", seed: 0 })).toBe("replace stone stone");
  });

  test("does not exist for functions and clipboards", () => {
    const clipboard = new Clipboard(3, {
      extents: [1, 1, 1, 1],
      blocks: DEFAULT_BLOCKS,
      palette: [{ type: "stone", properties: {} }],
      voxels: new Uint16Array(1),
      data: new Map(),
    });
    expect(() => printOperation({ set: () => 1 })).toThrow("operation.set is a function; it has no text");
    expect(() => printOperation({ replace: "stone", with: () => 1 })).toThrow("operation.with is a function");
    expect(() => printOperation({ paste: clipboard, at: [0, 0, 0] })).toThrow(
      "operation.paste is a clipboard",
    );
    expect(() => printPattern({ repeated: clipboard })).toThrow("repeated is a clipboard; it has no text");
  });

  test("is refused when it would be too long to be parsed", () => {
    const names = Array.from({ length: 200 }, (_, index) => `${index}`.padStart(64, "x"));
    const any: Mask = { any: names };
    expect(codeOf(() => printOperation({ drain: { all: [any, any, any, any, any, any] } }))).toBe(
      "ORT_LIMIT",
    );
    expect(codeOf(() => parseOperation("x".repeat(65_537)))).toBe("ORT_LIMIT");
  });
});

describe("the text of a mask", () => {
  test.each<[text: string, mask: Mask]>([
    ["stone", stone],
    ["minecraft:oak_log", { block: "minecraft:oak_log" }],
    ["東京", { block: "東京" }],
    ['"blue ice"', { block: "blue ice" }],
    ['"in"', { block: "in" }],
    ['"seed"', { block: "seed" }],
    ['"3"', { block: "3" }],
    ["solid", { block: "solid" }],
    ['"left\\u202eright"', { block: "left\u202eright" }],
    ["stairs[facing=east,half=top]", { block: "stairs", properties: { facing: "east", half: "top" } }],
    ['water[level=3,"the name"="a b"]', { block: "water", properties: { level: "3", "the name": "a b" } }],
    ["#natural", { tag: "natural" }],
    ['#"two words"', { tag: "two words" }],
    ["solid()", { is: "solid" }],
    ["surface()", { is: "surface" }],
    ["data()", { is: "data" }],
    ["above(stone)", { above: stone }],
    ["below(stone)", { below: stone }],
    ["next(stone)", { nextTo: stone }],
    ["next(stone,2)", { nextTo: stone, least: 2 }],
    ["next(stone,1,4)", { nextTo: stone, most: 4 }],
    ["next(stone,0,0)", { nextTo: stone, least: 0, most: 0 }],
    ["in(box(0,60,0,16,64,16))", { inside: box }],
    ["chance(30%)", { chance: 0.3 }],
    ["chance(7%)", { chance: 0.07 }],
    ["chance(100%)", { chance: 1 }],
    ["chance(0%)", { chance: 0 }],
    ["chance(0.05%)", { chance: 0.0005 }],
    ["chance(30.000000000000004%)", { chance: 0.30000000000000004 }],
    ["chance(1e-18%)", { chance: 1e-20 }],
    ["noise(16,40%)", { noise: 16, share: 0.4 }],
    ["shift(0,1,0,stone)", { shifted: stone, by: [0, 1, 0] }],
    ["!stone", { not: stone }],
    ["!!stone", { not: { not: stone } }],
    ["stone&gravel", { all: [stone, gravel] }],
    ["stone|gravel", { any: [stone, gravel] }],
    ["stone&gravel|!stone", { any: [{ all: [stone, gravel] }, { not: stone }] }],
    [
      "(stone|gravel)&!(stone&gravel)",
      { all: [{ any: [stone, gravel] }, { not: { all: [stone, gravel] } }] },
    ],
    ["(stone|gravel)|gravel", { any: [{ any: [stone, gravel] }, gravel] }],
    ["(stone&gravel)&gravel", { all: [{ all: [stone, gravel] }, gravel] }],
    ["above(stone|gravel)", { above: { any: [stone, gravel] } }],
  ])("%s is its value", (text, mask) => {
    expect(parseMask(text)).toEqual(mask);
    expect(printMask(mask)).toBe(text);
  });
});

describe("the text of a pattern", () => {
  test.each<[text: string, pattern: ReturnType<typeof parsePattern>]>([
    ["stone", stone],
    ["chest[facing=east]", { block: "chest", properties: { facing: "east" } }],
    ["chest[*]", { block: "chest", keep: true }],
    ["chest[*,facing=east]", { block: "chest", properties: { facing: "east" }, keep: true }],
    ["*", { properties: {} }],
    ["*[facing=east]", { properties: { facing: "east" } }],
    [
      "stone,gravel",
      {
        mixed: [
          { weight: 1, pattern: stone },
          { weight: 1, pattern: gravel },
        ],
      },
    ],
    [
      "1%stone,99%gravel",
      {
        mixed: [
          { weight: 1, pattern: stone },
          { weight: 99, pattern: gravel },
        ],
      },
    ],
    [
      "0.5%stone,1e30%(stone,gravel)",
      {
        mixed: [
          { weight: 0.5, pattern: stone },
          {
            weight: 1e30,
            pattern: {
              mixed: [
                { weight: 1, pattern: stone },
                { weight: 1, pattern: gravel },
              ],
            },
          },
        ],
      },
    ],
    ["noise(16,stone,gravel)", { noise: 16, of: [stone, gravel] }],
    ["noise(2.5,stone)", { noise: 2.5, of: [stone] }],
    [
      "noise(16,(80%stone,20%gravel),gravel)",
      {
        noise: 16,
        of: [
          {
            mixed: [
              { weight: 80, pattern: stone },
              { weight: 20, pattern: gravel },
            ],
          },
          gravel,
        ],
      },
    ],
  ])("%s is its value", (text, pattern) => {
    expect(parsePattern(text)).toEqual(pattern);
    expect(printPattern(pattern)).toBe(text);
  });
});

describe("the text of a selection", () => {
  test.each<[text: string, dimensions: Dimensions, selection: unknown]>([
    ["box(0,60,0,16,64,16)", 3, box],
    ["box(-1,-2,3,4)", 2, { unit: "voxels", min: [-1, -2], max: [3, 4] }],
    ["box(0,0,0,0,1,1,1,2147483648)", 4, { unit: "voxels", min: [0, 0, 0, 0], max: [1, 1, 1, 2147483648] }],
    ["sphere(0,64,0,5)", 3, { sphere: [0, 64, 0], radius: 5 }],
    ["sphere(0,64,0,5,2.5,0)", 3, { sphere: [0, 64, 0], radius: [5, 2.5, 0] }],
    ["sphere(0,64,5)", 2, { sphere: [0, 64], radius: 5 }],
    ["cylinder(0,64,0,5,10)", 3, { cylinder: [0, 64, 0], radius: 5, height: 10 }],
    ["cylinder(0,64,0,5,10,x)", 3, { cylinder: [0, 64, 0], radius: 5, height: 10, along: "x" }],
    [
      "prism(box(0,60,0,16,64,16),0,0,9,0,9,9)",
      3,
      {
        prism: [
          [0, 0],
          [9, 0],
          [9, 9],
        ],
        within: box,
      },
    ],
    [
      "connected(0,64,0,!air,1000)",
      3,
      { connected: [0, 64, 0], through: { not: { block: "air" } }, limit: 1000 },
    ],
    ["union(box(0,60,0,16,64,16))", 3, { union: [box] }],
    [
      "intersection(box(0,60,0,16,64,16),sphere(0,64,0,5))",
      3,
      { intersection: [box, { sphere: [0, 64, 0], radius: 5 }] },
    ],
    [
      "difference(box(0,60,0,16,64,16),union(box(0,60,0,16,64,16)))",
      3,
      { difference: [box, { union: [box] }] },
    ],
  ])("%s is its value in %i dimensions", (text, dimensions, selection) => {
    expect(parseSelection(text, { dimensions })).toEqual(selection);
    expect(printSelection(selection as never, { dimensions })).toBe(text);
  });
});

describe("an error about a text", () => {
  test.each<[text: string, message: string]>([
    ["", "column 1: expected an operation, found the end; there are set, replace, outline,"],
    ["repalce stone gravel", 'column 1: expected an operation, found "repalce"; the nearest is "replace"'],
    ["outline in box(0,0,0,1,1,1)", 'column 9: expected a pattern, found "in"'],
    ["replace stone", "column 14: expected a pattern, found the end"],
    ["set(stone)", 'column 4: expected a space and a pattern, found "("'],
    ["set 3", 'column 6: expected "%" behind a weight, found the end'],
    ["set stone gravel", 'column 11: expected "in", "seed" or the end, found "gravel"'],
    ["set stone seed 3 in box(0,0,0,1,1,1)", 'column 18: expected the end, found "in"'],
    ["set stone seed -1", "column 16: the seed is -1 (a number); it is a whole number from 0 to 4294967295"],
    ["set noize(16,stone)", 'column 5: expected a pattern, found "noize("; the nearest is "noise"'],
    ["set stone,", "column 11: expected a pattern, found the end"],
    ["set chest[facing]", 'column 17: expected "=" and a value, found "]"'],
    ["set chest[]", 'column 11: expected a property, found "]"'],
    ["set chest[a=b,a=c]", 'column 15: the property "a" is there twice'],
    ["set 0%stone,gravel", "column 5: the weight is 0 (a number); it is a finite number above 0"],
    ['set "blue', 'column 5: expected a string of JSON, such as "blue ice"'],
    ['set ""', 'column 5: the name is "" (a string); it is a string of 1 to 64 letters'],
    ["set @", 'column 5: expected a pattern, found "@"'],
    ["drain 5", 'column 7: expected a mask, found "5"'],
    ["drain (stone", 'column 13: expected ")", found the end'],
    ["drain sold()", 'column 7: expected a mask, found "sold("; the nearest is "solid"'],
    ["drain chance(30)", 'column 16: expected "%", found ")"'],
    ["drain chance(130%)", "column 14: the chance is 1.3 (a number); it is a number from 0 to 1"],
    ["drain next(air,3,2)", "column 18: the most faces, 2, are fewer than the least, 3"],
    [
      "drain next(air,7)",
      "column 16: the least number of faces is 7 (a number); it is a whole number from 0 to 6",
    ],
    ["move 0,5", 'column 9: expected "," and z, found the end'],
    [
      "move 0,5,0.5",
      "column 10: the z is 0.5 (a number); it is a whole number from -2147483648 to 2147483647",
    ],
    ["move in", 'column 6: expected x,y,z, found "in"'],
    ["line 0,0,0 stone", 'column 12: expected a number, the x, found "stone"'],
    ["rotate zx", 'column 8: expected a plane, found "zx"; there are xy, xz, yz'],
    ["mirror w", 'column 8: expected an axis, found "w"; there are x, y, z'],
    ["smooth 65", "column 8: the number of passes is 65 (a number); it is a whole number from 1 to 64"],
    ["regenerate in bx(0,0,0,1,1,1)", 'column 15: expected a selection, found "bx("; the nearest is "box"'],
    ["regenerate in box(0,0,0,0,1,1)", "column 15: the box from 0,0,0 to 0,1,1 is empty"],
    ["regenerate in sphere(0,0,0,1,2)", 'column 31: expected "," and 3 radii, found ")"'],
    [
      "regenerate in prism(box(0,0,0,1,1,1),0,0,1,1)",
      'column 45: expected "," and at least 3 corners, found ")"',
    ],
    [`drain ${"!".repeat(33)}stone`, "column 40: parts are more than 32 deep inside each other"],
    [`drain ${"(".repeat(9999)}`, "column 40: parts are more than 32 deep inside each other"],
    [`drain ${"a|".repeat(256)}a`, "column 519: a list has at most 256 items"],
  ])("%s has its column", (text, message) => {
    let detail = "";
    try {
      parseOperation(text);
    } catch (error) {
      detail = (error as { detail: string }).detail;
    }
    expect(detail.slice(0, 6 + message.length)).toBe(`text, ${message}`);
  });

  test("counts the depth of signs, too", () => {
    const nested = (depth: number): string =>
      depth === 0 ? "a" : `a&(a|${depth > 1 ? `(${nested(depth - 1)})` : "a"})`;
    expect(codeOf(() => parseMask(nested(20)))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => parseMask(nested(10)))).toBe("no error");
  });
});

test("a text of the greatest length is parsed quickly, whatever is in it", () => {
  const texts = [
    " ",
    "a",
    "(",
    "!",
    '"',
    "\\",
    '"\\',
    "1",
    "1e",
    "a,",
    "a|",
    "1 ",
    "0,0,0 ",
    "9.9",
    "%",
    "* ",
    "\u{1d49c}",
  ];
  const start = performance.now();
  for (const text of texts)
    for (const before of ["", "set ", "drain ", "line ", "hollow "])
      codeOf(() => parseOperation((before + text.repeat(65_536)).slice(0, 65_536)));
  expect(performance.now() - start).toBeLessThan(20_000);
});
