import { box, DEFAULT_BLOCKS } from "@orthant/core";
import {
  Clipboard,
  checkedMask,
  checkedOperation,
  checkedPattern,
  checkedSelection,
} from "@orthant/core/operations";
import { codeOf } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const AT = [0, 64, 0];

describe("a checked operation", () => {
  test("has values instead of texts", () => {
    expect(
      checkedOperation(
        {
          replace: "#natural",
          with: {
            mixed: [
              { weight: 80, pattern: "stone" },
              { weight: 20, pattern: "*[a=b]" },
            ],
          },
        },
        3,
      ),
    ).toEqual({
      replace: { tag: "natural" },
      with: {
        mixed: [
          { weight: 80, pattern: { block: "stone" } },
          { weight: 20, pattern: { properties: { a: "b" } } },
        ],
      },
    });
  });

  test("leaves out what means the same as nothing", () => {
    expect(checkedOperation({ outline: "stone", thickness: 1, seed: 0, in: undefined }, 3)).toEqual({
      outline: { block: "stone" },
    });
    expect(checkedOperation({ naturalize: ["a", "b", "c"], depth: 3 }, 3)).not.toHaveProperty("depth");
    expect(checkedOperation({ overlay: "a", depth: 3 }, 3)).toHaveProperty("depth", 3);
    expect(checkedOperation({ move: [0, -0, 0], leave: "air" }, 3)).toEqual({ move: [0, 0, 0] });
    expect(checkedMask({ all: [{ any: ["stone"] }] }, 3)).toEqual({ block: "stone" });
    expect(checkedMask({ nextTo: "stone", least: 1 }, 3)).toEqual({ nextTo: { block: "stone" } });
    expect(checkedMask({ block: "stone", properties: {} }, 3)).toEqual({ block: "stone" });
    expect(checkedPattern({ mixed: [{ weight: 7, pattern: "stone" }] })).toEqual({ block: "stone" });
    expect(checkedPattern({ block: "stone", keep: false })).toEqual({ block: "stone" });
    expect(checkedPattern({ keep: true })).toEqual({ properties: {} });
    const cylinder = { cylinder: AT, radius: 2, height: 3, along: "y" };
    expect(checkedSelection(cylinder, 3)).toEqual({ cylinder: [0, 64, 0], radius: 2, height: 3 });
  });

  test("is a copy", () => {
    const point = [0, 64, 0];
    const given = { line: [point, [1, 64, 0]], with: { block: "chest", properties: { facing: "east" } } };
    const checked = checkedOperation(given, 3);
    point[0] = 9;
    given.with.properties.facing = "west";
    expect(checked).toEqual({
      line: [
        [0, 64, 0],
        [1, 64, 0],
      ],
      with: { block: "chest", properties: { facing: "east" } },
    });
  });

  test("has the functions and the clipboards that it was given", () => {
    const choose = () => 1;
    const clipboard = new Clipboard(3, {
      extents: [1, 1, 1, 1],
      blocks: DEFAULT_BLOCKS,
      palette: [{ type: "stone", properties: {} }],
      voxels: new Uint16Array(1),
      data: new Map(),
    });
    expect(checkedOperation({ set: choose }, 3)).toEqual({ set: choose });
    expect(checkedOperation({ replace: "stone", with: choose }, 3)).toHaveProperty("with", choose);
    const pasted = checkedOperation({ paste: clipboard, at: AT, only: "!air" }, 3);
    expect(pasted).toEqual({ paste: clipboard, at: [0, 64, 0], only: { not: { block: "air" } } });
    expect((pasted as { paste: unknown }).paste).toBe(clipboard);
    expect(checkedPattern({ repeated: clipboard })).toEqual({ repeated: clipboard });
  });

  test("has as many coordinates as the world has dimensions", () => {
    expect(checkedOperation({ move: [1, 2] }, 2)).toEqual({ move: [1, 2] });
    expect(checkedOperation({ rotate: "xw" }, 4)).toEqual({ rotate: "xw" });
    expect(checkedSelection(box([0, 0, 0, 0], [1, 1, 1, 1]), 4)).toEqual(box([0, 0, 0, 0], [1, 1, 1, 1]));
    expect(() => checkedOperation({ move: [1, 2] }, 3)).toThrow("operation.move is [1, 2]; it is [x, y, z]");
    expect(() => checkedOperation({ rotate: "xw" }, 3)).toThrow('operation.rotate is "xw"');
    expect(() => checkedOperation({ mirror: "z" }, 2)).toThrow('operation.mirror is "z"');
    expect(() => checkedOperation({}, 5 as 4)).toThrow("dimensions is 5 (a number); it is 2, 3 or 4");
  });
});

