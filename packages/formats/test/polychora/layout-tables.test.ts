import { readFileSync } from "node:fs";
import {
  flatIndexHeader,
  globalHeader,
  indexHeader,
  packHeader,
  playersHeader,
  recordHeader,
} from "@orthant/formats";
import { describe, expect, test } from "vitest";

const page = readFileSync(new URL("../../../../docs/formats/polychora-save.md", import.meta.url), "utf8");

/** Each table of offsets on the page: the rows as offset, bytes and field. */
const tables = [...page.matchAll(/\| Offset \| Bytes \| Field.*\n\|[- |]+\n((?:\|.*\n)+)/g)].map(
  ([, rows = ""]) =>
    [...rows.matchAll(/^\| (\d+) +\| (\d+) +\| `(\w+)`/gm)].map(([, offset, bytes, field]) => ({
      offset: Number(offset),
      bytes: Number(bytes),
      field,
    })),
);

describe("the tables in docs/formats/polychora-save.md", () => {
  test.each([
    ["payload files: global", 0, globalHeader],
    ["payload files: players", 0, playersHeader],
    ["payload files: flat index", 0, flatIndexHeader],
    ["tree index", 1, indexHeader],
    ["packs", 2, packHeader],
    ["records", 3, recordHeader],
  ] as const)("say what the struct of %s says", (_name, table, { offsets, bytes }) => {
    const rows = tables[table] ?? [];
    expect(Object.fromEntries(rows.map(({ field, offset }) => [field, offset]))).toEqual(offsets);
    const last = rows.at(-1);
    expect((last?.offset ?? 0) + (last?.bytes ?? 0)).toBe(bytes);
    for (const [index, { offset, bytes: size }] of rows.entries()) {
      expect(rows[index + 1]?.offset ?? bytes).toBe(offset + size);
    }
  });
});
