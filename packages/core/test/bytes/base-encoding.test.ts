import { type ErrorCode, OrthantError } from "@orthant/core";
import {
  ByteReader,
  ByteWriter,
  bool,
  bytes,
  type Codec,
  constant,
  decode,
  decodeForeign,
  encode,
  f32,
  f64,
  i8,
  i32,
  list,
  option,
  record,
  repeated,
  string,
  u8,
  u16,
  u32,
  u64,
  u64Number,
  varI16,
  varI32,
  varI64,
  varInt,
  varU16,
  varU32,
  varU64,
  varUint,
} from "@orthant/core/bytes";
import { codeOf, fromHex, toHex } from "@orthant/testkit";
import { describe, expect, test } from "vitest";

const SAFE_MAX = Number.MAX_SAFE_INTEGER;
const words = list(string(), 100);

/** Expected bytes are worked out by hand from docs/formats/base-encoding.md. */
const samples: readonly [rule: string, name: string, codec: Codec<unknown>, value: unknown, hex: string][] = [
  ["B1", "u8", u8, 255, "ff"],
  ["B1", "i8", i8, -128, "80"],
  ["B1", "u16", u16, 0x1234, "3412"],
  ["B1", "u32", u32, 0xdead_beef, "efbeadde"],
  ["B1", "i32", i32, -2, "feffffff"],
  ["B1", "u64", u64, 0x0102_0304_0506_0708n, "0807060504030201"],
  ["B1", "u64 as a number", u64Number, SAFE_MAX, "ffffffffffff1f00"],
  ["B2", "varU16", varU16, 300, "ac02"],
  ["B2", "varU32", varU32, 0xffff_ffff, "ffffffff0f"],
  ["B2", "varUint", varUint, SAFE_MAX, "ffffffffffffff0f"],
  ["B2", "varU64", varU64, 0xffff_ffff_ffff_ffffn, "ffffffffffffffffff01"],
  ["B2", "varU64 past 2^53", varU64, 0x20_0000_0000_0001n, "8180808080808010"],
  ["B3", "varI16", varI16, -32768, "ffff03"],
  ["B3", "varI32", varI32, -65, "8101"],
  ["B3", "varInt at its least", varInt, -SAFE_MAX, "fdffffffffffff1f"],
  ["B3", "varInt at its most", varInt, SAFE_MAX, "feffffffffffff1f"],
  ["B3", "varI64", varI64, -0x8000_0000_0000_0000n, "ffffffffffffffffff01"],
  ["B6", "f32", f32, -1.5, "0000c0bf"],
  ["B6", "f32 minus zero", f32, -0, "00000080"],
  ["B6", "f64", f64, 0.1, "9a9999999999b93f"],
  ["B7", "f32 NaN", f32, Number.NaN, "0000c07f"],
  ["B7", "f64 NaN", f64, Number.NaN, "000000000000f87f"],
  ["B8", "bool", bool, true, "01"],
  ["B9", "missing option", option(varU16), undefined, "00"],
  ["B9", "option", option(varU16), 300, "01ac02"],
  ["B11", "bytes", bytes(), fromHex("0102ff"), "030102ff"],
  ["B12", "string", string(), "é漢🙂", "09c3a9e6bca2f09f9982"],
  ["B12", "string that begins with U+FEFF", string(), "\uFEFFa", "04efbbbf61"],
  ["B12", "long string", string(), "a".repeat(200), `c801${"61".repeat(200)}`],
  ["B13", "list", words, ["a", "", "bc"], "030161000262 63".replace(" ", "")],
  ["B14", "array", repeated(varI32, 4), [0, -1, 2, -2147483648], "000104ffffffff0f"],
  [
    "B21",
    "record",
    record({ name: string(), kind: constant("one"), count: u16 }),
    { name: "a", kind: "one", count: 258 },
    "01610201",
  ],
];

