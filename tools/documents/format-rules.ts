import type { Finding } from "../finding.ts";
import { lineAt } from "../source-text.ts";
import type { SourceFile, SourceTree } from "../source-tree.ts";
import { testCitations } from "./test-citations.ts";

interface Rule {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

const FORMAT_PAGE = /^docs\/formats\/[^/]+\.md$/;
const DECLARATION = /^- \*\*(?<id>[A-Z]{1,3}\d+)\*\*/gm;

/** Finds rules that no test proves, tests that cite undeclared rules, and ids that are declared twice. */
export function checkFormatRules(tree: SourceTree): readonly Finding[] {
  const rules = tree.filter(({ path }) => FORMAT_PAGE.test(path)).flatMap(declaredRules);
  const declared = new Set(rules.map(({ id }) => id));
  const citations = tree.flatMap(testCitations);
  const cited = new Set(citations.map(({ rule }) => rule));

  const unproven = rules
    .filter(({ id }) => !cited.has(id))
    .map(({ id, path, line }) => ({
      path,
      line,
      problem: `declares ${id}, which no test cites`,
      remedy: `write a test whose title says [${id}]`,
    }));
  const twice = rules
    .filter(({ id }, index) => rules.findIndex((rule) => rule.id === id) < index)
    .map(({ id, path, line }) => ({
      path,
      line,
      problem: `declares ${id} a second time`,
      remedy: "give the rule an id of its own",
    }));
  const unknown = citations
    .filter(({ rule, certain }) => certain && !declared.has(rule))
    .map(({ rule, path, line }) => ({
      path,
      line,
      problem: `cites ${rule}, which no page in docs/formats declares`,
      remedy: "correct the id, or declare the rule",
    }));
  return [...unproven, ...twice, ...unknown];
}

function declaredRules({ path, text }: SourceFile): readonly Rule[] {
  return [...text.matchAll(DECLARATION)].map(({ index, groups }) => ({
    id: groups?.["id"] ?? "",
    path,
    line: lineAt(text, index),
  }));
}
