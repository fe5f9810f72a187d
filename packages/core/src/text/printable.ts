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