describe("the base encoding", () => {
  test.each(samples)("[%s] writes and reads %s", (_rule, _name, codec, value, hex) => {
    expect(toHex(encode(codec, value))).toBe(hex);
    expect(decode(codec, fromHex(hex))).toEqual(value);
  });

  test.each(samples)("[B15] refuses %s %s truncated at every byte", (_rule, _name, codec, _value, hex) => {
    const whole = fromHex(hex);
    for (let length = 0; length < whole.length; length++) {
      expect(
        codeOf(() => decode(codec, whole.subarray(0, length))),
        `${length} bytes`,
      ).toBe("ORT_TRUNCATED");
    }
  });

  test.each(samples)("[B16] refuses %s %s followed by an extra byte", (_rule, _name, codec, _value, hex) => {
    expect(codeOf(() => decode(codec, fromHex(`${hex}00`)))).toBe("ORT_TRAILING_BYTES");
  });

  test.each<[rule: string, name: string, codec: Codec<unknown>, hex: string, code: ErrorCode]>([
    ["B4", "a varint padded by a byte", varU16, "8000", "ORT_VARINT_PADDED"],
    ["B4", "a varint padded to ten bytes", varU64, "80808080808080808000", "ORT_VARINT_PADDED"],
    ["B4", "a padded zigzag varint", varI32, "8100", "ORT_VARINT_PADDED"],
    ["B4", "a padded length", string(), "810061", "ORT_VARINT_PADDED"],
    ["B5", "2^16 as a varU16", varU16, "808004", "ORT_VARINT_RANGE"],
    ["B5", "2^32 as a varU32", varU32, "8080808010", "ORT_VARINT_RANGE"],
    ["B5", "2^15 as a varI16", varI16, "808004", "ORT_VARINT_RANGE"],
    ["B5", "2^31 as a varI32", varI32, "8080808010", "ORT_VARINT_RANGE"],
    ["B5", "2^64 as a varU64", varU64, "80808080808080808002", "ORT_VARINT_RANGE"],
    ["B5", "2^64 as a varUint", varUint, "80808080808080808002", "ORT_VARINT_RANGE"],
    ["B5", "a varint of eleven bytes", varU64, "8080808080808080808100", "ORT_VARINT_RANGE"],
    ["B10", "an enum tag that is padded", list(bool, 1), "8100 01", "ORT_VARINT_PADDED"],
    ["B17", "2^53 as a varUint", varUint, "8080808080808010", "ORT_UNSAFE_INTEGER"],
    ["B17", "2^53 as a varInt", varInt, "8080808080808020", "ORT_UNSAFE_INTEGER"],
    ["B17", "-2^53 as a varInt", varInt, "ffffffffffffff1f", "ORT_UNSAFE_INTEGER"],
    ["B17", "2^53 as a u64 number", u64Number, "0000000000002000", "ORT_UNSAFE_INTEGER"],
    ["B7", "a f32 NaN with other bits", f32, "0100c07f", "ORT_NAN"],
    ["B7", "a negative f32 NaN", f32, "0000c0ff", "ORT_NAN"],
    ["B7", "a f64 NaN with other bits", f64, "010000000000f87f", "ORT_NAN"],
    ["B8", "2 as a bool", bool, "02", "ORT_TAG"],
    ["B9", "2 as an option", option(u8), "0200", "ORT_TAG"],
    ["B12", "bytes that are not UTF-8", string(), "02c328", "ORT_UTF8"],
    ["B12", "half a surrogate pair", string(), "03eda080", "ORT_UTF8"],
    ["B12", "a letter in two bytes", string(), "02c181", "ORT_UTF8"],
    ["B12", "long bytes that are not UTF-8", string(), `40${"61".repeat(63)}ff`, "ORT_UTF8"],
    ["B18", "a string above its limit", string(2), "03616263", "ORT_LIMIT"],
    ["B18", "bytes above their limit", bytes(2), "03616263", "ORT_LIMIT"],
    ["B18", "a list above its limit", list(u8, 2), "03616263", "ORT_LIMIT"],
    ["B15", "a length of 2^53 - 1", bytes(SAFE_MAX), "ffffffffffffff0f 00", "ORT_TRUNCATED"],
    ["B15", "a list of 2^53 - 1", list(u8, SAFE_MAX), "ffffffffffffff0f 00", "ORT_TRUNCATED"],
  ])("[%s] refuses %s", (_rule, _name, codec, hex, code) => {
    expect(codeOf(() => decode(codec, fromHex(hex)))).toBe(code);
  });

  test("copies bytes out of its input, and shows others, as plain arrays, also if the input is a Buffer of Node", () => {
    const input = Buffer.from([2, 7, 8, 9]);
    const reader = new ByteReader(input);
    const copy = reader.bytes(9);
    const view = reader.view(1);
    input.fill(0);
    expect([copy, view]).toEqual([Uint8Array.of(7, 8), Uint8Array.of(0)]);
    expect([copy.constructor, view.constructor]).toEqual([Uint8Array, Uint8Array]);
  });

  test("[B10] reads an enum tag below its count and refuses the count itself", () => {
    expect(new ByteReader(fromHex("06")).tag(7)).toBe(6);
    expect(codeOf(() => new ByteReader(fromHex("07")).tag(7))).toBe("ORT_TAG");
    const out = new ByteWriter();
    out.tag(6, 7);
    expect(toHex(out.view())).toBe("06");
    expect(codeOf(() => out.tag(7, 7))).toBe("ORT_ARGUMENT");
  });

  test("[B19] accepts padded varints, any NaN and trailing bytes only in the foreign dialect", () => {
    expect(decodeForeign(varU16, fromHex("808000 07"))).toBe(0);
    expect(decodeForeign(varInt, fromHex("80808080808080808000"))).toBe(0);
    expect(decodeForeign(string(), fromHex("810061"))).toBe("a");
    expect(decodeForeign(f32, fromHex("0100c07f"))).toBeNaN();
    expect(decodeForeign(f64, fromHex("010000000000f8ff"))).toBeNaN();
    expect(codeOf(() => decodeForeign(varU16, fromHex("808004")))).toBe("ORT_VARINT_RANGE");
    expect(codeOf(() => decodeForeign(bool, fromHex("02")))).toBe("ORT_TAG");
    expect(codeOf(() => decodeForeign(string(), fromHex("02c328")))).toBe("ORT_UTF8");
  });
});

