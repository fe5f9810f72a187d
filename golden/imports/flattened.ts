import { deepEqual, equal, ok } from "node:assert/strict";
import { flattenBlock } from "@orthant/formats/readers";
import { type GoldenSuite, parseJson, row } from "../suite.ts";

const FOLDER = "imports";
const FILES = [
  "minecraft/1.8.9/r.-1.0",
  "minecraft/1.9/r.-1.-1",
  "minecraft/1.11.2/r.-1.0",
  "minecraft/1.12.2/r.0.-1",
  "schematics/mcedit/legacy_super-market.schematic",
  "schematics/mcedit/viking-house1.schematic",
];

interface ExpectedFlattening {
  readonly counts: Readonly<Record<string, number>>;
  readonly flattenedCounts: Readonly<Record<string, number>>;
  readonly flattenedNotInTable: Readonly<Record<string, number>>;
}

/** Blocks from before 1.13 as states, one row for each file that has them. */
export const flattenedBlockSuites: readonly GoldenSuite[] = FILES.map((name) => ({
  file: `${FOLDER}/${name}.expected.json`,
  check: async (bytes) => [
    row(`${name} as states`, () => checkFlattened(parseJson<ExpectedFlattening>(bytes))),
  ],
}));

function checkFlattened({ counts, flattenedCounts, flattenedNotInTable }: ExpectedFlattening): void {
  const found = new Map<string, number>();
  for (const [numbers, count] of Object.entries(counts)) {
    const flattened = flattenBlock(numbers);
    ok(flattened !== undefined, `${numbers} has no state`);
    equal(flattened.isExact, !(numbers in flattenedNotInTable), numbers);
    if (flattened.isExact) found.set(flattened.state, (found.get(flattened.state) ?? 0) + count);
  }
  const expected = new Map<string, number>();
  for (const [state, count] of Object.entries(flattenedCounts)) {
    if (state in flattenedNotInTable) continue;
    // The shape of stairs follows from their neighbours; the other table has any of them.
    const straight = state.replace(/shape=\w+/, state.includes("_stairs[") ? "shape=straight" : "$&");
    expected.set(straight, (expected.get(straight) ?? 0) + count);
  }
  deepEqual(Object.fromEntries([...found].sort()), Object.fromEntries([...expected].sort()));
}
