import type { Finding } from "../finding.ts";
import type { SourceTree } from "../source-tree.ts";
import { readArchitecture } from "./architecture.ts";
import { checkDeclarations } from "./declaration-rules.ts";
import { checkImports } from "./import-rules.ts";

/** Compares every import with the architecture in `layers.json`. */
export function checkLayers(tree: SourceTree): readonly Finding[] {
  const architecture = readArchitecture(tree);
  return [
    ...checkDeclarations(tree, architecture),
    ...tree.filter(({ path }) => path.endsWith(".ts")).flatMap((file) => checkImports(file, architecture)),
  ];
}
