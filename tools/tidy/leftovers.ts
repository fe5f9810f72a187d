import type { Finding } from "../finding.ts";
import { proseOnly } from "../markdown.ts";
import { commentsOnly, lineAt } from "../source-text.ts";
import type { SourceFile } from "../source-tree.ts";

const REMINDER = /\b(?:TODO|FIXME|XXX|HACK)\b/g;
const FORBIDDEN_SUPPRESSION = /@ts-(?:ignore|nocheck)\b/g;
const UNEXPLAINED_SUPPRESSIONS = [
  /@ts-expect-error\b(?!:?[ \t]+\w)/g,
  /biome-ignore(?:-\w+)*\b(?![^\n:]*:[ \t]*\w)/g,
  /eslint-disable(?:-[\w-]+)?\b(?![^\n]*--[ \t]*\w)/g,
];

/** Finds reminders, and warnings that are suppressed without a reason. Searches only comments and prose. */
export function checkLeftovers(file: SourceFile): readonly Finding[] {
  if (file.path.endsWith(".md")) return findReminders(file, proseOnly(file.text));
  if (!file.path.endsWith(".ts")) return [];
  const comments = commentsOnly(file.text);
  return [...findReminders(file, comments), ...findSuppressions(file, comments)];
}

function findReminders({ path }: SourceFile, prose: string): readonly Finding[] {
  return [...prose.matchAll(REMINDER)].map(({ 0: word, index }) => ({
    path,
    line: lineAt(prose, index),
    problem: `says ${word}`,
    remedy: "do it now, or write an issue",
  }));
}

function findSuppressions({ path }: SourceFile, comments: string): readonly Finding[] {
  const forbidden = [...comments.matchAll(FORBIDDEN_SUPPRESSION)].map(({ 0: word, index }) => ({
    path,
    line: lineAt(comments, index),
    problem: `uses ${word}`,
    remedy: "correct the type",
  }));
  const unexplained = UNEXPLAINED_SUPPRESSIONS.flatMap((pattern) =>
    [...comments.matchAll(pattern)].map(({ 0: word, index }) => ({
      path,
      line: lineAt(comments, index),
      problem: `uses ${word} without a reason`,
      remedy: "write the reason beside it",
    })),
  );
  return [...forbidden, ...unexplained];
}
