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

/** Words of a question that say nothing about its answer. */
const EMPTY_WORDS: ReadonlySet<string> = new Set(
  "a an and are as at be by can do does for from get has have how i if in into is it its like make me my of on one or our out own set so some than that the their them then there they this to up use using want was we what when where which who why will with without you your".split(
    " ",
  ),
);

/**
 * Returns the places that match a query, the best first: an exact name or error code, then places with the words of the query,
 * where rare words count more, and words in headings more than others. Members of classes are found by their own names.
 */
export function search({ pages, passages, names }: SiteIndex, query: string, most: number): SearchResult[] {
  const whole = query.trim().toLowerCase();
  const all = whole.split(/[^\p{L}\p{N}_.-]+/u).filter((word) => word !== "");
  const telling = all.filter((word) => !EMPTY_WORDS.has(word));
  const words = (telling.length > 0 ? telling : all).map(stemOf);
  const found: SearchResult[] = [];
  for (const [name, kind, module, url] of names) {
    const isWhole = name.toLowerCase() === whole;
    const own = kind === "member" ? (name.split(".").at(-1) ?? "") : name;
    const score = isWhole ? EXACT : nearness(own, whole, all) * (kind === "member" ? 0.2 : 0.5);
    if (score > 0) found.push({ url, title: name, where: `${kind} of ${module}`, text: "", score });
  }
  const texts = passages.map(([page, , heading, text]) => ({
    title: (pages[page]?.[1] ?? "").toLowerCase(),
    heading: heading.toLowerCase(),
    text: text.toLowerCase(),
  }));
  const weights = words.map((word) => {
    const count = texts.filter((passage) =>
      Object.values(passage).some((part) => part.includes(word)),
    ).length;
    return Math.log(1 + texts.length / (1 + count));
  });
  const weight = weights.reduce((sum, one) => sum + one, 0);
  for (const [index, [page, anchor, heading, text, isCode]] of passages.entries()) {
    const passage = texts[index] as (typeof texts)[number];
    let matched = 0;
    let score = 0;
    for (const [at, word] of words.entries()) {
      const place = Math.max(
        isIn(passage.heading, word) * 3,
        isIn(passage.title, word) * 2.5,
        isIn(passage.text, word),
      );
      if (place > 0) matched += weights[at] as number;
      score += place * (weights[at] as number);
    }
    if (weight === 0 || matched < LEAST_SHARE * weight) continue;
    const [url, title, section] = pages[page] ?? ["", "", ""];
    const inHeading =
      nearness(heading, whole, all) + (isCode === 1 && heading.toLowerCase() === whole ? 5 : 0);
    found.push({
      url: anchor === "" ? url : `${url}#${anchor}`,
      title: heading || title,
      where: heading === title ? section : `${section} › ${title}`,
      text,
      score: Math.max(
        inHeading,
        ((WORDS_MOST * score * (matched / weight)) / (3 * weight)) * (SECTION_WEIGHTS[section] ?? 1),
      ),
    });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, most);
}

const EXACT = 100;
/** The score of a heading with all words of a question in other places. */
const WORDS_MOST = 45;
/** Who asks in words wants to know how, more often than why, or what the bytes are. */
const SECTION_WEIGHTS: Readonly<Record<string, number>> = {
  Guides: 1.3,
  Reference: 1.1,
  Formats: 0.7,
  Decisions: 0.4,
  Project: 0.5,
};
/** The share of a question, by the weights of its words, that a place must have. */
const LEAST_SHARE = 0.5;

/** Returns the beginning that the forms of a word have in common: `doors` and `door`, `placing` and `placed`. */
function stemOf(word: string): string {
  if (word.length < 5) return word.length > 3 ? word.replace(/s$/, "") : word;
  return word.replace(/(?:ies|y)$/, "").replace(/(?:ing|ers|er|ed|es|s|e)$/, "");
}

/** Returns 1 for a text with a word that begins like this, 0.5 for one that has it inside of a word, and otherwise 0. */
function isIn(text: string, word: string): number {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  for (let from = at; from >= 0; from = text.indexOf(word, from + 1))
    if (from === 0 || !/[\p{L}\p{N}]/u.test(text[from - 1] as string)) return 1;
  return 0.5;
}

/** Returns how well a name or heading matches: 0 for not at all. */
function nearness(heading: string, whole: string, words: readonly string[]): number {
  const name = heading.toLowerCase();
  if (name === whole) return EXACT;
  const excess = Math.min(20, name.length - whole.length);
  if (name.startsWith(whole)) return 60 - excess;
  return words.every((word) => name.includes(word)) ? 50 - excess : 0;
}
