import { printable } from "./printable.ts";

/** Invisible letters and signs, with which a name could look empty or like another one. */
const FILLERS: ReadonlySet<string> = new Set(
  "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0",
);

/**
 * Returns why a name may not be shown to others, or `undefined`. It must not contain characters that
 * `printable` escapes, which terminals, logs and pages act on, nor invisible fillers. An empty name means no
 * name and is fine.
 */
export function nameFault(name: string): string | undefined {
  const found = [...name].find((character) => printable(character) !== character || FILLERS.has(character));
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `the name has the character U+${code}, which is not shown: control characters, direction marks and invisible fillers may not be in it`;
}
