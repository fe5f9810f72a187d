import { posix } from "node:path";
import type { Finding } from "../finding.ts";
import { headingAnchors, linkTargets } from "../markdown.ts";
import { lineAt } from "../source-text.ts";
import { findFile, type SourceFile, type SourceTree } from "../source-tree.ts";

const OTHER_SITE = /^[a-z][a-z+.-]*:/i;

/** Finds broken links between files of the repository. */
export function checkLinks(tree: SourceTree): readonly Finding[] {
  return tree.filter(({ path }) => path.endsWith(".md")).flatMap((page) => checkPage(tree, page));
}

function checkPage(tree: SourceTree, { path, text }: SourceFile): readonly Finding[] {
  return linkTargets(text)
    .filter(({ target }) => !OTHER_SITE.test(target))
    .flatMap(({ target, offset }) => {
      const problem = problemOf(tree, path, target);
      return problem === undefined
        ? []
        : [{ path, line: lineAt(text, offset), problem, remedy: "correct the link" }];
    });
}

function problemOf(tree: SourceTree, from: string, target: string): string | undefined {
  const [file = "", anchor] = target.split("#");
  const path = file === "" ? from : resolve(from, file);
  const page = findFile(tree, path);
  if (page === undefined) {
    return path === "" || isInTree(tree, path) ? undefined : `links to ${target}, but there is no ${path}`;
  }
  if (anchor === undefined || !path.endsWith(".md") || headingAnchors(page.text).has(anchor))
    return undefined;
  return `links to ${target}, but ${path} has no such heading`;
}

/** A path from the root of the repository in backticks. A placeholder such as `<name>` or `*` ends it. */
const PATH_SPAN = /`(?<path>(?:packages|campaigns|benchmarks|docs|tools|examples|golden)\/[\w./-]+)`/g;
const FENCE = /^```.*?^```/gms;
/** This page names files that were removed. */
const CHANGELOG = "CHANGELOG.md";

/** Finds paths in backticks that are not in the repository. */
export function checkPaths(tree: SourceTree): readonly Finding[] {
  return tree
    .filter(({ path }) => path.endsWith(".md") && path !== CHANGELOG)
    .flatMap(({ path, text }) =>
      [...text.replace(FENCE, (fence) => fence.replace(/[^\n]/g, " ")).matchAll(PATH_SPAN)]
        .map(({ groups, index }) => ({ named: groups?.["path"] ?? "", offset: index }))
        .filter(({ named }) => !isInTree(tree, named.replace(/\/$/, "")))
        .map(({ named, offset }) => ({
          path,
          line: lineAt(text, offset),
          problem: `names ${named}, which is not in the repository`,
          remedy: "correct the path",
        })),
    );
}

function isInTree(tree: SourceTree, path: string): boolean {
  return tree.some((other) => other.path === path || other.path.startsWith(`${path}/`));
}

/** A path that starts with a slash is relative to the root of the repository. */
function resolve(from: string, file: string): string {
  const joined = file.startsWith("/") ? file : posix.join("/", posix.dirname(from), file);
  return decodeURIComponent(joined).replace(/^\/|\/$/g, "");
}
