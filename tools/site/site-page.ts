import { posix } from "node:path";
import type { SourceTree } from "../source-tree.ts";
import { SECTIONS, START_FILE } from "./sections.ts";

/** A page of the site that is made from a file of the repository. */
export interface SitePage {
  /** Path of the file. */
  readonly file: string;
  /** Address of the page, relative to the root of the site. */
  readonly url: string;
  readonly title: string;
  /** The section that lists it; `undefined` for the start page, and for files that other pages link to. */
  readonly section: string | undefined;
  readonly group: string | undefined;
}

/** Returns the pages of all sections, in their order, after the start page. */
export function sitePages(tree: SourceTree): readonly SitePage[] {
  const groups = SECTIONS.flatMap(({ title, groups }) => groups.map((group) => ({ section: title, group })));
  const named = new Set(groups.flatMap(({ group }) => group.files));
  const listed = groups.flatMap(({ section, group }) =>
    group.files
      .flatMap((file) => (file.endsWith("/*") ? filesIn(tree, file.slice(0, -2), named) : [file]))
      .map((file) => pageOf(tree, file, section, group.title)),
  );
  return [pageOf(tree, START_FILE, undefined, undefined), ...listed];
}

/** Returns the page that shows a file. */
export function pageOf(
  tree: SourceTree,
  file: string,
  section: string | undefined,
  group: string | undefined,
): SitePage {
  const source = tree.find(({ path }) => path === file);
  if (source === undefined) throw new Error(`the site lists ${file}, which is not in the repository`);
  const title = /^# (?<title>.+)$/m.exec(file.endsWith(".md") ? source.text : "")?.groups?.["title"];
  return {
    file,
    url: urlOf(file),
    title: (title ?? posix.basename(file)).replaceAll("`", ""),
    section,
    group,
  };
}

/** Returns the address of the page that shows a file. Other files than documents keep their name in it. */
export function urlOf(file: string): string {
  const path = file.replace(/^docs\/(?!README)/, "");
  if (!path.endsWith(".md")) return `${path}.html`;
  return path.replace(/(?:README)?\.md$/, (end) => (end === ".md" ? ".html" : "index.html"));
}

/** Returns a link from one address of the site to another, which works below any path and without a server. */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

/** Returns the pages of a folder that no group names: documents, the READMEs of its folders, files to copy. */
function filesIn(tree: SourceTree, folder: string, named: ReadonlySet<string>): readonly string[] {
  const isOfFiles = folder === "docs/operations";
  return tree
    .map(({ path }) => path)
    .filter((path) => {
      const rest = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
      return isOfFiles ? rest !== "" : /^[^/]+\.md$|^[^/]+\/README\.md$/.test(rest);
    })
    .filter((path) => !named.has(path) && !isOfOtherGroup(path, folder, named));
}

/** Whether a more precise `folder/*` has the file. */
function isOfOtherGroup(path: string, folder: string, named: ReadonlySet<string>): boolean {
  const parent = posix.dirname(path);
  return parent !== folder && named.has(`${parent}/*`);
}
