import { codeOnly, lineAt } from "./source-text.ts";

/** A module name that a TypeScript file imports, and its line. */
export interface ImportSpecifier {
  readonly specifier: string;
  readonly line: number;
}

// Matches text with blanked literals, in which the content of any string is white space.
const IMPORT = /(?<![\w$.])(?:from|import\s*\(?|require\s*\()\s*(?<quote>["'`])(?<contents>\s*)\k<quote>/dg;

/** Returns every module a file names: static and side-effect imports, re-exports, and `import()`. */
export function importSpecifiers(text: string): readonly ImportSpecifier[] {
  return [...codeOnly(text).matchAll(IMPORT)].map((match) => {
    const [start, end] = match.indices?.groups?.["contents"] ?? [0, 0];
    return { specifier: text.slice(start, end), line: lineAt(text, start) };
  });
}
