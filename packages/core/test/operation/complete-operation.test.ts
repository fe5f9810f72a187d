import { BlockCatalog, DEFAULT_BLOCKS } from "@orthant/core";
import { completeOperation, parseOperation } from "@orthant/core/operations";
import { Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const BLOCKS = new BlockCatalog([
  ...DEFAULT_BLOCKS.types,
  {
    id: 100,
    name: "oak_stairs",
    colour: 0,
    solid: true,
    properties: [
      { name: "facing", values: ["north", "east"] },
      { name: "half", values: ["top", "bottom"] },
    ],
    tags: ["wooden"],
  },
]);

describe("completeOperation", () => {
  test.each<[text: string, words: readonly string[]]>([
    ["", ["set", "replace", "outline", "walls", "hollow"]],
    ["re", ["replace", "regenerate"]],
    ["set sto", ["stone"]],
    ["set coal", ['"coal ore"']],
    ['set "coal', ['"coal ore"']],
    ["set 80%stone,20%br", ["brick"]],
    ["replace #wo", ["#wooden"]],
    ["replace soli", ["solid("]],
    ["set soli", []],
    ["set stone i", ["in "]],
    ["set stone in sph", ["sphere("]],
    ["set stone in bo", ["box("]],
    ["stack 3 ", []],
    ["set oak_stairs[", ["facing=", "half="]],
    ["set oak_stairs[facing=", ["facing=north", "facing=east"]],
    ["set oak_stairs[facing=east,ha", ["half="]],
    ["replace above(gra", ["grass"]],
    ["sett sto", []],
  ])("goes on after %j", (text, words) => {
    expect(completeOperation(text, BLOCKS).words.slice(0, 5)).toEqual(words);
  });

  test("says where the word begins that it replaces", () => {
    expect(completeOperation("replace sto", BLOCKS)).toEqual({ from: 8, words: ["stone"] });
    expect(completeOperation("set oak_stairs[facing=ea", BLOCKS).from).toBe(15);
  });

  test("only offers what can be read, from any beginning of a text", () => {
    const text = 'replace surface()&!water 80%stone,20%"coal ore" in sphere(0,64,0,8) seed 7';
    for (let length = 0; length <= text.length; length++) {
      const { from, words } = completeOperation(text.slice(0, length), BLOCKS);
      expect(from).toBeLessThanOrEqual(length);
      for (const word of words) {
        const made = text.slice(0, from) + word;
        const wrong = (() => {
          try {
            parseOperation(made);
            return Number.POSITIVE_INFINITY;
          } catch (error) {
            return Number(/column (\d+)/.exec(String(error))?.[1] ?? Number.POSITIVE_INFINITY);
          }
        })();
        expect(wrong, made).toBeGreaterThan(made.trimEnd().length);
      }
    }
  });

  test("takes any text", () => {
    const prng = new Prng(3);
    const signs = [...'replace set stone "#[](),|&!%*=0.5-\\\n§石'];
    for (let trial = 0; trial < 2_000; trial++) {
      const text = Array.from({ length: prng.below(20) }, () => prng.pick(["a", ...signs])).join("");
      completeOperation(text, BLOCKS);
    }
  });
});
