import type { Finding } from "../finding.ts";
import { codeOnly, lineAt, scanLiterals } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

const DISABLED_TESTS = /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:only|skip|todo)\b/g;
const SLEEP = /\bsetTimeout\b/g;
/** What comes before a title, also one that follows a table of cases. */
const TITLE_FOLLOWS = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\s*\(\s*$/;
const KIND_OF_TITLE = /\b(?:test|it|describe)(?=[.(])/g;
const RULES = /^(?:\[[^\]]*\]\s*)+/;
/** A relative clause, or what only continues the name of the `describe` block. */
const CONTINUATION = /^(?:that|of|whose|which|such as)\b/;
/** Nothing but a value of the table of cases. */
const VALUE_ONLY = /^(?:%\w|\$[\w.]+)$/;

/** Finds tests that are disabled, disable others or wait for the wall clock, and titles that are not sentences. */
export function checkTests({ path, text }: SourceFile): readonly Finding[] {
  if (!path.endsWith(".test.ts")) return [];
  const code = codeOnly(text);
  const find = (pattern: RegExp, remedy: string): readonly Finding[] =>
    [...code.matchAll(pattern)].map(({ 0: word, index }) => ({
      path,
      line: lineAt(code, index),
      problem: `uses ${word}`,
      remedy,
    }));
  return [
    ...find(DISABLED_TESTS, "run every test, or use skipIf with a condition"),
    ...find(SLEEP, "use a fake clock: a test that sleeps is a flaky test"),
    ...checkTitles(path, text, code),
  ];
}

function checkTitles(path: string, text: string, code: string): readonly Finding[] {
  return scanLiterals(text).flatMap(({ kind, start, end }) => {
    if (kind === "comment" || kind === "regex") return [];
    const title = text.slice(start + 1, end - 1).replace(RULES, "");
    if (!CONTINUATION.test(title) && !VALUE_ONLY.test(title)) return [];
    const before = code.slice(0, start);
    if (!TITLE_FOLLOWS.test(before)) return [];
    const isTest = [...before.matchAll(KIND_OF_TITLE)].at(-1)?.[0] !== "describe";
    if (!isTest) return [];
    const problem = `has the title "${title}"`;
    return [
      { path, line: lineAt(text, start), problem, remedy: "write a sentence with a subject and a verb" },
    ];
  });
}
