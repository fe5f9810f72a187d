import type { Finding } from "../finding.ts";
import type { SourceTree } from "../source-tree.ts";
import { checkArchitecturePage } from "./architecture-page.ts";
import { checkCampaignTotals } from "./campaign-totals.ts";
import { checkCampaignsPage } from "./campaigns-page.ts";
import { checkEditPath } from "./edit-path.ts";
import { checkErrorTable, type ErrorMeanings } from "./error-table.ts";
import { checkFormatRules } from "./format-rules.ts";
import { checkIndexPage } from "./index-page.ts";
import { checkLinks, checkPaths } from "./links.ts";
import { checkNames } from "./names.ts";
import { checkCommands, type KnownCommand } from "./orthant-commands.ts";
import { checkWorldPage } from "./world-page.ts";

/** The code that documents are compared with. */
export interface DocumentedCode {
  readonly errors: ErrorMeanings;
  readonly commands: readonly KnownCommand[];
}

/** Compares the documents with the code, the tests, the packages and each other. */
export function checkDocuments(tree: SourceTree, { errors, commands }: DocumentedCode): readonly Finding[] {
  return [
    ...checkErrorTable(tree, errors),
    ...checkFormatRules(tree),
    ...checkLinks(tree),
    ...checkPaths(tree),
    ...checkNames(tree),
    ...checkCommands(tree, commands),
    ...checkArchitecturePage(tree),
    ...checkEditPath(tree),
    ...checkIndexPage(tree),
    ...checkCampaignsPage(tree),
    ...checkCampaignTotals(tree),
    ...checkWorldPage(tree),
  ];
}
