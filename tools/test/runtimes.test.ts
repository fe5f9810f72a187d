import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RUNTIMES } from "../runtimes/runtimes.ts";

const PAGE = readFileSync("docs/reference/runtimes.md", "utf8");

/** The cells of the table below a heading, without its head. */
function rowsBelow(heading: string): readonly (readonly string[])[] {
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

function versionOf(name: string): string {
  const manifest = JSON.parse(readFileSync(`tools/runtimes/${name}/package.json`, "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return manifest.dependencies[name]?.split("@").at(-1) ?? "";
}

test("the page of runtimes lists those that the tests run on, in their versions", () => {
  const listed = rowsBelow("What is run").map(([name, version]) => [name, version]);
  expect(listed).toEqual(RUNTIMES.map(({ name }) => [`\`${name}\``, versionOf(name)]));
});

test("the page of runtimes lists every test that is left out, with the reason", () => {
  const leftOut = RUNTIMES.flatMap(({ name, leftOut }) =>
    leftOut.map(({ title, why }) => [`\`${name}\``, title, why]),
  );
  expect(rowsBelow("What is left out")).toEqual(leftOut);
});
