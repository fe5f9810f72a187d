import type { ErrorCode } from "../error/error-codes.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

/** Highest parameter of a Rice code. */
const RICE_PARAMETER_MAX = 15;
/** Bits of a parameter. */
const RICE_PARAMETER_BITS = 4;
/** Highest value of a Rice code. */
export const RICE_VALUE_MAX: number = 2 ** 31 - 1;

/** Appends bits to bytes, the lowest bit of a byte first. Call `end` before anything else is written. */
export class BitWriter {
  readonly #out: ByteWriter;
  #pending = 0;
  #count = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  /** Writes the low `count` bits of a value, at most 16. */
  bits(value: number, count: number): void {
    this.#pending |= value << this.#count;
    this.#count += count;
    while (this.#count >= 8) {
      this.#out.u8(this.#pending & 0xff);
      this.#pending >>>= 8;
      this.#count -= 8;
    }
  }

  /** Writes values from 0 to {@link RICE_VALUE_MAX}: the parameter that suits them, then the Rice code of each. */
  riceList(values: readonly number[]): void {
    const { parameter } = riceCost(values);
    this.bits(parameter, RICE_PARAMETER_BITS);
    for (const value of values) {
      let ones = value >>> parameter;
      for (; ones >= 16; ones -= 16) this.bits(0xffff, 16);
      // The zero that ends them is already there.
      this.bits((1 << ones) - 1, ones + 1);
      this.bits(value & ((1 << parameter) - 1), parameter);
    }
  }

  /** Fills the last byte with zeros. */
  end(): void {
    if (this.#count > 0) this.#out.u8(this.#pending);
    this.#pending = 0;
    this.#count = 0;
  }
}

/** Reads what a {@link BitWriter} has written, from untrusted bytes. */
export class BitReader {
  readonly #input: ByteReader;
  readonly #code: ErrorCode;
  #pending = 0;
  #count = 0;

  /** `code` is that of errors about bits that no writer writes. */
  constructor(input: ByteReader, code: ErrorCode) {
    this.#input = input;
    this.#code = code;
  }

  /** Reads `count` bits, at most 16. */
  bits(count: number): number {
    while (this.#count < count) {
      this.#pending |= this.#input.u8() << this.#count;
      this.#count += 8;
    }
    const value = this.#pending & ((1 << count) - 1);
    this.#pending >>>= count;
    this.#count -= count;
    return value;
  }

  /** Reads `length` values. Throws `ORT_LIMIT` for one that is too large, and an error for another parameter than theirs. */
  riceList(length: number): number[] {
    const parameter = this.bits(RICE_PARAMETER_BITS);
    const scale = 2 ** parameter;
    const onesMax = RICE_VALUE_MAX >>> parameter;
    const values: number[] = [];
    // The sums of the high parts with this parameter, the one before it and the one after it.
    let [own, before, after] = [0, 0, 0];
    // A client reads thousands of these lists in a second: nothing is called for each value.
    let pending = this.#pending;
    let count = this.#count;
    for (let index = 0; index < length; index++) {
      let ones = 0;
      for (let isInside = true; isInside; ) {
        if (count === 0) {
          pending = this.#input.u8();
          count = 8;
        }
        // The ones at the lowest end are the zeros there of the complement.
        const run = Math.min(count, 31 - Math.clz32(~pending & (pending + 1)));
        ones += run;
        if (ones > onesMax) throw this.#input.fail("ORT_LIMIT", `a value above ${RICE_VALUE_MAX}`);
        isInside = run === count;
        pending >>>= isInside ? run : run + 1;
        count -= isInside ? run : run + 1;
      }
      for (; count < parameter; count += 8) pending |= this.#input.u8() << count;
      const value = ones * scale + (pending & (scale - 1));
      pending >>>= parameter;
      count -= parameter;
      values.push(value);
      own += ones;
      before += value >>> (parameter - 1);
      after += value >>> (parameter + 1);
    }
    this.#pending = pending;
    this.#count = count;
    const isRight =
      (parameter === 0 || before > own + length) &&
      (parameter === RICE_PARAMETER_MAX || after + length >= own);
    if (isRight) return values;
    throw this.#input.fail(
      this.#code,
      `parameter ${parameter} of a list that has ${riceCost(values).parameter}`,
    );
  }

  /** Throws an error unless the rest of the last byte is zeros. */
  end(): void {
    if (this.#pending !== 0) throw this.#input.fail(this.#code, "bits behind the last value");
    this.#count = 0;
  }
}

/**
 * Returns the parameter of a list of values, which is the first one that the next one does not improve, and the bits
 * that its codes take: for each value the high part as ones, a zero, and as many low bits as the parameter says.
 */
export function riceCost(values: readonly number[]): { readonly parameter: number; readonly bits: number } {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] as number;
  // What a parameter saves over the one before it only falls, so the search may start anywhere; the mean is near.
  const mean = sum / Math.max(1, values.length);
  let parameter = Math.min(RICE_PARAMETER_MAX, 31 - Math.clz32(Math.max(1, mean)));
  let bits = bitsWith(values, parameter);
  while (parameter > 0) {
    const before = bitsWith(values, parameter - 1);
    if (before > bits) break;
    bits = before;
    parameter--;
  }
  while (parameter < RICE_PARAMETER_MAX) {
    const next = bitsWith(values, parameter + 1);
    if (next >= bits) break;
    bits = next;
    parameter++;
  }
  return { parameter, bits };
}

/** Returns the bits of a list with its parameter. */
export function riceListBits(values: readonly number[]): number {
  return RICE_PARAMETER_BITS + riceCost(values).bits;
}

function bitsWith(values: readonly number[], parameter: number): number {
  let bits = values.length * (parameter + 1);
  for (let index = 0; index < values.length; index++) bits += (values[index] as number) >>> parameter;
  return bits;
}
