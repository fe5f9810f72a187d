import { printable } from "@orthant/core/arguments";
import { describe, expect, test } from "vitest";

describe("printable", () => {
  test.each([
    ["an escape sequence", "\u001b[31mred\u001b[0m", "\\u001b[31mred\\u001b[0m"],
    ["NUL, tab, line feed, carriage return and DEL", "\0\t\n\r\u007f", "\\u0000\\u0009\\u000a\\u000d\\u007f"],
    ["a one-byte control sequence introducer", "\u009b2J", "\\u009b2J"],
    ["direction marks and overrides", "a\u200eb\u202ec\u2066d\u061c", "a\\u200eb\\u202ec\\u2066d\\u061c"],
    ["a zero-width space and a byte order mark", "a\u200bb\ufeff", "a\\u200bb\\ufeff"],
    ["line and paragraph separators", "a\u2028b\u2029", "a\\u2028b\\u2029"],
    ["a lone surrogate", "a\ud800b", "a\\ud800b"],
    ["a tag character, which takes two units", "a\u{e0041}", "a\\udb40\\udc41"],
  ])("escapes %s", (_what, text, expected) => {
    expect(printable(text)).toBe(expected);
    expect(printable(expected)).toBe(expected);
    expect(JSON.parse(`"${expected}"`)).toBe(text);
  });

  test.each([
    ["letters of any script", "Zoë 世界 мир עולם"],
    ["emoji joined by a zero-width joiner", "👩\u200d👩\u200d👧"],
    ["a zero-width non-joiner between Persian letters", "می\u200cخواهم"],
    ["quotes and backslashes", 'C:\\worlds\\"mine"'],
  ])("leaves %s as they are", (_what, text) => {
    expect(printable(text)).toBe(text);
  });
});
