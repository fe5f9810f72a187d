import { escapeHtml } from "./highlight.ts";
import type { Passage } from "./render-markdown.ts";
import { relativeLink, type SitePage } from "./site-page.ts";

/** A link of a list: to a page, or to the reference of a package. */
export interface NavigationLink {
  readonly url: string;
  readonly title: string;
}

/** A section's list of pages. */
export interface Navigation {
  readonly title: string;
  readonly groups: readonly { readonly title: string; readonly links: readonly NavigationLink[] }[];
}

/** What a page shows around its content. */
export interface PageFrame {
  readonly navigation: readonly Navigation[];
  /** The version that the site describes. */
  readonly version: string;
}

/** Address of the page with a world of its own. */
export const TRY_URL = "try/index.html";
const CONTENTS_MIN = 3;

/** Returns a whole page. */
export function pageHtml(
  page: SitePage,
  content: string,
  passages: readonly Passage[],
  frame: PageFrame,
): string {
  const section = frame.navigation.find(({ title }) => title === page.section);
  const links = section?.groups.flatMap((group) => group.links) ?? [];
  const index = links.findIndex(({ url }) => url === page.url);
  const body = `<div class="page">
${section === undefined ? "" : sectionList(page.url, section)}
<main>
${section === undefined ? "" : `<p class="trail"><a href="#pages">${section.title}</a>${page.group === undefined ? "" : ` › ${page.group}`}</p>`}
<article>
${content}
</article>
${index < 0 ? "" : neighbours(page.url, links[index - 1], links[index + 1])}
</main>
${contents(passages)}
</div>`;
  const title = page.section === undefined ? page.title : `${page.title} · Orthant`;
  return documentHtml(page.url, title, page.section, body, frame);
}

/** Returns the HTML of a page around its body: the head, the bar above and the note below. */
export function documentHtml(
  url: string,
  title: string,
  section: string | undefined,
  body: string,
  { navigation, version }: PageFrame,
): string {
  const to = (target: string): string => relativeLink(url, target);
  const sections = navigation.map(({ title: name, groups }) => ({
    url: groups[0]?.links[0]?.url ?? "",
    title: name,
  }));
  const bar = [...sections, { url: TRY_URL, title: "Try it" }].map(
    (link) =>
      `<a href="${to(link.url)}"${link.title === section ? ' aria-current="true"' : ""}>${link.title}</a>`,
  );
  return `<!doctype html>
<html lang="en" data-root="${to("index.html").replace(/index\.html$/, "")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${to("assets/icon.svg")}" type="image/svg+xml">
<link rel="stylesheet" href="${to("assets/site.css")}">
<script type="module" src="${to("assets/site.js")}"></script>
</head>
<body>
<header>
<a class="brand" href="${to("index.html")}">Orthant</a>
<nav aria-label="Sections">${bar.join("\n")}</nav>
<search><input type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false" aria-controls="results"></search>
</header>
<div id="results" class="results" role="region" aria-label="Search results" hidden></div>
${body}
<footer>Orthant ${escapeHtml(version)}. This page describes the version it was built from:
<a href="${to("releases.html")}">what versions promise</a>, <a href="${to("CHANGELOG.html")}">what changed</a>.</footer>
</body>
</html>
`;
}

function sectionList(url: string, { title, groups }: Navigation): string {
  const lists = groups.map(({ title: name, links }) => {
    const items = links.map(
      (link) =>
        `<li><a href="${relativeLink(url, link.url)}"${link.url === url ? ' aria-current="page"' : ""}>${escapeHtml(link.title)}</a></li>`,
    );
    return `<h2>${name}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  return `<nav id="pages" class="pages" aria-label="Pages of ${title}">\n${lists.join("\n")}\n</nav>`;
}

function contents(passages: readonly Passage[]): string {
  const headings = passages.filter(({ level }) => level === 2);
  if (headings.length < CONTENTS_MIN) return "";
  const items = headings.map(
    ({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`,
  );
  return `<aside class="contents" aria-label="On this page"><h2>On this page</h2>\n<ul>\n${items.join("\n")}\n</ul></aside>`;
}

function neighbours(
  url: string,
  before: NavigationLink | undefined,
  after: NavigationLink | undefined,
): string {
  const link = (
    other: NavigationLink | undefined,
    relation: string,
    arrow: (title: string) => string,
  ): string =>
    other === undefined
      ? "<span></span>"
      : `<a rel="${relation}" href="${relativeLink(url, other.url)}">${escapeHtml(arrow(other.title))}</a>`;
  return `<nav class="neighbours" aria-label="Before and after">
${link(before, "prev", (title) => `← ${title}`)}
${link(after, "next", (title) => `${title} →`)}
</nav>`;
}
