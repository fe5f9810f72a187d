import type { Finding } from "../finding.ts";
import type { SourceFile, SourceTree } from "../source-tree.ts";
import { checkDocComments } from "./doc-comments.ts";
import { checkFile } from "./file-rules.ts";
import { checkForeignNames } from "./foreign-names.ts";
import { checkLeftovers } from "./leftovers.ts";
import { checkPlainWords } from "./plain-words.ts";
import { checkPrivatePlaces } from "./private-places.ts";
import { checkTests } from "./test-rules.ts";

const RULES: readonly ((file: SourceFile) => readonly Finding[])[] = [
  checkFile,
  checkDocComments,
  checkLeftovers,
  checkPlainWords,
  checkTests,
  checkPrivatePlaces,
  checkForeignNames,
];

/** Checks the small rules that keep a repository pleasant to work in. */
export function checkTidy(tree: SourceTree): readonly Finding[] {
  return tree.flatMap((file) => RULES.flatMap((rule) => rule(file)));
}
