import type { Finding } from "../finding.ts";
import type { SourceTree } from "../source-tree.ts";
import { checkArchitecturePage } from "./architecture-page.ts";
import { checkErrorTable, type ErrorMeanings } from "./error-table.ts";
import { checkFormatRules } from "./format-rules.ts";
import { checkLinks } from "./links.ts";
import { checkWorldPage } from "./world-page.ts";

/** Compares the documents with the code, the tests, the packages and each other. */
export function checkDocuments(tree: SourceTree, errorMeanings: ErrorMeanings): readonly Finding[] {
  return [
    ...checkErrorTable(tree, errorMeanings),
    ...checkFormatRules(tree),
    ...checkLinks(tree),
    ...checkArchitecturePage(tree),
    ...checkWorldPage(tree),
  ];
}
