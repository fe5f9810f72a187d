import type { Finding } from "../finding.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

const TESTING_PAGE = "docs/guides/how-we-test.md";
const CAMPAIGNS_PROGRAM = "campaigns/main.ts";
const CAMPAIGN_IMPORT = /^import \{[^}]*\b[a-z]\w*Campaign\b[^}]*\} from "\.\/(?<name>[\w-]+)\.ts";$/gm;
const TOTALS = /^<!-- campaign totals: begin -->$(?<table>.*?)^<!-- campaign totals: end -->$/ms;

/** Finds campaigns without a row in the table of totals, and rows of removed campaigns. */
export function checkCampaignTotals(tree: SourceTree): readonly Finding[] {
  const program = findFile(tree, CAMPAIGNS_PROGRAM)?.text;
  if (program === undefined) return [];
  const names = new Set(
    Array.from(program.matchAll(CAMPAIGN_IMPORT), ({ groups }) => groups?.["name"] ?? ""),
  );
  const table = TOTALS.exec(findFile(tree, TESTING_PAGE)?.text ?? "")?.groups?.["table"] ?? "";
  const rows = new Set(
    Array.from(table.matchAll(/^\| `(?<name>[\w-]+)`/gm), ({ groups }) => groups?.["name"] ?? ""),
  );
  const missing = [...names].filter((name) => !rows.has(name));
  const gone = [...rows].filter((name) => !names.has(name));
  return [
    ...missing.map((name) => `has no row for the campaign ${name} in its table of totals`),
    ...gone.map((name) => `has totals of ${name}, which is not a campaign`),
  ].map((problem) => ({
    path: TESTING_PAGE,
    line: 0,
    problem,
    remedy: "run npm run campaign -- all --minutes M --write-table, or edit the row by hand",
  }));
}
