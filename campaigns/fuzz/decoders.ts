import {
  bool,
  bytes,
  type Codec,
  decode,
  encode,
  f32,
  f64,
  i8,
  i32,
  list,
  magic,
  option,
  repeated,
  string,
  struct,
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
import type { Prng } from "@orthant/testkit";

/** Limits of a decoder that needs more than most. */
export interface TargetLimits {
  /** Bytes that one call may allocate in addition to a multiple of its input. */
  readonly callBytes?: number;
  /** Most CPU time of a batch, where a second is too little. */
  readonly batchMs?: number;
}

/** A decoder under test, with valid inputs to mutate. */
export interface Target extends TargetLimits {
  readonly name: string;
  /** Throws `OrthantError` for bytes that it rejects, or returns a promise that is rejected with one. */
  decode(input: Uint8Array): unknown;
  encode(value: unknown): Uint8Array;
  readonly samples: readonly Uint8Array[];
  /** Makes an input, for formats that need more than mutations of bytes. */
  mutate?(prng: Prng): Uint8Array;
}

/** Limits of a reader of whole worlds, which needs a disk in memory and a promise for each call to it. */
export const WHOLE_WORLD: TargetLimits = { callBytes: 262_144, batchMs: 20_000 };

/** Creates a target that accepts only one encoding of each value. Mutations start from `values`. */
export function strict<Value>(name: string, codec: Codec<Value>, values: readonly Value[]): Target {
  return {
    name,
    decode: (input) => decode(codec, input),
    encode: (value) => encode(codec, value as Value),
    samples: values.map((value) => encode(codec, value)),
  };
}

/** Creates a target that may accept several encodings of one value: a foreign or compressed format. */
export function lenient(
  name: string,
  read: (input: Uint8Array) => unknown,
  samples: readonly Uint8Array[],
  limits: TargetLimits = {},
): Target {
  return {
    name,
    decode(input) {
      const value = read(input);
      return value instanceof Promise ? value.then(() => input) : input;
    },
    encode: (input) => input as Uint8Array,
    samples,
    ...limits,
  };
}

const ITEMS_MAX = 100_000;

const bulkArrays: Codec<{ fixed: Uint16Array; varints: Uint16Array; words: BigUint64Array }> = {
  write(out, { fixed, varints, words }) {
    out.varUint(fixed.length);
    out.u16Array(fixed);
    out.varUint(varints.length);
    out.varU16Array(varints);
    out.varUint(words.length);
    out.varU64Array(words);
  },
  read: (input) => ({
    fixed: input.u16Array(input.varUint()),
    varints: input.varU16Array(input.varUint()),
    words: input.varU64Array(input.varUint()),
  }),
};

const nested: Codec<readonly string[]> = {
  write(out, texts) {
    out.varUint(texts.length);
    for (const text of texts) out.bytes(encode(string(), text));
  },
  read(input) {
    return Array.from({ length: input.count(ITEMS_MAX) }, () => {
      const inner = input.within(input.varUint());
      const text = inner.string();
      inner.end();
      return text;
    });
  },
};

const record = struct({ magic: magic("RECD"), kind: u8, version: u16, length: u32, crc32: u32 });
const sampleRecord = { magic: "RECD", kind: 1, version: 1, length: 9, crc32: 0xdead_beef } as const;

/** All decoders of the base encoding. */
export const targets: readonly Target[] = [
  strict("u8", u8, [0, 255]),
  strict("i8", i8, [-128, 127]),
  strict("bool", bool, [true, false]),
  strict("u16", u16, [0xffff]),
  strict("u32", u32, [0xffff_ffff]),
  strict("i32", i32, [-1]),
  strict("u64", u64, [1n]),
  strict("u64Number", u64Number, [Number.MAX_SAFE_INTEGER]),
  strict("f32", f32, [Number.NaN, -1.5]),
  strict("f64", f64, [Number.NaN, 0.1]),
  strict("varU16", varU16, [0, 128, 65_535]),
  strict("varU32", varU32, [0xffff_ffff]),
  strict("varUint", varUint, [300, Number.MAX_SAFE_INTEGER]),
  strict("varU64", varU64, [0n, 0xffff_ffff_ffff_ffffn]),
  strict("varI16", varI16, [-32_768]),
  strict("varI32", varI32, [-65]),
  strict("varInt", varInt, [Number.MIN_SAFE_INTEGER, 1]),
  strict("varI64", varI64, [-1n, -0x8000_0000_0000_0000n]),
  strict("string", string(4096), ["", "novaria", "é漢🙂 and a longer tail, past the short path"]),
  strict("bytes", bytes(4096), [new Uint8Array(0), new Uint8Array(300)]),
  strict("option", option(varU16), [undefined, 300]),
  strict("list of strings", list(string(), ITEMS_MAX), [["a", "", "bc"], Array<string>(300).fill("")]),
  strict("list of positions", list(repeated(varI32, 4), ITEMS_MAX), [[[0, -1, 2, -2_147_483_648]]]),
  strict("struct", record, [sampleRecord]),
  strict("list of structs", list(record, ITEMS_MAX), [[sampleRecord, sampleRecord]]),
  strict("nested readers", nested, [["abc", ""]]),
  strict("bulk arrays", bulkArrays, [
    { fixed: new Uint16Array(40), varints: Uint16Array.of(1, 128), words: BigUint64Array.of(0n, 1n << 63n) },
  ]),
  strict("enum tag", { write: (out, tag) => out.tag(tag, 200), read: (input) => input.tag(200) }, [6, 199]),
];
