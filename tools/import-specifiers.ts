import { codeOnly, lineAt } from "./source-text.ts";

/** A module name that a TypeScript file imports, and the line it stands on. */
export interface ImportSpecifier {
  readonly specifier: string;
  readonly line: number;
}

// Runs on text whose literals are blanked, so that the contents of any string are white space.
const IMPORT = /(?<![\w$.])(?:from|import\s*\(?|require\s*\()\s*(?<quote>["'`])(?<contents>\s*)\k<quote>/dg;

/** Every module a file names: static and side-effect imports, re-exports, `import()` in code and in types. */
export function importSpecifiers(text: string): readonly ImportSpecifier[] {
  return [...codeOnly(text).matchAll(IMPORT)].map((match) => {
    const [start, end] = match.indices?.groups?.["contents"] ?? [0, 0];
    return { specifier: text.slice(start, end), line: lineAt(text, start) };
  });
}
