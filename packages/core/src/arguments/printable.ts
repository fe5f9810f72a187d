import { wrongArgument } from "../error/orthant-error.ts";

/**
 * Characters that a terminal, a log or a page may act on instead of showing: controls (C0, DEL, C1), format
 * characters (direction marks and overrides, zero-width spaces, tags), line and paragraph separators, and
 * lone surrogates. The two joiners are allowed: Persian, Hindi and family emoji need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const JOINERS: ReadonlySet<string> = new Set(["\u200c", "\u200d"]);

/**
 * Makes text from a save, a file name or the network safe to print on one line: each character that would not
 * be shown becomes a JSON escape such as `\u001b`. Safe text is returned unchanged, so escaping twice is
 * harmless.
 */
export function printable(text: string): string {
  if (typeof text !== "string") throw wrongArgument("text", text, "it is a string");
  return text.replace(UNPRINTABLE, (character) => (JOINERS.has(character) ? character : escaped(character)));
}

/** Returns one escape for each UTF-16 unit, as JSON writes them. */
function escaped(character: string): string {
  let escapes = "";
  for (let index = 0; index < character.length; index++) {
    escapes += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escapes;
}

/** Invisible letters and signs, with which a name could look empty or like another one. */
const FILLERS: ReadonlySet<string> = new Set(
  "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0",
);

/**
 * Does the same for a name, and also escapes what is invisible in it: the result has no {@link nameFault}. For names from
 * files of other programs, and from worlds of before such names were refused.
 */
export function printableName(name: string): string {
  return [...printable(name)]
    .map((character) => (FILLERS.has(character) ? escaped(character) : character))
    .join("");
}

/**
 * Returns why a name may not be shown to others, or `undefined`. It must not contain characters that
 * `printable` escapes, which terminals, logs and pages act on, nor invisible fillers. An empty name means no
 * name and is fine.
 */
export function nameFault(name: string): string | undefined {
  if (typeof name !== "string") throw wrongArgument("name", name, "it is a string");
  const found = [...name].find((character) => printable(character) !== character || FILLERS.has(character));
  if (found === undefined) return undefined;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `the name has the character U+${code}, which is not shown: control characters, direction marks and invisible fillers may not be in it`;
}
