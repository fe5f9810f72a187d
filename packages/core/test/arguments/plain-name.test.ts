import { nameFault, printableName } from "@orthant/core/arguments";
import { describe, expect, test } from "vitest";

describe("nameFault", () => {
  test.each([
    ["an escape sequence", "Ada\u001b[2J", "U+001B"],
    ["NUL", "Ada\0", "U+0000"],
    ["a line feed", "Ada\nBob joined", "U+000A"],
    ["DEL", "Ada\u007f", "U+007F"],
    ["a one-byte control sequence introducer", "Ada\u009b2J", "U+009B"],
    ["a left-to-right mark", "Ada\u200e", "U+200E"],
    ["a right-to-left mark", "Ada\u200f", "U+200F"],
    ["an Arabic letter mark", "Ada\u061c", "U+061C"],
    ["a right-to-left override", "\u202eadA", "U+202E"],
    ["a direction isolate", "\u2066Ada\u2069", "U+2066"],
    ["a line separator", "Ada\u2028", "U+2028"],
    ["a paragraph separator", "Ada\u2029", "U+2029"],
    ["a zero-width space", "A\u200bda", "U+200B"],
    ["a byte order mark", "\ufeffAda", "U+FEFF"],
    ["a tag character", "Ada\u{e0041}", "U+E0041"],
    ["a lone surrogate", "Ada\ud800", "U+D800"],
    ["a Hangul filler", "\u3164", "U+3164"],
    ["a blank of Braille", "\u2800", "U+2800"],
  ])("[N35] rejects %s and names its code point", (_what, name, code) => {
    expect(nameFault(name)).toContain(`the character ${code}, which is not shown`);
  });

  test.each([
    "",
    "Ada",
    "Ada L.",
    "O'Brien <b>",
    "Zoë",
    "世界",
    "мир",
    "עולם",
    "می\u200cخواهم",
    "👩\u200d👧 ❤\ufe0f",
  ])('[N35] allows "%s"', (name) => {
    expect(nameFault(name)).toBeUndefined();
  });
});

describe("printableName", () => {
  test.each([
    ["a\0b", "a\\u0000b"],
    ["\u202eenots", "\\u202eenots"],
    ["\u3164", "\\u3164"],
    ["a\u2800b\ud800", "a\\u2800b\\ud800"],
    ["Zoë 🚀 \u200d", "Zoë 🚀 \u200d"],
  ])("turns %j into a name without a fault", (name, shown) => {
    expect(printableName(name)).toBe(shown);
    expect(nameFault(shown)).toBeUndefined();
    expect(printableName(shown)).toBe(shown);
  });
});
