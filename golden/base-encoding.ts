import { deepEqual, equal } from "node:assert/strict";
import { type ErrorCode, isOrthantError } from "@orthant/core";
import {
  bool,
  bytes,
  type Codec,
  decode,
  decodeForeign,
  encode,
  f32,
  f64,
  i8,
  list,
  option,
  repeated,
  string,
  u8,
  varI16,
  varI32,
  varI64,
  varU16,
  varU32,
  varU64,
} from "@orthant/core/bytes";
import { fromHex, toHex } from "@orthant/testkit";
import { type GoldenRow, type GoldenSuite, parseJson, row } from "./suite.ts";

interface PrimitiveRow {
  readonly name?: string;
  readonly type: string;
  readonly value: string;
  readonly hex: string;
}

interface MalformedRow {
  readonly name?: string;
  readonly type: string;
  readonly hex: string;
}

/** A type of the original, and a parser for its values in the original's description. */
interface Primitive {
  readonly codec: Codec<unknown>;
  parse(text: string): unknown;
}

const ROWS_MAX = 1000;
const number = (codec: Codec<number>): Primitive => ({ codec, parse: parseFloatText });
const bigint = (codec: Codec<bigint>): Primitive => ({ codec, parse: BigInt });
const json = (codec: Codec<unknown>): Primitive => ({ codec, parse: JSON.parse });

const POSTCARD: Readonly<Record<string, Primitive>> = {
  u8: number(u8),
  i8: number(i8),
  u16: number(varU16),
  u32: number(varU32),
  u64: bigint(varU64),
  usize: bigint(varU64),
  i16: number(varI16),
  i32: number(varI32),
  i64: bigint(varI64),
  f32: { codec: f32, parse: (text) => Math.fround(parseFloatText(text)) },
  f64: number(f64),
  bool: json(bool),
  String: json(string()),
  "Option<u8>": { codec: option(u8), parse: parseOption },
  "Option<u16>": { codec: option(varU16), parse: parseOption },
  "Vec<u8>": { codec: bytes(), parse: (text) => Uint8Array.from(JSON.parse(text)) },
  "Vec<u16>": json(list(varU16, ROWS_MAX)),
  "[i32; 4]": json(repeated(varI32, 4)),
  "[f32; 4]": json(repeated(f32, 4)),
  "(u8, u16)": {
    codec: {
      write: (out, [first, second]: [number, number]) => {
        out.u8(first);
        out.varU16(second);
      },
      read: (input) => [input.u8(), input.varU16()],
    } satisfies Codec<[number, number]>,
    parse: (text) => JSON.parse(text.replace("(", "[").replace(")", "]")),
  },
  EntityKind: {
    codec: { write: (out, tag: number) => out.tag(tag, 7), read: (input) => input.tag(7) },
    parse: Number,
  },
};

const WIRE: Readonly<Record<string, Primitive>> = {
  varuint: bigint(varU64),
  varint: bigint(varI64),
  string: { codec: string(), parse: (text) => text },
  bytes: { codec: bytes(), parse: (text) => fromHex(text) },
};

/** The strict decoder's expected result for each malformed or non-canonical postcard row. */
const POSTCARD_REFUSALS: Readonly<Record<string, ErrorCode | "accepted">> = {
  "u16 808004": "ORT_VARINT_RANGE",
  "u16 ffff03": "accepted",
  "u16 ffff04": "ORT_VARINT_RANGE",
  "u16 8000": "ORT_VARINT_PADDED",
  "u16 808000": "ORT_VARINT_PADDED",
  "u16 80": "ORT_TRUNCATED",
  "u16 ": "ORT_TRUNCATED",
  "u32 ffffffff0f": "accepted",
  "u32 ffffffff1f": "ORT_VARINT_RANGE",
  "u32 808080808000": "ORT_VARINT_PADDED",
  "u64 ffffffffffffffffffff": "ORT_VARINT_RANGE",
  "u64 ffffffffffffffffff01": "accepted",
  "u64 ffffffffffffffffff02": "ORT_VARINT_RANGE",
  "bool 02": "ORT_TAG",
  "Option<u8> 0200": "ORT_TAG",
  "Option<u8> 01": "ORT_TRUNCATED",
  "Option<u8> 000909": "ORT_TRAILING_BYTES",
  "String 01ff": "ORT_UTF8",
  "String 0561": "ORT_TRUNCATED",
  "EntityKind 06": "accepted",
  "EntityKind 07": "ORT_TAG",
  "u8 0102": "ORT_TRAILING_BYTES",
};

