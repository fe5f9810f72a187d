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
    const isFolder = path === "" || tree.some((other) => other.path.startsWith(`${path}/`));
    return isFolder ? undefined : `links to ${target}, but there is no ${path}`;
  }
  if (anchor === undefined || !path.endsWith(".md") || headingAnchors(page.text).has(anchor))
    return undefined;
  return `links to ${target}, but ${path} has no such heading`;
}

/** A path that starts with a slash is relative to the root of the repository. */
function resolve(from: string, file: string): string {
  const joined = file.startsWith("/") ? file : posix.join("/", posix.dirname(from), file);
  return decodeURIComponent(joined).replace(/^\/|\/$/g, "");
}
