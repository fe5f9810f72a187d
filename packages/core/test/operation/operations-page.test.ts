import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MASK_WORDS, OPERATION_WORDS, PATTERN_WORDS, SELECTION_WORDS } from "@orthant/core/internal";
import { parseMask, parseOperation, parsePattern, parseSelection } from "@orthant/core/operations";
import { describe, expect, test } from "vitest";

const PAGE = readFileSync(
  fileURLToPath(new URL("../../../../docs/reference/operations.md", import.meta.url)),
  "utf8",
);

describe("docs/reference/operations.md", () => {
  test.each<[title: string, parse: (text: string) => unknown, words: readonly string[]]>([
    ["Texts of operations", parseOperation, [...OPERATION_WORDS, "in", "seed"]],
    ["Masks", parseMask, [...MASK_WORDS, "#", "!", "&", "|"]],
    ["Patterns", parsePattern, [...PATTERN_WORDS, "*", "%", "[*]"]],
    ["Selections", parseSelection, SELECTION_WORDS],
  ])("has every word of %s, with an example that uses it", (title, parse, words) => {
    const rows = rowsOf(title);
    for (const { word, example } of rows) {
      expect(parse(example), example).toBeDefined();
      expect(word === undefined || example.includes(word.replace("]", "")), `${word} in ${example}`).toBe(
        true,
      );
    }
    expect(rows.flatMap(({ word }) => word ?? []).sort()).toEqual([...words].sort());
  });

  test("has examples between its tables that can be parsed", () => {
    expect(parseMask("(stone|dirt)&chance(50%)")).toEqual({
      all: [{ any: [{ block: "stone" }, { block: "dirt" }] }, { chance: 0.5 }],
    });
    for (const text of [
      "(stone|dirt)&chance(50%)",
      "90%stone,10%(coal_ore,iron_ore)",
      'set "blue ice"',
      'drain "in"',
    ])
      expect(PAGE).toContain(`\`${text}\``);
    expect(parsePattern("90%stone,10%(coal_ore,iron_ore)")).toBeDefined();
    expect(parseOperation('set "blue ice"')).toEqual({ set: { block: "blue ice" } });
    expect(parseOperation('drain "in"')).toEqual({ drain: { block: "in" } });
  });
});

/** Returns the first and the last cell of each row in the tables of a section. A row about names has no word. */
function rowsOf(title: string): readonly { readonly word: string | undefined; readonly example: string }[] {
  const [, section = ""] = PAGE.split(`\n## ${title}\n`);
  const [tables = ""] = section.split("\n## ");
  return tables
    .split("\n")
    .filter((line) => /^\| (?:`|a name)/.test(line))
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
      const [, first = ""] = cells;
      return { word: codeIn(first), example: codeIn(cells.at(-2) ?? "") ?? "" };
    });
}

function codeIn(cell: string): string | undefined {
  return /^`(?<code>.*)`$/.exec(cell)?.groups?.["code"];
}
