import type { Finding } from "../finding.ts";
import { lineAt } from "../source-text.ts";
import { findFile, type SourceTree } from "../source-tree.ts";

/** Each error code with its meaning in the code. */
export type ErrorMeanings = Readonly<Record<string, string>>;

const ERRORS_PAGE = "docs/reference/errors.md";
const TABLE_ROW = /^\|\s*`(?<code>ORT_\w+)`\s*\|\s*(?<meaning>[^|\n]*?)\s*\|/gm;

/** Finds differences between the table of error codes in the reference and the table in the code. */
export function checkErrorTable(tree: SourceTree, meanings: ErrorMeanings): readonly Finding[] {
  const text = findFile(tree, ERRORS_PAGE)?.text;
  if (text === undefined) return [errorsFinding(0, "is missing", "list every error code there")];
  const rows = [...text.matchAll(TABLE_ROW)].map(({ index, groups }) => ({
    code: groups?.["code"] ?? "",
    meaning: groups?.["meaning"] ?? "",
    line: lineAt(text, index),
  }));
  const wrong = rows.flatMap(({ code, meaning, line }, index) => {
    const expected = meanings[code];
    if (expected === undefined)
      return [errorsFinding(line, `lists ${code}, which does not exist`, "remove the row")];
    if (rows.findIndex((row) => row.code === code) < index) {
      return [errorsFinding(line, `lists ${code} twice`, "remove the row")];
    }
    if (expected === meaning) return [];
    return [errorsFinding(line, `gives ${code} the meaning "${meaning}"`, `the code says "${expected}"`)];
  });
  const missing = Object.entries(meanings)
    .filter(([code]) => rows.every((row) => row.code !== code))
    .map(([code, meaning]) => errorsFinding(0, `lacks ${code}`, `add the row | \`${code}\` | ${meaning} |`));
  return [...wrong, ...missing];
}

function errorsFinding(line: number, problem: string, remedy: string): Finding {
  return { path: ERRORS_PAGE, line, problem, remedy };
}
