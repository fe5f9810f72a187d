import { expect, test } from "vitest";
import { publicNames } from "../layers/name-rules.ts";
import { readWorkspacePackages } from "../layers/workspace.ts";
import { findFile, readSourceTree } from "../source-tree.ts";

const tree = readSourceTree(".");

/** Published packages, with their entry points. */
const published = readWorkspacePackages(tree)
  .filter(({ isPrivate }) => !isPrivate)
  .map(({ name, folder, sources }) => ({ name, folder, entries: [...sources] }));

test("a name is public only if tools/test/public-names.txt lists it: npm run public-names updates the list", async () => {
  const sections = published
    .flatMap(({ entries }) => entries)
    // An entry without a source is a program for workers, which exports nothing.
    .filter(([specifier, source]) => !specifier.endsWith("/internal") && source !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([specifier, source = ""]) => {
      const names = publicNames(tree, source);
      return [`${specifier} (${names.length})`, ...names.map((name) => `  ${name}`)].join("\n");
    });
  await expect(`${sections.join("\n\n")}\n`).toMatchFileSnapshot("public-names.txt");
});

test("only orthant publishes more than 100 names in one entry, and @orthant/core at most 60", () => {
  const most = (specifier: string): number => (specifier === "@orthant/core" ? 60 : 100);
  const large = published
    .flatMap(({ entries }) => entries)
    .filter(([specifier]) => specifier !== "orthant")
    .filter(([specifier, source = ""]) => source !== "" && publicNames(tree, source).length > most(specifier))
    .map(([specifier]) => specifier);
  expect(large).toEqual([]);
});

test.each(published.filter(({ entries }) => entries.some(([entry]) => entry.endsWith("/internal"))))(
  "$name does not publish its internal entry point",
  ({ folder }) => {
    const manifest: unknown = JSON.parse(findFile(tree, `${folder}/package.json`)?.text ?? "{}");
    expect(manifest).toHaveProperty("files", expect.arrayContaining(["!dist/internal.*"]));
  },
);

test.each(published.filter(({ name }) => !["@orthant/viewer", "create-orthant"].includes(name)))(
  "Node loads a bundle for every entry point of $name, so that it has one copy of each module",
  ({ folder }) => {
    const manifest = JSON.parse(findFile(tree, `${folder}/package.json`)?.text ?? "{}") as {
      readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
    };
    for (const { node, default: compiled } of Object.values(manifest.exports))
      expect(node).toBe(compiled?.replace("./dist/", "./dist/bundled/"));
  },
);
