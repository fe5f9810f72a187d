import type { Finding } from "../finding.ts";
import { proseOnly } from "../markdown.ts";
import { commentsOnly, lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

/** Words that mark a sentence without a clear subject, or one that reads as if translated. */
const UNCLEAR =
  /\b(?:whoever|nobody|somebody|everybody|so (?:many|long|often)(?! as\b)|anew|lets? go|(?:is|are) told)\b/gi;

/** Finds sentences in comments and documents that should be rewritten: who acts, on what, and why. */
export function checkPlainWords({ path, text }: SourceFile): readonly Finding[] {
  // Most files have none of these words, and scanning a file for its comments takes long.
  if (!/\.(?:md|ts)$/.test(path) || text.search(UNCLEAR) < 0) return [];
  const prose = path.endsWith(".md") ? proseOnly(text) : commentsOnly(text);
  return [...prose.matchAll(UNCLEAR)].map(({ 0: words, index }) => ({
    path,
    line: lineAt(prose, index),
    problem: `says "${words.toLowerCase()}"`,
    remedy: "name who acts and on what, with the common word",
  }));
}
