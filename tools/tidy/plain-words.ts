import type { Finding } from "../finding.ts";
import { proseOnly } from "../markdown.ts";
import { commentsOnly, lineAt, scanLiterals } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

/** Words that mark a sentence without a clear subject, or one that reads as if translated. */
const SIGNS = [
  /whoever|nobody|somebody|everybody|anew|lets? go|(?:is|are) told|for ever/,
  /so (?:many|long|often)(?! as\b)/,
  /known (?:is|are)|one looks like|where (?:at most|\d+ (?:to|or))|goes on with|beside the loop/,
  /makes? an? (?:\w+ ){1,2}of it|what there is/,
  /(?<!here )(?:is|are) none(?! of)/,
  /(?<!here )(?:is|are) no (?!longer|more|one|better|worse|such)\w+/,
];
const UNCLEAR = new RegExp(`\\b(?:${SIGNS.map(({ source }) => source).join("|")})\\b`, "gi");
/** Strings of tools are rules and samples of text. */
const HAS_MESSAGES = /^(?!tools\/).*\.ts$/;

/** Finds sentences in comments, messages and documents that should be rewritten: who acts, on what, and why. */
export function checkPlainWords({ path, text }: SourceFile): readonly Finding[] {
  // Most files have none of these words, and scanning a file for its comments takes long.
  if (!/\.(?:md|ts)$/.test(path) || text.search(UNCLEAR) < 0) return [];
  const prose = path.endsWith(".md") ? proseOnly(text) : commentsOnly(text);
  return [...findUnclear(path, prose), ...(HAS_MESSAGES.test(path) ? findInMessages(path, text) : [])];
}

/** Searches the strings of several words, which are messages, titles or names of cases. */
function findInMessages(path: string, text: string): readonly Finding[] {
  return scanLiterals(text)
    .filter(
      ({ kind, start, end }) => /^(?:string|template)$/.test(kind) && text.slice(start, end).includes(" "),
    )
    .flatMap(({ start, end }) => findUnclear(path, text.slice(start, end), lineAt(text, start) - 1));
}

function findUnclear(path: string, prose: string, linesBefore = 0): readonly Finding[] {
  return [...prose.matchAll(UNCLEAR)].map(({ 0: words, index }) => ({
    path,
    line: linesBefore + lineAt(prose, index),
    problem: `says "${words.toLowerCase()}"`,
    remedy: "name who acts and on what, with the common word",
  }));
}
