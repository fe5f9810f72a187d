import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { NavigationLink } from "./page-html.ts";
import { plainText } from "./render-markdown.ts";
import { relativeLink } from "./site-page.ts";

/** An exported name, or a member of one, and where the reference describes it. */
export interface ApiName {
  readonly name: string;
  readonly kind: string;
  readonly module: string;
  readonly url: string;
}

/** The reference of every export. */
export interface ApiReference {
  readonly modules: readonly NavigationLink[];
  readonly names: readonly ApiName[];
}

/** The folders of typedoc's pages, and what they describe. */
const KINDS: Readonly<Record<string, string>> = {
  classes: "class",
  enums: "enum",
  functions: "function",
  interfaces: "interface",
  types: "type",
  variables: "constant",
};
const LINKS = '<div id="tsd-toolbar-links">';
/** The name in the bar, which is all of it that a phone shows. */
const TITLE = /<a href="[^"]*" class="title">/;
const MODULE = /class="tsd-breadcrumb".*?<a[^>]*>(?<module>.*?)<\/a>/s;
/** A word such as `Readonly` before the name of a member. */
const TAG = /<code class="tsd-tag">.*?<\/code>/g;
const MEMBER = /<h3 class="tsd-anchor-link" id="(?<anchor>[^"]+)">(?<title>.*?)<a /gs;

/** Copies typedoc's pages from `source` into the folder `api` of the site, each with a link back to the documents. */
export function copyApiPages(source: string, site: string): ApiReference {
  cpSync(source, join(site, "api"), { recursive: true });
  const names: ApiName[] = [];
  const modules: NavigationLink[] = [];
  for (const path of readdirSync(join(site, "api"), { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".html")) continue;
    const url = posix.join("api", path);
    const html = readFileSync(join(site, url), "utf8");
    if (!html.includes(LINKS)) throw new Error(`${url} has no bar for links: is this from another typedoc?`);
    const back = relativeLink(url, "index.html");
    const linked = html
      .replace(LINKS, `${LINKS}<a href="${back}">Documentation</a>`)
      .replace(TITLE, `<a href="${back}" class="title">`)
      .replace("</head>", `<link rel="icon" href="${relativeLink(url, "assets/icon.svg")}"></head>`);
    writeFileSync(join(site, url), linked);
    const title = titleOf(html);
    if (path.startsWith("modules/")) modules.push({ url, title });
    const kind = KINDS[posix.dirname(path)];
    if (kind !== undefined) names.push(...namesOf(html, title, kind, url));
  }
  modules.sort((a, b) => order(a.title) - order(b.title) || a.title.localeCompare(b.title));
  return { modules, names };
}

function namesOf(html: string, title: string, kind: string, url: string): readonly ApiName[] {
  const module = plainText(MODULE.exec(html)?.groups?.["module"] ?? "");
  const members = [...html.matchAll(MEMBER)].map(({ groups }) => {
    const name =
      plainText((groups?.["title"] ?? "").replace(TAG, ""))
        .split(" ")
        .at(-1) ?? "";
    return { name: `${title}.${name}`, kind: "member", module, url: `${url}#${groups?.["anchor"] ?? ""}` };
  });
  return [
    { name: title, kind, module, url },
    ...members.filter(({ name }) => !name.endsWith(".constructor")),
  ];
}

function titleOf(html: string): string {
  return plainText(/<title>(?<title>.*?)(?: \| Orthant)?<\/title>/s.exec(html)?.groups?.["title"] ?? "");
}

/** Packages that games use come first. */
function order(module: string): number {
  return module.startsWith("orthant") ? 0 : 1;
}
