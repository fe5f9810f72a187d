import { codeOnly, lineAt, scanLiterals } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

/** A citation of a rule in the test that proves it. */
export interface Citation {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  /** Whether it certainly names a rule, which must then exist; a lone string may mean something else. */
  readonly certain: boolean;
}

const CITING_FILE = /^(?:packages\/[^/]+\/test|packages\/testkit\/src\/contracts|golden|tools)\/.*\.ts$/;
const TITLE_FOLLOWS = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\s*\(\s*$/;
const ROW_FOLLOWS = /\[\s*$/;
const CITED_GROUP = /\[(?<rules>[A-Z]{1,3}\d+(?:,\s*[A-Z]{1,3}\d+)*)\]/g;
const RULE = /^[A-Z]{1,3}\d+$/;
const LOOK_BEHIND_LENGTH = 200;

/**
 * Returns the rules that a test file cites: `[B1]` or `[B1, B2]` in a title, and `"B1"` as a whole string,
 * which is how the rows of a table cite when the title of the test says `[%s]`.
 */
export function testCitations({ path, text }: SourceFile): readonly Citation[] {
  if (!CITING_FILE.test(path)) return [];
  const code = codeOnly(text);
  const strings = scanLiterals(text)
    .filter(({ kind }) => kind === "string" || kind === "template")
    .map(({ start, end }) => ({
      contents: text.slice(start + 1, end - 1),
      before: code.slice(Math.max(0, start - LOOK_BEHIND_LENGTH), start),
      line: lineAt(text, start),
    }));
  const titles = strings.filter(({ before }) => TITLE_FOLLOWS.test(before));
  const hasTable = titles.some(({ contents }) => contents.includes("[%s]"));
  const fromTitles = titles.flatMap(({ contents, line }) =>
    rulesIn(contents).map((rule) => ({ rule, path, line, certain: true })),
  );
  const alone = strings
    .filter(({ contents }) => RULE.test(contents))
    .map(({ contents: rule, before, line }) => {
      return { rule, path, line, certain: hasTable && ROW_FOLLOWS.test(before) };
    });
  return [...fromTitles, ...alone];
}

function rulesIn(title: string): readonly string[] {
  return [...title.matchAll(CITED_GROUP)].flatMap(({ groups }) => (groups?.["rules"] ?? "").split(/,\s*/));
}
