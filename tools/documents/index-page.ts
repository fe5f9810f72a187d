import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { linkTargets } from "../markdown.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

const INDEX_PAGE = "docs/README.md";

/** Finds documents that neither the index of all pages nor that of their own folder links to. */
export function checkIndexPage(tree: SourceTree): readonly Finding[] {
  return tree
    .map(({ path }) => path)
    .filter((path) => path.startsWith("docs/") && path.endsWith(".md") && path !== INDEX_PAGE)
    .filter((path) => !linksTo(tree, INDEX_PAGE, path))
    .filter((path) => !linksTo(tree, posix.join(posix.dirname(path), "README.md"), path))
    .map((path) => ({
      path: INDEX_PAGE,
      line: 0,
      problem: `does not list ${path}`,
      remedy: "add it under what its reader wants",
    }));
}

function linksTo(tree: SourceTree, from: string, path: string): boolean {
  return linkTargets(findFile(tree, from)?.text ?? "").some(
    ({ target }) => posix.join(posix.dirname(from), target) === path,
  );
}
