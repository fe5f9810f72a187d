import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { lineAt } from "../source-text.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

const ARCHITECTURE_PAGE = "ARCHITECTURE.md";
/** A row of the table of files that hand an edit on. */
const ROW = /^\| \d+ +\| \[`[^`]+`\]\((?<path>[^)]+)\) *\|(?<text>.*)\|$/gm;
const EXPORT =
  /^export (?:declare |abstract |async )*(?:function\*?|class|const|interface|type) (?<name>[\w$]+)/gm;

interface Step {
  readonly path: string;
  readonly offset: number;
  readonly source: string;
  /** Names in backticks. */
  readonly named: readonly string[];
}

/**
 * Finds files in the architecture page's list of an edit's files that no file above them leads to: none imports it or names
 * what it exports, nor the other way round, nor do both name what its row has in backticks, such as an interface.
 */
export function checkEditPath(tree: SourceTree): readonly Finding[] {
  const text = findFile(tree, ARCHITECTURE_PAGE)?.text ?? "";
  const steps = [...text.matchAll(ROW)].map(({ groups, index }): Step => {
    const path = groups?.["path"] ?? "";
    const named = [...(groups?.["text"] ?? "").matchAll(/`(?<name>\w+)`/g)].map(
      (found) => found.groups?.["name"] ?? "",
    );
    return { path, offset: index, source: findFile(tree, path)?.text ?? "", named };
  });
  return steps
    .filter((step, index) => index > 0 && !steps.slice(0, index).some((above) => leads(above, step)))
    .map(({ path, offset }) => ({
      path: ARCHITECTURE_PAGE,
      line: lineAt(text, offset),
      problem: `lists ${path}, to which no file above it leads`,
      remedy: "list the file between them, or name the interface between them in backticks",
    }));
}

function leads(from: Step, to: Step): boolean {
  if (from.source.includes(`/${posix.basename(to.path)}"`)) return true;
  if (exportsOf(to).some((name) => mentions(from, name))) return true;
  if (exportsOf(from).some((name) => mentions(to, name))) return true;
  return to.named.some((name) => mentions(from, name) && mentions(to, name));
}

function exportsOf({ source }: Step): readonly string[] {
  return Array.from(source.matchAll(EXPORT), ({ groups }) => groups?.["name"] ?? "");
}

function mentions({ source }: Step, name: string): boolean {
  return source.split(/[^\w$]+/).includes(name);
}
