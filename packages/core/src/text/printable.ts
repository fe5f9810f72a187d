/**
 * Characters that a terminal, a log or a page may act on instead of showing: controls (C0, DEL, C1), format characters
 * (direction marks and overrides, zero-width spaces, tags), line and paragraph separators, and lone surrogates. The two
 * joiners stay: Persian, Hindi and family emoji need them.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const JOINERS: ReadonlySet<string> = new Set(["\u200c", "\u200d"]);

/**
 * Text from a save, a file name or the network, safe to print on one line: each character that would not be shown is
 * written as a JSON escape such as `\u001b`. Text that is safe already comes back as it is, so escaping twice is harmless.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => (JOINERS.has(character) ? character : escaped(character)));
}

/** One escape for each UTF-16 unit, as JSON writes them. */
function escaped(character: string): string {
  let escapes = "";
  for (let index = 0; index < character.length; index++) {
    escapes += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escapes;
}