describe("the writer", () => {
  test.each<[name: string, write: (out: ByteWriter) => void]>([
    ["256 as u8", (out) => out.u8(256)],
    ["-1 as u8", (out) => out.u8(-1)],
    ["1.5 as u8", (out) => out.u8(1.5)],
    ["128 as i8", (out) => out.i8(128)],
    ["2^16 as u16", (out) => out.u16(0x1_0000)],
    ["2^32 as u32", (out) => out.u32(0x1_0000_0000)],
    ["2^31 as i32", (out) => out.i32(0x8000_0000)],
    ["2^64 as u64", (out) => out.u64(1n << 64n)],
    ["-1 as u64", (out) => out.u64(-1n)],
    ["2^53 as a u64 number", (out) => out.u64Number(2 ** 53)],
    ["2^16 as varU16", (out) => out.varU16(0x1_0000)],
    ["NaN as varU32", (out) => out.varU32(Number.NaN)],
    ["2^53 as varUint", (out) => out.varUint(2 ** 53)],
    ["2^64 as varU64", (out) => out.varU64(1n << 64n)],
    ["2^15 as varI16", (out) => out.varI16(0x8000)],
    ["-2^31 - 1 as varI32", (out) => out.varI32(-0x8000_0001)],
    ["-2^53 as varInt", (out) => out.varInt(-(2 ** 53))],
    ["2^63 as varI64", (out) => out.varI64(1n << 63n)],
    ["the number 1 as u64", (out) => out.u64(1 as never)],
    ["the number 1 as varU64", (out) => out.varU64(1 as never)],
    ["the text 1 as varI64", (out) => out.varI64("1" as never)],
    ["half a surrogate pair", (out) => out.string("a\uD800b")],
    ["a string above its limit in bytes", (out) => string(3).write(out, "ééé")],
    ["a list above its limit", (out) => list(u8, 1).write(out, [1, 2])],
    ["an array that is too short", (out) => repeated(u8, 2).write(out, [1])],
  ])("refuses %s", (_name, write) => {
    const out = new ByteWriter();
    expect(codeOf(() => write(out))).toBe("ORT_ARGUMENT");
  });

  test("grows past any initial capacity and keeps its contents", () => {
    const out = new ByteWriter(1);
    for (let index = 0; index < 1000; index++) out.u32(index);
    out.f64(0.5);
    out.string("x".repeat(5000));
    const input = new ByteReader(out.view());
    for (let index = 0; index < 1000; index++) expect(input.u32()).toBe(index);
    expect(input.f64()).toBe(0.5);
    expect(input.string()).toHaveLength(5000);
    input.end();
  });

  test("returns a view that the next write may change, and a copy that stays", () => {
    const out = new ByteWriter();
    out.u8(1);
    const view = out.view();
    const copy = out.copy();
    out.clear();
    out.u8(2);
    expect(out.length).toBe(1);
    expect([view[0], copy[0]]).toEqual([2, 1]);
  });
});

