import type { ApiName } from "./api-pages.ts";
import { type Passage, ROW_LEVEL } from "./render-markdown.ts";
import type { SiteIndex } from "./search.ts";

/** A page and its text. */
export interface IndexedPage {
  readonly url: string;
  readonly title: string;
  readonly section: string;
  readonly passages: readonly Passage[];
}

/**
 * Returns the program that gives `assets/site.js` what it searches. It is a script and not JSON, so that search also
 * works in pages that are opened from a folder, without a server.
 */
export function searchIndex(pages: readonly IndexedPage[], names: readonly ApiName[]): string {
  const index: SiteIndex = {
    pages: pages.map(({ url, title, section }) => [url, title, section]),
    passages: pages.flatMap(({ passages }, page) =>
      passages
        .filter(({ heading, text }) => heading !== "" || text !== "")
        .map(({ anchor, heading, level, text }) => [
          page,
          anchor,
          heading,
          text,
          level === ROW_LEVEL ? 1 : 0,
        ]),
    ),
    names: names.map(({ name, kind, module, url }) => [name, kind, module, url]),
  };
  return `globalThis.siteIndex = ${JSON.stringify(index)};\n`;
}
