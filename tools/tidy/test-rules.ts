import type { Finding } from "../finding.ts";
import { codeOnly, lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

const DISABLED_TESTS = /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:only|skip|todo)\b/g;
const SLEEP = /\bsetTimeout\b/g;

/** Finds tests that are disabled, disable others, or wait for the wall clock. */
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
  ];
}
