import { isDeepStrictEqual } from "node:util";
import { type Dimensions, isOrthantError } from "@orthant/core";
import {
  checkedOperation,
  type Operation,
  parseMask,
  parseOperation,
  parsePattern,
  parseSelection,
  printMask,
  printOperation,
  printPattern,
} from "@orthant/core/operations";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";
import { type OperationParts, RandomOperations } from "./random-operations.ts";

const OPERATIONS_EACH = 5_000;
const HOSTILE_EACH = 5000;

/** Names that look like other words, like numbers and like signs, or that cannot be shown as they are. */
const BLOCKS = [
  "stone",
  "air",
  "minecraft:oak_stairs",
  "in",
  "seed",
  "solid",
  "noise",
  "box",
  "set",
  "3",
  "1e5",
  "-7.5",
  "-",
  "3d/printer",
  "blue ice",
  'the "best"',
  "back\\slash",
  "Größe",
  "東京",
  "پتھر",
  "हिन्दी",
  "𝒜block",
  "🚀",
  "a,b",
  "#tag",
  "*",
  "a(b",
  "line\nbreak",
  "left\u202eright",
  "\u3164",
  "x".repeat(64),
];

function partsFor(dimensions: Dimensions): OperationParts {
  return {
    dimensions,
    blocks: BLOCKS,
    tags: ["natural", "3", "in", "two words", "石"],
    properties: {
      facing: ["east", "north"],
      half: ["top", "*"],
      level: ["3", "in", "a=b"],
      "two words": ["]"],
    },
    reach: 2_000_000_000,
  };
}

describe.each([2, 3, 4] as const)("texts of operations in %i dimensions", (dimensions) => {
  const parts = partsFor(dimensions);

  test("are parsed to the values that they were printed from", () => {
    for (let seed = 1; seed <= OPERATIONS_EACH; seed++) {
      const operation = new RandomOperations(new Prng(seed), parts).operation();
      const text = printOperation(operation, { dimensions });
      const parsed = parseOperation(text, { dimensions });
      if (!isDeepStrictEqual(parsed, operation)) expect(parsed, `seed ${seed}: ${text}`).toEqual(operation);
      if (printOperation(parsed, { dimensions }) !== text)
        expect(printOperation(parsed, { dimensions }), `seed ${seed}`).toBe(text);
    }
  }, 300_000);

  test("give errors with a column, or values with texts of their own, when they are damaged", () => {
    for (let seed = 1; seed <= HOSTILE_EACH; seed++) {
      const prng = new Prng(seed);
      const operation = new RandomOperations(prng, parts).operation();
      const text = damaged(printOperation(operation, { dimensions }), prng);
      tryText(text, () => {
        const parsed = parseOperation(text, { dimensions });
        expect(parseOperation(printOperation(parsed, { dimensions }), { dimensions }), text).toEqual(parsed);
      });
      tryText(text, () => parseMask(text, { dimensions }));
      tryText(text, () => parseSelection(text, { dimensions }));
      tryText(text, () => parsePattern(text));
    }
  }, 300_000);

  test("are the same as the values that they stand for inside of an operation", () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const random = new RandomOperations(new Prng(seed), parts);
      const [mask, pattern] = [random.mask(), random.pattern()];
      const value: Operation = { replace: mask, with: pattern };
      const texts = { replace: printMask(mask, { dimensions }), with: printPattern(pattern) };
      expect(checkedOperation(texts, dimensions), `seed ${seed}`).toEqual(value);
    }
  });
});

test("random bytes as a text give only errors of Orthant", () => {
  for (let seed = 1; seed <= 5000; seed++) {
    const prng = new Prng(seed);
    const text = String.fromCharCode(...prng.bytes(prng.below(40)));
    tryText(text, () => parseOperation(text));
    tryText(text, () => parseOperation(`set ${text}`));
    tryText(text, () => parseOperation(`regenerate in ${text}`));
    tryText(text, () => parseMask(text));
  }
});

const SIGNS = [
  ...'()[]#!&|,%=*"\\ \t-.:9e/',
  "in",
  "seed",
  "noise(",
  "box(",
  "99999999999",
  "é",
  "𝒜",
  "\ud800",
  "\u0000",
];

/** Returns a text in which one to three places are changed. */
function damaged(text: string, prng: Prng): string {
  let result = text;
  for (let changes = prng.between(1, 3); changes > 0; changes--) {
    const from = prng.below(result.length + 1);
    const to = from + prng.below(5);
    const between = prng.pick([
      "",
      prng.pick(SIGNS),
      result.slice(from, to).repeat(2),
      result.slice(to, to + 9),
    ]);
    result = result.slice(0, from) + between + result.slice(to);
  }
  return result;
}

function tryText(text: string, parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (isOrthantError(error, "ORT_ARGUMENT") && /^text(?:, column \d+:| is )/.test(error.detail)) return;
    throw new Error(`${JSON.stringify(text)}: ${error}`, { cause: error });
  }
}
