import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyApiPages } from "../site/api-pages.ts";
import { highlight } from "../site/highlight.ts";
import { pictureSize } from "../site/picture-size.ts";
import { renderMarkdown } from "../site/render-markdown.ts";
import { type SiteIndex, search } from "../site/search.ts";
import { searchIndex } from "../site/search-index.ts";
import { deadLinks } from "../site/site-links.ts";
import { firstLoadBytes } from "../site/site-loads.ts";
import { relativeLink, sitePages, urlOf } from "../site/site-page.ts";
import { readSourceTree, type SourceTree, sourceFile } from "../source-tree.ts";

/** Writes files into a new folder, and returns its path. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), "orthant-site-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const LINKS = { link: (target: string) => `to/${target}`, picture: (target: string) => `src="${target}"` };

describe("pages of the site", () => {
  const tree = readSourceTree(".");
  const pages = sitePages(tree);

  test("show every document of the repository once", () => {
    const documents = tree
      .map(({ path }) => path)
      .filter((path) => /^docs\/.*\.md$|^packages\/[^/]+\/README\.md$|^[A-Z]+\.md$/.test(path));
    expect(pages.map(({ file }) => file)).toEqual(expect.arrayContaining(documents));
    expect(new Set(pages.map(({ url }) => url)).size).toBe(pages.length);
  });

  test("list a new guide by itself", () => {
    const grown: SourceTree = [...tree, sourceFile("docs/guides/new-guide.md", "# A new `guide`\n")];
    expect(sitePages(grown)).toContainEqual({
      file: "docs/guides/new-guide.md",
      url: "guides/new-guide.html",
      title: "A new guide",
      section: "Guides",
      group: "More",
    });
  });

  test("refuse a list that names a missing file", () => {
    const shrunk = tree.filter(({ path }) => path !== "docs/words.md");
    expect(() => sitePages(shrunk)).toThrow("the site lists docs/words.md, which is not in the repository");
  });

  test("have addresses like their files, and links that work below any path", () => {
    expect(urlOf("docs/formats/README.md")).toBe("formats/index.html");
    expect(urlOf("README.md")).toBe("index.html");
    expect(urlOf("docs/operations/Caddyfile")).toBe("operations/Caddyfile.html");
    expect(relativeLink("guides/a.html", "index.html")).toBe("../index.html");
    expect(relativeLink("guides/a.html", "guides/a.html")).toBe("a.html");
  });
});

describe("a document on the site", () => {
  test("has the anchors of code hosts, also for repeated headings", () => {
    const { html } = renderMarkdown("# Top\n## `get(box)`, [there](a.md)\n## Top\n", LINKS);
    expect([...html.matchAll(/ id="(?<id>[^"]+)"/g)].map(({ groups }) => groups?.["id"])).toEqual([
      "top",
      "getbox-there",
      "top-1",
    ]);
  });

  test("has an anchor and a passage of its own for each error code", () => {
    const table = "# Errors\n\n| Code | Meaning |\n| --- | --- |\n| `ORT_TAG` | a tag of <none> |\n";
    const { html, passages } = renderMarkdown(table, LINKS);
    expect(html).toContain('<tr id="ORT_TAG"><td><code>ORT_TAG</code></td>');
    expect(passages.at(-1)).toMatchObject({ anchor: "ORT_TAG", heading: "ORT_TAG", text: "a tag of" });
  });

  test("leads where its links lead in the repository", () => {
    const { html } = renderMarkdown("[a](b.md#c) ![d](e.png)\n", LINKS);
    expect(html).toContain('<a href="to/b.md#c">a</a>');
    expect(html).toContain('<img src="e.png" alt="d"');
  });

  test("shows code as it is, with its parts marked", () => {
    expect(highlight('const a = "<b>"; // 1', "ts")).toBe(
      '<span class="keyword">const</span> a = <span class="string">&#34;&#60;b&#62;&#34;</span>; <span class="comment">// 1</span>',
    );
    expect(highlight("a < b", "text")).toBe("a &#60; b");
  });

  test("knows the size of pictures before they are loaded", () => {
    const svg = '<svg xmlns="x" viewBox="0 0 7 5" width="7" height="5">';
    expect(pictureSize(Buffer.from(svg))).toEqual({ width: 7, height: 5 });
    expect(() => pictureSize(Buffer.from("GIF89a"))).toThrow(
      "neither a PNG, a WebP as browsers write it nor an SVG",
    );
  });
});

describe("links of the built site", () => {
  test("are dead when a file or an anchor is missing, and when they begin at the root of a host", () => {
    const site = folderOf({
      "index.html": '<a href="a/b.html#here"></a><a href="a/b.html#gone"></a><a href="c.html"></a>',
      "a/b.html":
        '<p id="here"></p><a href="../index.html"></a><img src="/d.png"><a href="https://a.example"></a>',
    });
    expect([...deadLinks(site)].sort()).toEqual([
      "a/b.html: /d.png works only at the root of a host",
      "a/b.html: there is no a/d.png",
      "index.html: a/b.html has no #gone",
      "index.html: there is no c.html",
    ]);
  });

  test("count all that a page loads: styles, pictures, and programs with what they import", () => {
    const noise = Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * index * 31) >> 3));
    const site = folderOf({
      "a/b.html":
        '<link rel="stylesheet" href="../s.css"><script src="../m.js"></script><img src="../p.png">',
      "s.css": "a{}",
      "m.js": 'import { n } from "./n.js";',
      "n.js": "export const n = 1;",
      "p.png": noise,
    });
    const small = firstLoadBytes(folderOf({ "a/b.html": "" }), "a/b.html");
    expect(firstLoadBytes(site, "a/b.html")).toBeGreaterThan(9_000 + 4 * small);
    expect(firstLoadBytes(site, "a/b.html")).toBeLessThan(9_500);
  });
});

describe("search", () => {
  const { passages } = renderMarkdown(
    "# Errors\n\nSee `ORT_LOCKED`.\n\n| Code | Meaning |\n| - | - |\n| `ORT_LOCKED` | another writer |\n\n## Locks\n\nOne writer at a time.\n",
    LINKS,
  );
  const names = [
    { name: "openWorld", kind: "function", module: "orthant", url: "api/openWorld.html" },
    { name: "World.close", kind: "member", module: "orthant", url: "api/World.html#close" },
  ];
  const program = searchIndex(
    [{ url: "errors.html", title: "Errors", section: "Reference", passages }],
    names,
  );
  const index = JSON.parse(program.replace(/^globalThis\.siteIndex = |;\n$/g, "")) as SiteIndex;
  const found = (query: string): readonly string[] => search(index, query, 10).map(({ url }) => url);

  test("finds an error code before the pages that mention it", () => {
    expect(found("ort_locked")).toEqual(["errors.html#ORT_LOCKED", "errors.html#errors"]);
  });

  test("finds names of the reference, and members by their own name", () => {
    expect(found("openworld")[0]).toBe("api/openWorld.html");
    expect(found("close")).toEqual(["api/World.html#close"]);
  });

  test("shows headings before members of classes whose names begin with the query", () => {
    expect(found("lock")[0]).toBe("errors.html#locks");
    expect(found("world")).toEqual(["api/openWorld.html"]);
    expect(found("world.close")).toEqual(["api/World.html#close"]);
  });

  test("prefers places with all telling words of the query", () => {
    expect(found("is there one writer at a time")[0]).toBe("errors.html#locks");
    expect(found("one reader")).toEqual([]);
  });
});

test("pages of the reference lead back to the documents, and give search their names and members", () => {
  const html = `<html><head><title>World | Orthant</title></head><a href="../index.html" class="title">Orthant</a>
<div id="tsd-toolbar-links"></div><ul class="tsd-breadcrumb"><li><a href="x">orthant</a></li></ul>
<h3 class="tsd-anchor-link" id="close"><code class="tsd-tag">Readonly</code><span>clo<wbr/>se</span><a href="#close"></a></h3></html>`;
  const site = folderOf({ "index.html": "", "assets/icon.svg": "" });
  const { names } = copyApiPages(folderOf({ "classes/orthant.World.html": html }), site);
  const url = "api/classes/orthant.World.html";
  expect(names).toEqual([
    { name: "World", kind: "class", module: "orthant", url },
    { name: "World.close", kind: "member", module: "orthant", url: `${url}#close` },
  ]);
  expect(deadLinks(site)).not.toContain(`${url}: there is no api/index.html`);
  expect(() => copyApiPages(folderOf({ "a.html": "<html></html>" }), site)).toThrow("another typedoc");
});