/** The same for the decode rows of Wire v1. */
const WIRE_REFUSALS: Readonly<Record<string, ErrorCode | "accepted">> = {
  empty: "ORT_TRUNCATED",
  truncated_1: "ORT_TRUNCATED",
  truncated_9: "ORT_TRUNCATED",
  overlong_zero_2: "ORT_VARINT_PADDED",
  overlong_one_2: "ORT_VARINT_PADDED",
  overlong_127_3: "ORT_VARINT_PADDED",
  overlong_zero_10_bytes: "ORT_VARINT_PADDED",
  max_u64: "accepted",
  "u64_plus_bit64 (10th byte 02)": "ORT_VARINT_RANGE",
  "10th byte 7f": "ORT_VARINT_RANGE",
  "10th byte continuation 81 then 00": "ORT_VARINT_RANGE",
  "11_bytes_overlong_zero": "ORT_VARINT_RANGE",
  trailing_left_unread: "ORT_TRAILING_BYTES",
  overlong_minus_one: "ORT_VARINT_PADDED",
  int64_min: "accepted",
  "negative_zero_does_not_exist (zigzag 0)": "accepted",
  empty_bytes: "accepted",
  len_exceeds_remaining: "ORT_TRUNCATED",
  len_u64_max: "ORT_UNSAFE_INTEGER",
  overlong_len: "ORT_VARINT_PADDED",
  string_invalid_utf8: "ORT_UTF8",
};

/** Base encoding, compared with what the original programs wrote and accepted. */
export const baseEncodingSuites: readonly GoldenSuite[] = [
  {
    file: "polychora-v3/vectors/postcard-primitives.json",
    check: async (file) => parseJson<PrimitiveRow[]>(file).map((vector) => checkPrimitive(POSTCARD, vector)),
  },
  {
    file: "polychora-v3/vectors/postcard-malformed.json",
    async check(file) {
      const { cases } = parseJson<{ cases: MalformedRow[] }>(file);
      return cases.map((vector) => {
        const name = `${vector.type} ${vector.hex}`;
        return checkRefusal(POSTCARD, vector, name, POSTCARD_REFUSALS[name]);
      });
    },
  },
  {
    file: "wire-v1/vectors.json",
    async check(file) {
      const { primitives, primitive_decode: decodes } = parseJson<{
        primitives: PrimitiveRow[];
        primitive_decode: (MalformedRow & { name: string })[];
      }>(file);
      return [
        ...primitives.map((vector) => checkPrimitive(WIRE, vector)),
        ...decodes.map((vector) => checkRefusal(WIRE, vector, vector.name, WIRE_REFUSALS[vector.name])),
      ];
    },
  },
];

function checkPrimitive(
  types: Readonly<Record<string, Primitive>>,
  { type, value, hex, name }: PrimitiveRow,
): GoldenRow {
  return row(`${type} ${name ?? value}`, () => {
    const { codec, parse } = primitiveOf(types, type);
    const expected = parse(value);
    equal(toHex(encode(codec, expected)), hex);
    deepEqual(decode(codec, fromHex(hex)), expected);
    deepEqual(decodeForeign(codec, fromHex(hex)), expected);
  });
}

function checkRefusal(
  types: Readonly<Record<string, Primitive>>,
  { type, hex }: MalformedRow,
  name: string,
  expected: ErrorCode | "accepted" | undefined,
): GoldenRow {
  return row(`${type} ${name}`, () => {
    const { codec } = primitiveOf(types, type);
    equal(
      verdictOf(() => decode(codec, fromHex(hex))),
      expected,
    );
    if (expected === "accepted") equal(toHex(encode(codec, decode(codec, fromHex(hex)))), hex);
  });
}

function primitiveOf(types: Readonly<Record<string, Primitive>>, type: string): Primitive {
  const primitive = types[type];
  if (primitive === undefined) throw new Error(`no codec for the original's type ${type}`);
  return primitive;
}

function verdictOf(attempt: () => unknown): string {
  try {
    attempt();
    return "accepted";
  } catch (error) {
    return isOrthantError(error) ? error.code : `not an OrthantError: ${String(error)}`;
  }
}

function parseFloatText(text: string): number {
  return text === "inf" ? Infinity : Number(text);
}

function parseOption(text: string): number | undefined {
  return text === "None" ? undefined : Number(/^Some\((.*)\)$/.exec(text)?.[1]);
}
