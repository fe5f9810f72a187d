import { readFileSync } from "node:fs";
import {
  marsMinerHeader,
  marsMinerPointerRecord,
  marsMinerPointersHead,
  marsMinerStringsHead,
} from "@orthant/formats/internal";
import {
  pixelBodyHeader,
  pixelBodyIndexEntry,
  pixelBrowserHeader,
  pixelEntryHeader,
  pixelNativeHeader,
  pixelPageEntry,
  pixelSlotHeader,
  pixelTableBody,
  pixelTableChunk,
} from "@orthant/pixel-world/internal";
import { flatIndexPayloadFile, globalPayloadFile, packHeader, playersPayloadFile } from "@orthant/save/files";
import {
  compactedPackHeader,
  groupHeader,
  indexHeader,
  pageHeader,
  recordHeader,
  segmentHeader,
} from "@orthant/save/internal";

import { describe, expect, test } from "vitest";

/** Returns each table of offsets on a page, with rows as offset, bytes and field. */
function tablesOf(
  name: string,
): { readonly offset: number; readonly bytes: number; readonly field: string }[][] {
  const page = readFileSync(new URL(`../../../docs/formats/${name}`, import.meta.url), "utf8");
  return [...page.matchAll(/\| Offset \| Bytes \| Field.*\n\|[- |]+\n((?:\|.*\n)+)/g)].map(([, rows = ""]) =>
    [...rows.matchAll(/^\| (\d+) +\| (\d+) +\| `(\w+)`/gm)].map(([, offset, bytes, field = ""]) => ({
      offset: Number(offset),
      bytes: Number(bytes),
      field,
    })),
  );
}

const tables = {
  "polychora-save.md": tablesOf("polychora-save.md"),
  "journal.md": tablesOf("journal.md"),
  "marsminer.md": tablesOf("marsminer.md"),
  "pxsw.md": tablesOf("pxsw.md"),
};

describe("the tables in docs/formats", () => {
  test.each([
    ["payload files: global", "polychora-save.md", 0, globalPayloadFile.header],
    ["payload files: players", "polychora-save.md", 0, playersPayloadFile.header],
    ["payload files: flat index", "polychora-save.md", 0, flatIndexPayloadFile.header],
    ["tree index", "polychora-save.md", 1, indexHeader],
    ["pages", "polychora-save.md", 2, pageHeader],
    ["packs", "polychora-save.md", 3, packHeader],
    ["records", "polychora-save.md", 4, recordHeader],
    ["compacted packs", "polychora-save.md", 5, compactedPackHeader],
    ["segments", "journal.md", 0, segmentHeader],
    ["groups", "journal.md", 1, groupHeader],
    ["the MarsMiner header", "marsminer.md", 0, marsMinerHeader("draft")],
    ["the head of strings", "marsminer.md", 1, marsMinerStringsHead],
    ["the head of pointers", "marsminer.md", 2, marsMinerPointersHead],
    ["a record of pointers", "marsminer.md", 3, marsMinerPointerRecord],
    ["native pixel worlds", "pxsw.md", 0, pixelNativeHeader],
    ["pixel worlds of browsers", "pxsw.md", 1, pixelBrowserHeader],
    ["page tables", "pxsw.md", 2, pixelPageEntry],
    ["indexes of bodies", "pxsw.md", 3, pixelBodyIndexEntry],
    ["bodies", "pxsw.md", 4, pixelBodyHeader],
    ["headers of pixel worlds", "pxsw.md", 5, pixelSlotHeader],
    ["entries of pixel worlds", "pxsw.md", 6, pixelEntryHeader],
    ["chunks in tables of pixel worlds", "pxsw.md", 7, pixelTableChunk],
    ["bodies in tables of pixel worlds", "pxsw.md", 8, pixelTableBody],
  ] as const)("match the struct of %s", (_name, page, table, { offsets, bytes }) => {
    const rows = tables[page][table] ?? [];
    expect(Object.fromEntries(rows.map(({ field, offset }) => [field, offset]))).toEqual(offsets);
    const last = rows.at(-1);
    expect((last?.offset ?? 0) + (last?.bytes ?? 0)).toBe(bytes);
    for (const [index, { offset, bytes: size }] of rows.entries()) {
      expect(rows[index + 1]?.offset ?? bytes).toBe(offset + size);
    }
  });
});
