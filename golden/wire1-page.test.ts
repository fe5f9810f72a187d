import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SAVE_DIFFERENCES } from "./wire1/save-verdicts.ts";
import { DIFFERENCES } from "./wire1/wire1-verdicts.ts";

/** Returns the first table under a heading: the name in its first column, and our result. */
function differencesOn(page: string, firstColumn: string): Readonly<Record<string, string>> {
  const [, section = ""] = readFileSync(page, "utf8").split("## Where we differ from the original");
  const [table = ""] = section.split("\n\n").filter((part) => part.startsWith(`| ${firstColumn}`));
  const rows = [...table.matchAll(/^\| `(?<name>\w+)` .*?\| `(?<verdict>\w+)`/gm)];
  return Object.fromEntries(rows.map(({ groups }) => [groups?.["name"] ?? "", groups?.["verdict"] ?? ""]));
}

test("[W24] the page about Wire v1 lists every datagram that the original accepts and we reject", () => {
  expect(differencesOn("docs/formats/wire-v1.md", "Datagram")).toEqual(DIFFERENCES);
});

test("[TS12] the page about tile saves lists every save that the original loads and we reject", () => {
  expect(differencesOn("docs/formats/tile-save.md", "Save")).toEqual(SAVE_DIFFERENCES);
});