describe("an operation is refused", () => {
  test.each<[what: string, value: unknown, message: string]>([
    ["nothing", undefined, 'operation is undefined; it is an object such as { set: "stone" }'],
    ["a list", [], "operation is []; it is an object"],
    ["another kind", { paint: "stone" }, "operation is an object; it has one of set, replace, outline,"],
    [
      "two kinds",
      { set: "stone", drain: "water" },
      'there is no field "drain" in operation; there are set, in, seed'.replaceAll('"', ""),
    ],
    [
      "an unknown field",
      { outline: "stone", width: 2 },
      "there is no field width in operation; there are outline, thickness, in, seed",
    ],
    ["a missing field", { replace: "stone" }, "operation.with is undefined; it is a pattern"],
    [
      "a wrong text",
      { replace: "stone", with: "a,,b" },
      "operation.with, column 3: expected a pattern, found",
    ],
    [
      "another mask",
      { drain: { blok: "x" } },
      'operation.drain is an object; it is a mask: a text such as "stone", or an object with one of block, tag, is,',
    ],
    ["an empty pattern", { set: {} }, "operation.set is an object; it is a pattern: a text"],
    ["a number as a mask", { drain: 5 }, "operation.drain is 5 (a number); it is a mask"],
    ["a function as a mask", { drain: () => true }, "operation.drain is a function; it is a mask"],
    [
      "a function in a list",
      { set: { mixed: [{ weight: 1, pattern: () => 1 }] } },
      "operation.set.mixed[0].pattern is a function",
    ],
    [
      "a weight of 0",
      {
        set: {
          mixed: [
            { weight: 1, pattern: "a" },
            { weight: 0, pattern: "b" },
          ],
        },
      },
      "operation.set.mixed[1].weight is 0 (a number); it is a finite number above 0",
    ],
    [
      "a weight that is not finite",
      { set: { mixed: [{ weight: Infinity, pattern: "a" }] } },
      "operation.set.mixed[0].weight is Infinity",
    ],
    ["an empty list", { drain: { any: [] } }, "operation.drain.any is []; it is a list of 1 to 256 masks"],
    [
      "a long list",
      { drain: { any: new Array(257).fill("a") } },
      "operation.drain.any is an array of 257; it is a list of 1 to 256 masks",
    ],
    [
      "a list with a hole",
      { drain: { any: Object.assign(new Array(2), ["a"]) } },
      "operation.drain.any[1] is undefined",
    ],
    [
      "a thickness of 0",
      { outline: "a", thickness: 0 },
      "operation.thickness is 0 (a number); it is a whole number from 1 to 255",
    ],
    ["a depth of 256", { overlay: "a", depth: 256 }, "operation.depth is 256"],
    ["four turns", { rotate: "xz", turns: 4 }, "operation.turns is 4"],
    ["65,536 copies", { stack: 65_536, by: AT }, "operation.stack is 65536"],
    ["65 passes", { smooth: 65 }, "operation.smooth is 65"],
    ["a seed of 2^32", { set: "a", seed: 2 ** 32 }, "operation.seed is 4294967296"],
    [
      "one point",
      { line: [AT], with: "a" },
      "operation.line is an array of 1; it is a list of 2 to 1024 points",
    ],
    ["1,025 points", { curve: new Array(1025).fill(AT), with: "a" }, "operation.curve is an array of 1025"],
    ["half a voxel", { move: [0, 0.5, 0] }, "operation.move is [0, 0.5, 0]; it is [x, y, z]"],
    ["a voxel far away", { move: [0, 2 ** 31, 0] }, "operation.move[1] is 2147483648"],
    [
      "two layers",
      { naturalize: ["a", "b"] },
      "operation.naturalize is an array of 2; it is a list of 3 patterns",
    ],
    ["regenerate: false", { regenerate: false }, "operation.regenerate is false (a boolean); it is true"],
    [
      "a paste of a number",
      { paste: 5, at: AT },
      "operation.paste is 5 (a number); it is what world.clipboard returns",
    ],
    [
      "a text as a selection",
      { set: "a", in: "box(0,0,0,1,1,1)" },
      'operation.in is "box(0,0,0,1,1,1)" (a string); it is a selection',
    ],
    [
      "a box of chunks",
      { set: "a", in: { unit: "chunks", min: AT, max: [1, 65, 1] } },
      "operation.in is a box of chunks",
    ],
    [
      "an empty box",
      { set: "a", in: { unit: "voxels", min: AT, max: AT } },
      "operation.in from [0, 64, 0] to [0, 64, 0] is empty",
    ],
    [
      "a box with a field",
      { set: "a", in: { unit: "voxels", min: AT, max: [1, 65, 1], w: 1 } },
      "there is no field w in operation.in; there are unit, min, max",
    ],
    [
      "a large radius",
      { set: "a", in: { sphere: AT, radius: 65_536 } },
      "operation.in.radius is 65536 (a number); it is a number from 0 to 65535",
    ],
    [
      "two radii",
      { set: "a", in: { sphere: AT, radius: [1, 2] } },
      "operation.in.radius is [1, 2]; it is [x, y, z]",
    ],
    [
      "a wrong second radius",
      { set: "a", in: { sphere: AT, radius: [1, -2, 3] } },
      "operation.in.radius[1] is -2",
    ],
    [
      "a polygon of two corners",
      {
        set: "a",
        in: {
          prism: [
            [0, 0],
            [1, 1],
          ],
          within: {},
        },
      },
      "operation.in.prism is an array of 2; it is a list of 3 to 1024 points",
    ],
    [
      "a corner of three numbers",
      { set: "a", in: { prism: [[0, 0], [1, 1], AT], within: {} } },
      "operation.in.prism[2] is [0, 64, 0]; it is a list of 2 whole numbers",
    ],
    [
      "a limit of 0",
      { set: "a", in: { connected: AT, through: "a", limit: 0 } },
      "operation.in.limit is 0 (a number); it is a whole number from 1 to 16777216",
    ],
    [
      "fewer than least",
      { drain: { nextTo: "a", least: 3, most: 2 } },
      "operation.drain.most is 2 (a number); it is at least operation.drain.least, which is 3",
    ],
    [
      "seven faces",
      { drain: { nextTo: "a", least: 7 } },
      "operation.drain.least is 7 (a number); it is a whole number from 0 to 6",
    ],
    [
      "a chance above 1",
      { drain: { chance: 1.5 } },
      "operation.drain.chance is 1.5 (a number); it is a number from 0 to 1",
    ],
    ["a long name", { drain: { block: "x".repeat(65) } }, "operation.drain.block is"],
    ["half a pair", { drain: { tag: "\ud800" } }, "operation.drain.tag is"],
    [
      "a property that is a number",
      { set: { block: "a", properties: { level: 3 } } },
      "operation.set.properties.level is 3 (a number)",
    ],
    [
      "keep: false without a block",
      { set: { properties: { a: "b" }, keep: false } },
      "operation.set.keep is false (a boolean); it is true where block is left out",
    ],
  ])("for %s", (_what, value, message) => {
    const operation = () => checkedOperation(value, 3);
    expect(codeOf(operation)).toBe("ORT_ARGUMENT");
    expect(operation).toThrow(`ORT_ARGUMENT: ${message}`);
  });

  test("for parts more than 32 deep, also where a text is among them", () => {
    const nested = (depth: number, inner: unknown): unknown =>
      depth === 0 ? inner : { not: nested(depth - 1, inner) };
    expect(codeOf(() => checkedMask(nested(32, "a"), 3))).toBe("no error");
    expect(codeOf(() => checkedMask(nested(33, "a"), 3))).toBe("ORT_ARGUMENT");
    expect(codeOf(() => checkedMask(nested(16, `${"!".repeat(16)}a`), 3))).toBe("no error");
    expect(codeOf(() => checkedMask(nested(16, `${"!".repeat(17)}a`), 3))).toBe("ORT_ARGUMENT");
    const cycle: { not?: unknown } = {};
    cycle.not = cycle;
    expect(codeOf(() => checkedMask(cycle, 3))).toBe("ORT_ARGUMENT");
  });

  test("for too many parts or letters, before they take long", () => {
    let shared: unknown = "a";
    for (let depth = 0; depth < 30; depth++) shared = { all: [shared, shared] };
    expect(codeOf(() => checkedMask(shared, 3))).toBe("ORT_LIMIT");
    const long = `${" ".repeat(65_535)}a`;
    expect(codeOf(() => checkedMask({ any: [long, "a"] }, 3))).toBe("ORT_LIMIT");
  });
});
