import { printable } from "./printable.ts";

/** Letters and signs that show nothing, by which a name could look empty or like another one. */
const FILLERS: ReadonlySet<string> = new Set(
  "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0",
);

/**
 * Why a name may not be shown to others; `undefined` when it may. Refused are the characters that `printable` escapes,
 * which terminals, logs and pages act on, and fillers that show nothing. An empty name is no name, and fine.
 */
export function nameFault(name: string): string | undefined {
  const found = [...name].find((character) => printable(character) !== character || FILLERS.has(character));
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `the name has the character U+${code}, which is not shown: control characters, direction marks and invisible fillers may not be in it`;
}
