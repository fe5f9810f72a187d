/** What the search index holds, as short lists. */
export interface SiteIndex {
  readonly pages: readonly (readonly [url: string, title: string, section: string])[];
  readonly passages: readonly (readonly [
    page: number,
    anchor: string,
    heading: string,
    text: string,
    isCode: number,
  ])[];
  readonly names: readonly (readonly [name: string, kind: string, module: string, url: string])[];
}

/** A place that matches a query. */
export interface SearchResult {
  readonly url: string;
  readonly title: string;
  readonly where: string;
  readonly text: string;
  readonly score: number;
}

/**
 * Returns the places that have all words of the query, the best first: an exact name or error code, then names and
 * headings that begin with the query, then the rest.
 */
export function search({ pages, passages, names }: SiteIndex, query: string, most: number): SearchResult[] {
  const whole = query.toLowerCase();
  const words = whole.split(/\s+/);
  const found: SearchResult[] = [];
  for (const [name, kind, module, url] of names) {
    const score =
      headingScore(name, whole, words) || headingScore(name.split(".").at(-1) ?? "", whole, words) * 0.7;
    if (score > 0) found.push({ url, title: name, where: `${kind} of ${module}`, text: "", score });
  }
  for (const [page, anchor, heading, text, isCode] of passages) {
    const [url, title, section] = pages[page] ?? ["", "", ""];
    const inHeading = headingScore(heading, whole, words);
    const all = `${title} ${heading} ${text}`.toLowerCase();
    if (inHeading === 0 && !words.every((word) => all.includes(word))) continue;
    const inText = all.includes(whole) ? 8 : 4;
    found.push({
      url: anchor === "" ? url : `${url}#${anchor}`,
      title: heading || title,
      where: heading === title ? section : `${section} › ${title}`,
      text,
      score: Math.max(inHeading + (isCode === 1 ? 5 : 0), inText),
    });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, most);
}

function headingScore(heading: string, whole: string, words: readonly string[]): number {
  const name = heading.toLowerCase();
  if (name === whole) return 100;
  if (name.startsWith(whole)) return 60 - Math.min(20, name.length - whole.length);
  if (words.every((word) => name.includes(word))) return 30 - Math.min(20, name.length - whole.length);
  return 0;
}
