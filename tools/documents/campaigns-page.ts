import type { Finding } from "../finding.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

const CAMPAIGNS_PAGE = "docs/campaigns.md";
/** Programs whose campaigns or suites the page lists. */
const PROGRAMS: readonly string[] = ["campaigns/main.ts", "benchmarks/main.ts"];
const NAMED_IMPORT =
  /^import \{[^}]*\b[a-z]\w*(?:Campaign|Suite)\b[^}]*\} from "\.\/(?<name>[\w-]+)\.ts";$/gm;
/** An import of a suite when it runs. */
const LAZY_IMPORT = /\(await import\("\.\/(?<name>[\w-]+)\.ts"\)\)\.\w+Suite\b/g;

/** Finds campaigns and benchmark suites that their page does not list. */
export function checkCampaignsPage(tree: SourceTree): readonly Finding[] {
  const text = findFile(tree, CAMPAIGNS_PAGE)?.text ?? "";
  const listed = new Set(
    Array.from(text.matchAll(/^\| `(?<name>[\w-]+)`/gm), ({ groups }) => groups?.["name"]),
  );
  const names = PROGRAMS.flatMap((path) => {
    const program = findFile(tree, path)?.text ?? "";
    return [...program.matchAll(NAMED_IMPORT), ...program.matchAll(LAZY_IMPORT)];
  }).map(({ groups }) => groups?.["name"] ?? "");
  return [...new Set(names)]
    .filter((name) => !listed.has(name))
    .map((name) => ({
      path: CAMPAIGNS_PAGE,
      line: 0,
      problem: `does not list ${name}`,
      remedy: "add a row that says what it searches or measures",
    }));
}
