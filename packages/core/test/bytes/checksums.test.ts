import { crc8, crc32 } from "@orthant/core/bytes";
import { portableCrc32 } from "@orthant/core/internal";
import { fromHex, Prng } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const ascii = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe.each([
  ["crc32", crc32],
  ["portableCrc32", portableCrc32],
])("%s", (_name, checksum) => {
  test.each<[input: string, crc: number]>([
    ["", 0],
    ["a", 0xe8b7be43],
    ["123456789", 0xcbf43926],
    ["The quick brown fox jumps over the lazy dog", 0x414fa339],
  ])("[B23] the checksum of %j is the published value", (input, crc) => {
    expect(checksum(ascii(input))).toBe(crc);
  });

  test("[B23] continues from an earlier result", () => {
    const bytes = ascii("The quick brown fox jumps over the lazy dog");
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(checksum(bytes.subarray(cut), checksum(bytes.subarray(0, cut)))).toBe(0x414fa339);
    }
  });
});

test("[B23] the portable checksum equals the platform's on every length and alignment", () => {
  const bytes = new Prng(1).bytes(400);
  for (let start = 0; start < 20; start++) {
    for (let end = start; end <= bytes.length; end += 1 + (end % 7)) {
      const part = bytes.subarray(start, end);
      expect(portableCrc32(part), `${start} to ${end}`).toBe(crc32(part));
    }
  }
});

test("[B24] crc8 returns the published value and those of real page entries", () => {
  expect(crc8(ascii("123456789"))).toBe(0xf4);
  expect(crc8(fromHex("f9ffffff f7ffffff 4400000000000000 00000000 00"))).toBe(0xd3);
  expect(crc8(fromHex("00000000 00000000 4400000000000000 09000000 01"))).toBe(0xd9);
  expect(crc8(new Uint8Array(21))).toBe(0);
});
