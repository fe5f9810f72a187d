import type { Finding } from "../finding.ts";
import { codeOnly, lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

const PACKAGE_SOURCE = /^packages\/[^/]+\/src\/.*\.ts$/;
const EXPORTED_DECLARATION =
  /^export (?:declare |abstract |async )*(?<keyword>function|class|const|let|interface|type|enum)\b[ *]*(?<name>[\w$]+)/gm;

/** Finds exports of packages without a doc comment. Re-exported names need none. */
export function checkDocComments({ path, text }: SourceFile): readonly Finding[] {
  if (!PACKAGE_SOURCE.test(path)) return [];
  const findings: Finding[] = [];
  let overloaded: string | undefined; // the function whose next signature, or body, may follow
  for (const { index, groups } of codeOnly(text).matchAll(EXPORTED_DECLARATION)) {
    const name = groups?.["name"] ?? "";
    if (name !== overloaded && !hasDocComment(text.slice(0, index))) {
      findings.push({
        path,
        line: lineAt(text, index),
        problem: `exports ${name} without a doc comment`,
        remedy: "say in one line what it promises",
      });
    }
    overloaded = groups?.["keyword"] === "function" ? name : undefined;
  }
  return findings;
}

/**
 * Line comments, such as a linter's, may come between the doc comment and its export; empty lines may not.
 */
function hasDocComment(textBefore: string): boolean {
  const withoutLineComments = textBefore.replace(/(?:^[ \t]*\/\/.*\n)+$/m, "");
  if (!withoutLineComments.endsWith("*/\n")) return false;
  return withoutLineComments.startsWith("/**", withoutLineComments.lastIndexOf("/*"));
}
