import { dataText, encodePlainValue } from "@orthant/core/world";
import { describe, expect, test } from "vitest";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain = (value: unknown): Uint8Array => encodePlainValue("value", value);

describe("data as text", () => {
  test.each<[what: string, data: Uint8Array, shown: string]>([
    ["JSON", plain({ items: ["a sword", 3] }), '{"items":["a sword",3]}'],
    ["a string in JSON", plain("Bäume"), '"Bäume"'],
    ["bytes of the default codec", plain(Uint8Array.of(0, 18, 255)), "0012ff"],
    ["text of another codec", utf8("a sign"), "a sign"],
    ["bytes of another codec", Uint8Array.of(200, 1, 2), "c80102"],
    ["bytes that only begin like JSON", Uint8Array.of(1, 0x7b), "\\u0001{"],
    ["no bytes", new Uint8Array(0), ""],
  ])("shows %s", (_what, data, shown) => {
    expect(dataText(data, 100)).toBe(shown);
  });

  test("escapes what a terminal or a page would act on", () => {
    expect(dataText(plain("\u202e\u001b[2J"), 100)).toBe('"\\u202e\\u001b[2J"');
    expect(dataText(utf8("one\ntwo"), 100)).toBe("one\\u000atwo");
  });

  test.each<[what: string, data: Uint8Array]>([
    ["text", utf8("x".repeat(101))],
    ["text that escapes make longer", utf8("\n".repeat(20))],
    ["bytes", Uint8Array.from({ length: 51 }, () => 200)],
  ])("cuts %s after the asked number of characters and marks the cut", (_what, data) => {
    const shown = dataText(data, 100);
    expect(shown).toHaveLength(101);
    expect(shown.endsWith("…")).toBe(true);
    expect(dataText(data, 1_000).endsWith("…")).toBe(false);
  });

  test("shows the deepest JSON that fits into a voxel", () => {
    const deep = utf8(`${"[".repeat(16_000)}${"]".repeat(16_000)}`);
    const data = new Uint8Array(1 + deep.length);
    data[0] = 1;
    data.set(deep, 1);
    expect(dataText(data, 10)).toBe("[[[[[[[[[[…");
  });
});
