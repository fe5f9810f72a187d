import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DIFFERENCES } from "./wire1/wire1-verdicts.ts";

test("[W24] the page about Wire v1 lists every datagram that the original takes and we refuse", () => {
  const page = readFileSync("docs/formats/wire-v1.md", "utf8");
  const [, section = ""] = page.split("## Where we differ from the original");
  const [table = ""] = section.split("\n\n").filter((part) => part.startsWith("| Datagram"));
  const rows = [...table.matchAll(/^\| `(?<name>\w+)` .*?\| `(?<verdict>\w+)`/gm)];
  expect(Object.fromEntries(rows.map(({ groups }) => [groups?.["name"], groups?.["verdict"]]))).toEqual(
    DIFFERENCES,
  );
});
