import type { Prng } from "@orthant/testkit";

/** The error of rubbish that throws when it is read. A function may pass it on to its caller. */
export class RubbishError extends Error {
  override readonly name = "RubbishError";
}

/** A class of no package. */
class Unknown {
  readonly min = [0, 0, 0];
  readonly max = [1, 1, 1];
}

const LONG_LENGTH = 100_000;
const NUMBERS: readonly number[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  0,
  0.5,
  -1,
  1,
  -1.5,
  255,
  256,
  65_535,
  65_536,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 40,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 53),
  1e300,
  5e-324,
  0.1,
];
const BIGINTS: readonly bigint[] = [0n, 1n, -1n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 200n];
const TEXTS: readonly string[] = [
  "",
  "a",
  "0",
  "7",
  "-1",
  "1,2,3",
  "null",
  "__proto__",
  "constructor",
  "\u0000",
  "line\nbreak",
  "\ud800",
  "\udc00 tail",
  "\u202egnirts",
  "日本語 🚀",
  "../elsewhere",
  "x".repeat(65),
  "y".repeat(LONG_LENGTH),
];

/** Makers of everything that is neither a number, a bigint nor a text. */
const OTHERS: readonly ((prng: Prng) => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => false,
  () => Symbol("rubbish"),
  () => Symbol.iterator,
  () => () => undefined,
  () => async () => 1,
  () => ({}),
  () => [],
  () => Object.create(null) as unknown,
  () => Object.freeze({ min: Object.freeze([0, 0, 0]), max: Object.freeze([1, 1, 1]) }),
  () => new Unknown(),
  () => new Date(0),
  () => new Date(Number.NaN),
  () => new Map([["min", 1]]),
  () => new Set([1]),
  () => /rubbish/,
  () => new Error("a value, not a failure"),
  () => new Number(3),
  () => new String("text"),
  () => Object(1n) as unknown,
  () => [undefined],
  () => [null, null, null],
  () => [0, 0],
  () => [0, 0, 0],
  () => [0, 0, 0, 0],
  () => [0, 0, 0, 3],
  () => [0, 0, 0, 0, 0],
  () => ["0", "0", "0"],
  () => [0n, 0n, 0n],
  () => new Array<number>(3),
  () => new Array<number>(2 ** 32 - 1),
  () => [[[[[[]]]]]],
  (prng) => new Array<unknown>(prng.between(10, 5_000)).fill(0),
  () => new Uint8Array(4),
  () => new Uint8Array(LONG_LENGTH),
  () => new Uint16Array([1, 2, 3]),
  () => new Int32Array([1, 2, 3]),
  () => new Float64Array([0.5, Number.NaN, 2]),
  () => new BigUint64Array([1n, 2n, 3n]),
  () => new DataView(new ArrayBuffer(8)),
  () => new ArrayBuffer(16),
  () => new SharedArrayBuffer(16),
  () => Promise.resolve(1),
  () => new WeakMap(),
  () => ({ length: 3, 0: 0, 1: 0, 2: 0 }),
  () => ({ length: 2 ** 53 }),
  () => ({ unit: "voxels", min: [0, 0, 0], max: [1, 1, 1] }),
  () => ({ unit: "chunks", min: [0, 0, 0], max: [1, 1, 1] }),
  () => ({ min: [0, 0, 0, 0], max: [1, 1, 1, 1] }),
  () => ({ toString: 6, valueOf: 7, constructor: 8 }),
  () => JSON.parse('{"__proto__": {"isPlayer": true}}') as unknown,
  cyclic,
  cyclicList,
  throwingGetters,
  throwingProxy,
  () => new Proxy({}, {}),
  () => new Proxy([0, 0, 0], {}),
  unprintable,
];

/** Returns a value of any kind that JavaScript has. Mostly it is of no use to the function that gets it. */
export function rubbish(prng: Prng): unknown {
  switch (prng.below(5)) {
    case 0:
      return prng.pick(NUMBERS);
    case 1:
      return prng.chance(0.5) ? prng.pick(BIGINTS) : prng.pick(TEXTS);
    default:
      return prng.pick(OTHERS)(prng);
  }
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { name: "cyclic" };
  value["itself"] = value;
  value["min"] = value;
  return value;
}

function cyclicList(): unknown {
  const list: unknown[] = [];
  list.push(list, list, list);
  return list;
}

/** An object whose fields throw when they are read, whatever they are called. */
function throwingGetters(): unknown {
  const names = ["min", "max", "position", "block", "length", "name", "id", "kind", "unit", "dimensions"];
  const value = {};
  for (const name of names) Object.defineProperty(value, name, { get: fail, enumerable: true });
  return value;
}

function throwingProxy(): unknown {
  return new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail });
}

/** An object that cannot be turned into a text. */
function unprintable(): unknown {
  const toText = (): never => fail();
  return { toString: toText, valueOf: toText, toJSON: toText, [Symbol.toPrimitive]: toText };
}

function fail(): never {
  throw new RubbishError("this value throws when it is read");
}
