import { decode, encode, magic, struct, u8, u16, u32 } from "@orthant/core/bytes";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const recordHeader = struct({
  magic: magic("RECD"),
  blobType: u8,
  blobVersion: u16,
  payloadBytes: u32,
  crc32: u32,
});
const sample = {
  magic: "RECD",
  blobType: 1,
  blobVersion: 1,
  payloadBytes: 4112,
  crc32: 0xdead_beef,
} as const;
const sampleHex = "52454344 01 0100 10100000 efbeadde".replaceAll(" ", "");

describe("a declared struct", () => {
  test("[B21] lays out its fields one after the other, without gaps", () => {
    expect(recordHeader.bytes).toBe(15);
    expect(recordHeader.offsets).toEqual({
      magic: 0,
      blobType: 4,
      blobVersion: 5,
      payloadBytes: 7,
      crc32: 11,
    });
    expect(toHex(encode(recordHeader, sample))).toBe(sampleHex);
    expect(decode(recordHeader, fromHex(sampleHex))).toEqual(sample);
  });

  test("[B21] can contain another struct", () => {
    const pair = struct({ first: struct({ a: u8, b: u16 }), second: u8 });
    expect(pair.bytes).toBe(4);
    expect(pair.offsets).toEqual({ first: 0, second: 3 });
    expect(decode(pair, fromHex("01020304"))).toEqual({ first: { a: 1, b: 0x0302 }, second: 4 });
  });

  test("[B22] refuses another magic and says what it found", () => {
    const wrong = fromHex(sampleHex.replace("52", "00"));
    expect(codeOf(() => decode(recordHeader, wrong))).toBe("ORT_MAGIC");
    expect(() => decode(recordHeader, wrong)).toThrow("expected RECD, found \\x00ECD");
  });

  test("[B15] is refused when truncated at any byte", () => {
    const whole = fromHex(sampleHex);
    for (let length = 0; length < whole.length; length++) {
      expect(codeOf(() => decode(recordHeader, whole.subarray(0, length)))).toBe("ORT_TRUNCATED");
    }
  });
});