describe("a writer after another writer", () => {
  test.each([0, 1, 64, 65, 1_000])("has its %i bytes too, and leaves it alone", (length) => {
    const other = new ByteWriter();
    for (let at = 0; at < length; at++) other.u8(at & 0xff);
    const out = new ByteWriter(4);
    out.u16(0x0201);
    out.written(other);
    expect([...out.copy()]).toEqual([1, 2, ...other.copy()]);
    expect(other.length).toBe(length);
  });

  test("refuses what is not a writer", () => {
    expect(codeOf(() => new ByteWriter().written({} as ByteWriter))).toBe("ORT_ARGUMENT");
  });
});

describe("bulk arrays", () => {
  test("[B20] reads and writes fixed and varint arrays from any alignment", () => {
    const out = new ByteWriter();
    out.u8(7); // everything after it is misaligned
    out.u16Array(Uint16Array.of(1, 0xffff));
    out.u32Array(Uint32Array.of(1, 0xffff_ffff));
    out.u64Array(BigUint64Array.of(1n, 0xffff_ffff_ffff_ffffn));
    out.varU16Array(Uint16Array.of(1, 128, 65535));
    out.varU64Array(BigUint64Array.of(0n, 127n, 128n, 1n << 32n, 1n << 62n, 0xffff_ffff_ffff_ffffn));
    expect(toHex(out.view())).toBe(
      "07" +
        "0100ffff" +
        "01000000ffffffff" +
        "0100000000000000ffffffffffffffff" +
        "018001ffff03" +
        "00" +
        "7f" +
        "8001" +
        "8080808010" +
        "808080808080808040" +
        "ffffffffffffffffff01",
    );
    const input = new ByteReader(out.view());
    expect(input.u8()).toBe(7);
    expect(input.u16Array(2)).toEqual(Uint16Array.of(1, 0xffff));
    expect(input.u32Array(2)).toEqual(Uint32Array.of(1, 0xffff_ffff));
    expect(input.u64Array(2)).toEqual(BigUint64Array.of(1n, 0xffff_ffff_ffff_ffffn));
    expect(input.varU16Array(3)).toEqual(Uint16Array.of(1, 128, 65535));
    expect(input.varU64Array(6)).toEqual(
      BigUint64Array.of(0n, 127n, 128n, 1n << 32n, 1n << 62n, 0xffff_ffff_ffff_ffffn),
    );
    input.end();
  });

  test("[B15] refuses an array that the input cannot hold, before allocating it", () => {
    const input = new ByteReader(new Uint8Array(16));
    const huge = 2 ** 40;
    expect(codeOf(() => input.u16Array(huge))).toBe("ORT_TRUNCATED");
    expect(codeOf(() => input.u32Array(huge))).toBe("ORT_TRUNCATED");
    expect(codeOf(() => input.u64Array(huge))).toBe("ORT_TRUNCATED");
    expect(codeOf(() => input.varU16Array(huge))).toBe("ORT_TRUNCATED");
    expect(codeOf(() => input.varU64Array(huge))).toBe("ORT_TRUNCATED");
    expect(input.remaining).toBe(16);
  });
});

describe("a reader within a reader", () => {
  test("cannot read beyond its part, and reports offsets in the whole input", () => {
    const input = new ByteReader(fromHex("00 01 0500 09"), { origin: 100 });
    input.u8();
    const inner = input.within(2);
    expect(inner.u8()).toBe(1);
    try {
      inner.string();
      expect.unreachable("a string of five bytes cannot lie in none");
    } catch (error) {
      expect(error).toBeInstanceOf(OrthantError);
      expect((error as OrthantError).context).toEqual({ offset: 103 });
      expect((error as OrthantError).message).toBe("ORT_TRUNCATED: need 5 bytes, have 0 (at offset 103)");
    }
    expect(input.u8()).toBe(0);
    expect(input.remaining).toBe(1);
  });
});
