import type { ErrorCode } from "../error/error-codes.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { fastVarint64 } from "./fast-varint.ts";
import { U16_MAX, U32_MAX, VARINT_BYTES_MAX } from "./integers.ts";
import { requireLittleEndian } from "./little-endian.ts";
import { decodeUtf8 } from "./utf8.ts";
import { unzigzag } from "./zigzag.ts";

requireLittleEndian();

/** `strict` accepts one encoding a value; `foreign` also takes padded varints and NaNs of any bits. */
export type Dialect = "strict" | "foreign";

/** How a {@link ByteReader} reads, and where its bytes come from. */
export interface ByteReaderOptions {
  readonly dialect?: Dialect;
  /** Where the first byte lies in its file or message; error offsets count from there. */
  readonly origin?: number;
}

/** Reads the base encoding from bytes that may be hostile. Rules B1 to B19 in docs/formats/base-encoding.md. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #foreign: boolean;
  readonly #origin: number;
  #offset = 0;
  #low32 = 0;
  #high32 = 0;

  constructor(bytes: Uint8Array, { dialect = "strict", origin = 0 }: ByteReaderOptions = {}) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#foreign = dialect === "foreign";
    this.#origin = origin;
  }

  /** How strictly it reads. */
  get dialect(): Dialect {
    return this.#foreign ? "foreign" : "strict";
  }

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  /** Bytes not read yet. */
  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  /** An error at the current place, for a codec to throw. */
  fail(code: ErrorCode, detail: string): OrthantError {
    return this.#failAt(this.#offset, code, detail);
  }

  /** Throws `ORT_TRAILING_BYTES` unless every byte has been read. */
  end(): void {
    if (this.remaining > 0) throw this.fail("ORT_TRAILING_BYTES", `${this.remaining} bytes left over`);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  i8(): number {
    return this.#view.getInt8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  /** Eight bytes as a number; `ORT_UNSAFE_INTEGER` above 2^53 - 1. */
  u64Number(): number {
    const start = this.#take(8);
    const value = this.#view.getUint32(start, true) + this.#view.getUint32(start + 4, true) * 0x1_0000_0000;
    if (value > Number.MAX_SAFE_INTEGER) {
      throw this.#failAt(
        start,
        "ORT_UNSAFE_INTEGER",
        `${this.#view.getBigUint64(start, true)} is above 2^53 - 1`,
      );
    }
    return value;
  }

  f32(): number {
    const start = this.#take(4);
    const value = this.#view.getFloat32(start, true);
    if (Number.isNaN(value) && this.#view.getUint32(start, true) !== 0x7fc0_0000 && !this.#foreign) {
      throw this.#failAt(start, "ORT_NAN", "a 32-bit NaN other than 7fc00000");
    }
    return value;
  }

  f64(): number {
    const start = this.#take(8);
    const value = this.#view.getFloat64(start, true);
    if (
      Number.isNaN(value) &&
      this.#view.getBigUint64(start, true) !== 0x7ff8_0000_0000_0000n &&
      !this.#foreign
    ) {
      throw this.#failAt(start, "ORT_NAN", "a 64-bit NaN other than 7ff8000000000000");
    }
    return value;
  }

  /** One byte, 0 or 1; anything else is `ORT_TAG`. */
  bool(): boolean {
    const start = this.#take(1);
    const byte = this.#view.getUint8(start);
    if (byte > 1) throw this.#failAt(start, "ORT_TAG", `byte ${byte} where 0 or 1 may be`);
    return byte === 1;
  }

  /** The number of an enum variant, a varint below `count`. */
  tag(count: number): number {
    const start = this.#offset;
    const value = this.#varint(U32_MAX);
    if (value >= count) throw this.#failAt(start, "ORT_TAG", `tag ${value} where ${count} are known`);
    return value;
  }

  varU16(): number {
    return this.#varint(U16_MAX);
  }

  varU32(): number {
    return this.#varint(U32_MAX);
  }

  /** An unsigned 64-bit varint as a number; `ORT_UNSAFE_INTEGER` above 2^53 - 1. */
  varUint(): number {
    return this.#varint(Number.MAX_SAFE_INTEGER);
  }

  /** An unsigned 64-bit varint. */
  varU64(): bigint {
    this.#varint64();
    return this.#high32 === 0 ? BigInt(this.#low32) : (BigInt(this.#high32) << 32n) | BigInt(this.#low32);
  }

  varI16(): number {
    return unzigzag(this.#varint(U16_MAX));
  }

  varI32(): number {
    return unzigzag(this.#varint(U32_MAX));
  }

  /** A signed 64-bit varint as a number; `ORT_UNSAFE_INTEGER` beyond plus or minus 2^53 - 1. */
  varInt(): number {
    const start = this.#offset;
    if (this.#varintBytes(start) <= 7) return unzigzag(this.#varint(Number.MAX_SAFE_INTEGER));
    const value = Number(this.varI64());
    if (Number.isSafeInteger(value)) return value;
    throw this.#failAt(start, "ORT_UNSAFE_INTEGER", "a varint beyond plus or minus 2^53 - 1");
  }

  /** A signed 64-bit varint. */
  varI64(): bigint {
    const value = this.varU64();
    return (value >> 1n) ^ -(value & 1n);
  }

  /** The next `length` bytes as a view of the input, not a copy. */
  view(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A reader over exactly the next `length` bytes, so that a bad length inside cannot reach its neighbour. */
  within(length: number): ByteReader {
    const start = this.#offset;
    return new ByteReader(this.view(length), {
      dialect: this.#foreign ? "foreign" : "strict",
      origin: this.#origin + start,
    });
  }

  /** A varint length, at most `limit`, then that many bytes, copied. */
  bytes(limit: number = U32_MAX): Uint8Array {
    return this.view(this.#length(limit)).slice();
  }

  /** A varint length in bytes, at most `limit`, then UTF-8. */
  string(limit: number = U32_MAX): string {
    const length = this.#length(limit);
    const start = this.#take(length);
    const text = decodeUtf8(this.#bytes, start, length);
    if (text === undefined) throw this.#failAt(start, "ORT_UTF8", `${length} bytes that are not UTF-8`);
    return text;
  }

  /** A varint count, at most `limit`, of items that take at least one byte each. */
  count(limit: number): number {
    const start = this.#offset;
    const count = this.#varint(Number.MAX_SAFE_INTEGER);
    if (count > limit) throw this.#failAt(start, "ORT_LIMIT", `${count} items where at most ${limit} may be`);
    if (count > this.remaining) {
      throw this.#failAt(start, "ORT_TRUNCATED", `${count} items in ${this.remaining} bytes`);
    }
    return count;
  }

  /** `length` 16-bit values, two bytes each. */
  u16Array(length: number): Uint16Array {
    return new Uint16Array(this.#takeBuffer(length * 2));
  }

  /** `length` 32-bit values, four bytes each. */
  u32Array(length: number): Uint32Array {
    return new Uint32Array(this.#takeBuffer(length * 4));
  }

  /** `length` 64-bit values, eight bytes each. */
  u64Array(length: number): BigUint64Array {
    return new BigUint64Array(this.#takeBuffer(length * 8));
  }

  /** `length` 16-bit values, each a varint. */
  varU16Array(length: number): Uint16Array {
    this.#need(length);
    const values = new Uint16Array(length);
    for (let index = 0; index < length; index++) values[index] = this.#varint(U16_MAX);
    return values;
  }

  /** `length` 64-bit values, each a varint. */
  varU64Array(length: number): BigUint64Array {
    this.#need(length);
    const values = new BigUint64Array(length);
    // Filled through its 32-bit halves: a bigint an element would cost an allocation each.
    this.varU64Halves(new Uint32Array(values.buffer), length);
    return values;
  }

  /** `length` 64-bit values, each a varint, into an array of the caller's own: low half, high half. */
  varU64Halves(halves: Uint32Array, length: number): void {
    this.#need(length);
    const view = this.#view;
    // From here on a varint of ten bytes might reach beyond the end.
    const fastEnd = this.#bytes.length - VARINT_BYTES_MAX;
    let offset = this.#offset;
    for (let index = 0; index < length; index++) {
      const bytes = offset <= fastEnd ? fastVarint64(view, offset, halves, index * 2) : 0;
      offset += bytes;
      if (bytes > 0) continue;
      // Near the end, or a varint that is padded or too large: the careful way, which says what is wrong.
      this.#offset = offset;
      this.#varint64();
      halves[index * 2] = this.#low32;
      halves[index * 2 + 1] = this.#high32;
      offset = this.#offset;
    }
    this.#offset = offset;
  }

  /** What was read since an offset, as a view of the input, not a copy. */
  since(offset: number): Uint8Array {
    return this.#bytes.subarray(offset, this.#offset);
  }

  #length(limit: number): number {
    const start = this.#offset;
    const length = this.#varint(Number.MAX_SAFE_INTEGER);
    if (length > limit)
      throw this.#failAt(start, "ORT_LIMIT", `${length} bytes where at most ${limit} may be`);
    return length;
  }

  /** A varint of at most `max`, which is a safe integer. */
  #varint(max: number): number {
    const start = this.#offset;
    let value = 0;
    // Multiplying instead of shifting: a shift would cut at 32 bits. Values past 2^53 round, and stay past it.
    let scale = 1;
    const end = Math.min(this.#bytes.length, start + VARINT_BYTES_MAX);
    for (let offset = start; offset < end; offset++) {
      const byte = this.#view.getUint8(offset);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (value > max || (byte === 0 && offset > start)) this.#refuseVarint(start, value, max);
        this.#offset = offset + 1;
        return value;
      }
      scale *= 128;
    }
    this.#varintBytes(start); // throws: the varint is cut, or too long
    return value;
  }

  /** A varint of up to 64 bits, left in `#low32` and `#high32`. */
  #varint64(): void {
    const start = this.#offset;
    const bytes = this.#varintBytes(start);
    let low = 0; // bits 0 to 27
    let middle = 0; // bits 28 to 55
    let high = 0; // bits 56 to 63, and what is too much
    for (let index = Math.min(bytes, 4) - 1; index >= 0; index--)
      low = (low << 7) | this.#group(start + index);
    for (let index = Math.min(bytes, 8) - 1; index >= 4; index--) {
      middle = (middle << 7) | this.#group(start + index);
    }
    for (let index = bytes - 1; index >= 8; index--) high = (high << 7) | this.#group(start + index);
    if (high > 0xff) throw this.#failAt(start, "ORT_VARINT_RANGE", "a varint of more than 64 bits");
    this.#offset = start + bytes;
    this.#low32 = (low | (middle << 28)) >>> 0;
    this.#high32 = ((middle >>> 4) | (high << 24)) >>> 0;
  }

  /** Finds the end of the varint at `start` and refuses one that is cut, too long or padded. */
  #varintBytes(start: number): number {
    const available = this.#bytes.length - start;
    let bytes = 1;
    while (true) {
      if (bytes > available)
        throw this.#failAt(start, "ORT_TRUNCATED", `a varint cut after ${available} bytes`);
      const byte = this.#view.getUint8(start + bytes - 1);
      if (byte < 0x80) {
        if (byte === 0 && bytes > 1 && !this.#foreign) {
          throw this.#failAt(start, "ORT_VARINT_PADDED", `a varint padded to ${bytes} bytes`);
        }
        return bytes;
      }
      if (bytes === VARINT_BYTES_MAX) {
        throw this.#failAt(start, "ORT_VARINT_RANGE", `a varint of more than ${VARINT_BYTES_MAX} bytes`);
      }
      bytes++;
    }
  }

  #group(offset: number): number {
    return this.#view.getUint8(offset) & 0x7f;
  }

  /** Throws what is wrong with a varint that is padded or above `max`; a padded one passes in a foreign dialect. */
  #refuseVarint(start: number, value: number, max: number): void {
    const bytes = this.#varintBytes(start);
    if (value <= max) return;
    // A 64-bit field may hold more than a number can; a narrower one, or more than 64 bits, is just wrong.
    const fits64Bits = bytes < VARINT_BYTES_MAX || this.#group(start + bytes - 1) <= 1;
    throw max === Number.MAX_SAFE_INTEGER && fits64Bits
      ? this.#failAt(start, "ORT_UNSAFE_INTEGER", "a varint above 2^53 - 1")
      : this.#failAt(start, "ORT_VARINT_RANGE", `a varint above ${max}`);
  }

  #takeBuffer(bytes: number): ArrayBuffer {
    const start = this.#bytes.byteOffset + this.#take(bytes);
    // A copy: it frees the array from the input's alignment and lifetime.
    return this.#bytes.buffer.slice(start, start + bytes) as ArrayBuffer;
  }

  #take(bytes: number): number {
    this.#need(bytes);
    const start = this.#offset;
    this.#offset = start + bytes;
    return start;
  }

  #need(bytes: number): void {
    if (bytes > this.#bytes.length - this.#offset) {
      throw this.fail("ORT_TRUNCATED", `need ${bytes} bytes, have ${this.remaining}`);
    }
  }

  #failAt(offset: number, code: ErrorCode, detail: string): OrthantError {
    return new OrthantError(code, detail, { offset: this.#origin + offset });
  }
}
