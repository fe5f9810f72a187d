import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { readSourceTree, type SourceTree } from "../source-tree.ts";
import { type ApiReference, copyApiPages } from "./api-pages.ts";
import { escapeHtml, highlight } from "./highlight.ts";
import { type NavigationLink, type PageFrame, pageHtml, TRY_URL } from "./page-html.ts";
import { pictureSize } from "./picture-size.ts";
import { type RenderedDocument, renderMarkdown } from "./render-markdown.ts";
import { type IndexedPage, searchIndex } from "./search-index.ts";
import { SECTIONS, START_FILE } from "./sections.ts";
import { pageOf, relativeLink, type SitePage, sitePages, urlOf } from "./site-page.ts";
import { buildTryPage, tryPageHtml } from "./try-page.ts";

/** The pages of typedoc that the site includes. */
const API_FOLDER = "build/api";
const ASSETS = "tools/site/assets";
const SEARCH = new URL("./search.js", import.meta.url);
const PICTURE = /\.(?:png|svg|webp)$/;
const OTHER_SITE = /^[a-z][a-z+.-]*:/i;

/** Builds the site. */
export async function buildSite(site: string): Promise<void> {
  const tree = readSourceTree(".");
  rmSync(site, { recursive: true, force: true });
  mkdirSync(site, { recursive: true });
  if (!existsSync(API_FOLDER)) throw new Error(`there is no ${API_FOLDER}: run npm run docs first`);
  const builder = new SiteBuilder(site, tree, copyApiPages(API_FOLDER, site));
  builder.build();
  await buildTryPage(join(site, dirname(TRY_URL)));
}

class SiteBuilder {
  readonly #site: string;
  readonly #tree: SourceTree;
  readonly #api: ApiReference;
  readonly #frame: PageFrame;
  /** Pages to write; files that pages link to are added on the way. */
  readonly #pages: SitePage[];
  readonly #indexed: IndexedPage[] = [];

  constructor(site: string, tree: SourceTree, api: ApiReference) {
    this.#site = site;
    this.#tree = tree;
    this.#api = api;
    this.#pages = [...sitePages(tree)];
    this.#frame = { version: versionOf(tree), navigation: this.#navigation() };
  }

  build(): void {
    for (const page of this.#pages) this.#write(page);
    this.#save(TRY_URL, tryPageHtml(this.#frame));
    this.#save("search-index.js", searchIndex(this.#indexed, this.#api.names));
    cpSync(ASSETS, join(this.#site, "assets"), { recursive: true });
    // A browser loads the compiled module that tests also use.
    this.#save(
      "assets/search.js",
      readFileSync(SEARCH, "utf8").replace(/\n\/\/# sourceMappingURL=.*$/, "\n"),
    );
    cpSync("packages/viewer/public/icon.svg", join(this.#site, "assets/icon.svg"));
    cpSync("docs/pictures", join(this.#site, "pictures"), { recursive: true });
  }

  #write(page: SitePage): void {
    const { html, passages } = page.file.endsWith(".md") ? this.#document(page) : this.#file(page);
    const content = page.file === START_FILE ? withFirstLinks(html) : html;
    this.#save(page.url, pageHtml(page, content, passages, this.#frame));
    if (page.section !== undefined || page.file === START_FILE) {
      this.#indexed.push({ url: page.url, title: page.title, section: page.section ?? "Start", passages });
    }
  }

  #document({ file, url }: SitePage): RenderedDocument {
    return renderMarkdown(this.#textOf(file), {
      link: (target) => this.#link(file, url, target),
      picture: (target) => {
        const { width, height } = pictureSize(readFileSync(resolvePath(file, target)));
        return `src="${relativeLink(url, siteFile(resolvePath(file, target)))}" width="${width}" height="${height}"`;
      },
    });
  }

  /** Returns a page that shows a file of the repository, or the files of a folder. */
  #file({ file, title }: SitePage): RenderedDocument {
    const name = `<h1>${escapeHtml(title)}</h1>\n`;
    const code = highlight(this.#textOf(file), posix.extname(file).slice(1));
    const isToCopy = file.startsWith("docs/operations/");
    if (isToCopy) {
      mkdirSync(dirname(join(this.#site, siteFile(file))), { recursive: true });
      cpSync(file, join(this.#site, siteFile(file)));
    }
    const link = isToCopy ? `<p><a href="${title}" download>Download ${escapeHtml(title)}</a></p>\n` : "";
    const html = `${name}${link}<pre tabindex="0"><code>${code}</code></pre>\n`;
    return { html, passages: [{ anchor: "", heading: title, level: 1, text: this.#textOf(file) }] };
  }

  /** Returns the address of what a document links to: a page, a picture, or a file that becomes a page. */
  #link(file: string, url: string, target: string): string {
    if (OTHER_SITE.test(target) || target.startsWith("#")) return target;
    const [path = "", anchor] = target.split("#");
    const wanted = resolvePath(file, path);
    const found = this.#pageFor(wanted);
    const to = found ?? (PICTURE.test(wanted) ? siteFile(wanted) : undefined);
    // A folder without a page of its own: the one that says what is where.
    const address = relativeLink(url, to ?? urlOf("ARCHITECTURE.md"));
    return anchor === undefined || to === undefined ? address : `${address}#${anchor}`;
  }

  #pageFor(path: string): string | undefined {
    const file = [path, posix.join(path, "README.md")].find((name) =>
      this.#tree.some((source) => source.path === name && source.text !== ""),
    );
    if (file === undefined) return undefined;
    const known = this.#pages.find((page) => page.file === file);
    if (known !== undefined) return known.url;
    const page = pageOf(this.#tree, file, undefined, undefined);
    this.#pages.push(page);
    return page.url;
  }

  #navigation(): PageFrame["navigation"] {
    return SECTIONS.map(({ title, groups }) => ({
      title,
      groups: [
        ...groups.map((group) => ({
          title: group.title,
          links: this.#pages.filter((page) => page.section === title && page.group === group.title),
        })),
        ...(title === "Reference" ? [{ title: "Every export", links: this.#api.modules }] : []),
      ].filter(({ links }: { readonly links: readonly NavigationLink[] }) => links.length > 0),
    }));
  }

  #textOf(file: string): string {
    return this.#tree.find(({ path }) => path === file)?.text ?? "";
  }

  #save(url: string, text: string): void {
    const path = join(this.#site, url);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Returns the path of a file that another one names; a leading slash is the root of the repository. */
function resolvePath(from: string, target: string): string {
  const joined = target.startsWith("/") ? target : posix.join("/", posix.dirname(from), target);
  return decodeURIComponent(joined).replace(/^\/|\/$/g, "");
}

/** Returns the address of a file that is copied as it is. */
function siteFile(path: string): string {
  return path.replace(/^docs\//, "");
}

/** Puts links to what visitors want first below the introduction. */
function withFirstLinks(html: string): string {
  const links = [
    [TRY_URL, "Try it in this browser"],
    [urlOf("docs/guides/first-game.md"), "Make a game"],
    [urlOf("docs/reference/world.md"), "Look up a function"],
  ].map(([url, text]) => `<a href="${url}">${text}</a>`);
  return html.replace("</p>", `</p>\n<p class="start">${links.join("\n")}</p>`);
}

function versionOf(tree: SourceTree): string {
  const manifest = tree.find(({ path }) => path === "packages/orthant/package.json")?.text ?? "{}";
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
