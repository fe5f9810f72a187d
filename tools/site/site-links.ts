import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const REFERENCE = /\s(?:href|src)="(?<target>[^"]*)"/g;
const ANCHOR = /\s(?:id|name)="(?<anchor>[^"]*)"/g;
const OTHER_SITE = /^(?:[a-z][a-z+.-]*:|\/\/)/i;

/** Returns each link of a built site that leads nowhere: to a missing file, or to an anchor that a page lacks. */
export function deadLinks(site: string): readonly string[] {
  const files = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => posix.relative(site, join(parentPath, name)));
  const pages = new Map(
    files
      .filter((path) => path.endsWith(".html"))
      .map((path) => [path, readFileSync(join(site, path), "utf8")] as const),
  );
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (path: string): ReadonlySet<string> => {
    const known = anchors.get(path) ?? anchorsIn(pages.get(path) ?? "");
    anchors.set(path, known);
    return known;
  };
  const existing = new Set(files);
  const dead: string[] = [];
  for (const [page, html] of pages) {
    const targets = new Set([...html.matchAll(REFERENCE)].map(({ groups }) => groups?.["target"] ?? ""));
    for (const target of targets) {
      if (OTHER_SITE.test(target)) continue;
      const [path = "", anchor = ""] = decoded(target).split("#");
      const file = path.replace(/\?.*$/, "");
      if (target.startsWith("/")) dead.push(`${page}: ${target} works only at the root of a host`);
      const to = file === "" ? page : posix.join(posix.dirname(page), file);
      if (!existing.has(to)) dead.push(`${page}: there is no ${to}`);
      else if (anchor !== "" && pages.has(to) && !anchorsOf(to).has(anchor)) {
        dead.push(`${page}: ${to} has no #${anchor}`);
      }
    }
  }
  return dead;
}

function anchorsIn(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(ANCHOR)].map(({ groups }) => decoded(groups?.["anchor"] ?? "")));
}

/** Returns an attribute's text, without entities and escapes of addresses. */
function decoded(attribute: string): string {
  return decodeURIComponent(
    attribute
      .replaceAll("&amp;", "&")
      .replace(/&#(?<code>\d+);/g, (_entity, code: string) => String.fromCharCode(Number(code))),
  );
}
