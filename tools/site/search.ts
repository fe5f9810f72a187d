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
 * Returns the places that have all words of the query, the best first: an exact name or error code, then headings, then
 * names of the reference, then the rest. Members of classes are found by their own names.
 */
export function search({ pages, passages, names }: SiteIndex, query: string, most: number): SearchResult[] {
  const whole = query.toLowerCase();
  const words = whole.split(/\s+/);
  const found: SearchResult[] = [];
  for (const [name, kind, module, url] of names) {
    const isWhole = name.toLowerCase() === whole;
    const own = kind === "member" ? (name.split(".").at(-1) ?? "") : name;
    const score = isWhole ? EXACT : nearness(own, whole, words) * (kind === "member" ? 0.2 : 0.5);
    if (score > 0) found.push({ url, title: name, where: `${kind} of ${module}`, text: "", score });
  }
  for (const [page, anchor, heading, text, isCode] of passages) {
    const [url, title, section] = pages[page] ?? ["", "", ""];
    const inHeading = nearness(heading, whole, words);
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

const EXACT = 100;

/** Returns how well a name or heading matches: 0 for not at all. */
function nearness(heading: string, whole: string, words: readonly string[]): number {
  const name = heading.toLowerCase();
  if (name === whole) return EXACT;
  const excess = Math.min(20, name.length - whole.length);
  if (name.startsWith(whole)) return 60 - excess;
  return words.every((word) => name.includes(word)) ? 50 - excess : 0;
}
