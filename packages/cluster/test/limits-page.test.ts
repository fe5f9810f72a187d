import { readFileSync } from "node:fs";
import { OWNER_LIMITS } from "@orthant/cluster";
import { expect, test } from "vitest";

test("the limits page lists every owner limit with its default", () => {
  const [, section = ""] = readFileSync("docs/reference/limits.md", "utf8").split("\n## A cluster\n");
  const rows = section.split("\n## ")[0]?.matchAll(/^\| `(\w+)` +\| ([\d,]+) /gm) ?? [];
  const figures = Array.from(rows, ([, name = "", figure = ""]) => [
    name,
    Number(figure.replaceAll(",", "")),
  ]);
  expect(Object.fromEntries(figures)).toEqual(OWNER_LIMITS);
});
