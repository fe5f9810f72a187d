import type { Finding } from "../finding.ts";
import { readWorkspacePackages } from "../layers/workspace.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

const ARCHITECTURE_PAGE = "ARCHITECTURE.md";

/** Finds packages that the architecture page does not mention. */
export function checkArchitecturePage(tree: SourceTree): readonly Finding[] {
  const text = findFile(tree, ARCHITECTURE_PAGE)?.text ?? "";
  return readWorkspacePackages(tree)
    .filter(({ name }) => !text.split(/[^\w@/-]+/).includes(name))
    .map(({ name }) => ({
      path: ARCHITECTURE_PAGE,
      line: 0,
      problem: `does not mention ${name}`,
      remedy: "add a line that says what the package is for",
    }));
}
