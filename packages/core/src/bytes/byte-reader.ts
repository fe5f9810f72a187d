import type { ErrorCode } from "../error/error-codes.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { fastVarint64 } from "./fast-varint.ts";
import { requireLittleEndian, U16_MAX, U32_MAX, unzigzag, VARINT_BYTES_MAX } from "./integers.ts";
import { plainBytes } from "./plain-bytes.ts";
import { decodeUtf8 } from "./utf8.ts";

requireLittleEndian();

/** `strict` accepts one encoding per value; `foreign` also accepts padded varints and any NaN. */
export type Dialect = "strict" | "foreign";

/** How a {@link ByteReader} reads, and where its bytes come from. */
export interface ByteReaderOptions {
  readonly dialect?: Dialect;
  /** Position of the first byte in its file or message; error offsets count from there. */
  readonly origin?: number;
}

/** Reads the base encoding from untrusted bytes. Rules B1 to B19 in docs/formats/base-encoding.md. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #foreign: boolean;
  readonly #origin: number;
  #offset = 0;
  #low32 = 0;
  #high32 = 0;

  constructor(bytes: Uint8Array, { dialect = "strict", origin = 0 }: ByteReaderOptions = {}) {
    if (!(bytes instanceof Uint8Array)) throw wrongArgument("bytes", bytes, "it is a Uint8Array");
    this.#bytes = plainBytes(bytes);
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

  /** Returns an error at the current offset, for a codec to throw. */
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

  /** Reads eight bytes as a number. Throws `ORT_UNSAFE_INTEGER` above 2^53 - 1. */
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

  /** Reads one byte, 0 or 1. Throws `ORT_TAG` for any other. */
  bool(): boolean {
    const start = this.#take(1);
    const byte = this.#view.getUint8(start);
    if (byte > 1) throw this.#failAt(start, "ORT_TAG", `byte ${byte}, expected 0 or 1`);
    return byte === 1;
  }

  /** Reads the number of an enum variant, a varint below `count`. */
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

  /** Reads an unsigned 64-bit varint as a number. Throws `ORT_UNSAFE_INTEGER` above 2^53 - 1. */
  varUint(): number {
    return this.#varint(Number.MAX_SAFE_INTEGER);
  }

  /** Reads an unsigned 64-bit varint. */
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

  /** Reads a signed 64-bit varint as a number. Throws `ORT_UNSAFE_INTEGER` beyond ±(2^53 - 1). */
  varInt(): number {
    const start = this.#offset;
    if (this.#varintBytes(start) <= 7) return unzigzag(this.#varint(Number.MAX_SAFE_INTEGER));
    const value = Number(this.varI64());
    if (Number.isSafeInteger(value)) return value;
    throw this.#failAt(start, "ORT_UNSAFE_INTEGER", "a varint beyond plus or minus 2^53 - 1");
  }

  /** Reads a signed 64-bit varint. */
  varI64(): bigint {
    const value = this.varU64();
    return (value >> 1n) ^ -(value & 1n);
  }

  /** Returns the next `length` bytes as a view of the input, not a copy. */
  view(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Passes over `length` bytes. */
  skip(length: number): void {
    this.#take(length);
  }

  /** Returns a reader over exactly the next `length` bytes, so that a bad length inside stays inside. */
  within(length: number): ByteReader {
    const start = this.#offset;
    return new ByteReader(this.view(length), {
      dialect: this.#foreign ? "foreign" : "strict",
      origin: this.#origin + start,
    });
  }

  /** Reads a varint length, at most `limit`, and returns a copy of that many bytes. */
  bytes(limit: number = U32_MAX): Uint8Array {
    return this.view(this.#length(limit)).slice();
  }

  /** Reads a varint length in bytes, at most `limit`, then UTF-8. */
  string(limit: number = U32_MAX): string {
    const length = this.#length(limit);
    const start = this.#take(length);
    const text = decodeUtf8(this.#bytes, start, length);
    if (text === undefined) throw this.#failAt(start, "ORT_UTF8", `${length} bytes that are not UTF-8`);
    return text;
  }

  /** Reads a varint count, at most `limit`, of items of which at most `perByte` fit into a byte. */
  count(limit: number, perByte = 1): number {
    const start = this.#offset;
    const count = this.#varint(Number.MAX_SAFE_INTEGER);
    if (count > limit) throw this.#failAt(start, "ORT_LIMIT", `${count} items, the limit is ${limit}`);
    if (count > this.remaining * perByte) {
      throw this.#failAt(start, "ORT_TRUNCATED", `${count} items in ${this.remaining} bytes`);
    }
    return count;
  }

  /** Reads `length` 16-bit values, two bytes each. */
  u16Array(length: number): Uint16Array {
    return new Uint16Array(this.#takeBuffer(length * 2));
  }

  /** Reads `length` 16-bit values, two bytes each, into the caller's array. */
  u16Into(values: Uint16Array, length: number): void {
    const start = this.#take(length * 2);
    for (let index = 0; index < length; index++) {
      values[index] = this.#view.getUint16(start + index * 2, true);
    }
  }

  /** Reads `length` 32-bit values, four bytes each. */
  u32Array(length: number): Uint32Array {
    return new Uint32Array(this.#takeBuffer(length * 4));
  }

  /** Reads `length` 64-bit values, eight bytes each. */
  u64Array(length: number): BigUint64Array {
    return new BigUint64Array(this.#takeBuffer(length * 8));
  }

  /** Reads `length` 16-bit values, each a varint. */
  varU16Array(length: number): Uint16Array {
    this.#need(length);
    const values = new Uint16Array(length);
    for (let index = 0; index < length; index++) values[index] = this.#varint(U16_MAX);
    return values;
  }

  /** Reads `length` 64-bit values, each a varint. */
  varU64Array(length: number): BigUint64Array {
    this.#need(length);
    const values = new BigUint64Array(length);
    // Filled through its 32-bit halves, since each bigint would cost an allocation.
    this.varU64Halves(new Uint32Array(values.buffer), length);
    return values;
  }

  /** Reads `length` 64-bit values, each a varint, into the caller's array: low half, high half. */
  varU64Halves(halves: Uint32Array, length: number): void {
    this.#need(length);
    const view = this.#view;
    // Past this offset a ten-byte varint might extend beyond the end.
    const fastEnd = this.#bytes.length - VARINT_BYTES_MAX;
    let offset = this.#offset;
    for (let index = 0; index < length; index++) {
      const bytes = offset <= fastEnd ? fastVarint64(view, offset, halves, index * 2) : 0;
      offset += bytes;
      if (bytes > 0) continue;
      // Near the end, or for a padded or too large varint, use the careful path, which reports what is wrong.
      this.#offset = offset;
      this.#varint64();
      halves[index * 2] = this.#low32;
      halves[index * 2 + 1] = this.#high32;
      offset = this.#offset;
    }
    this.#offset = offset;
  }

  /** Returns everything read since `offset` as a view of the input, not a copy. */
  since(offset: number): Uint8Array {
    return this.#bytes.subarray(offset, this.#offset);
  }

  #length(limit: number): number {
    const start = this.#offset;
    const length = this.#varint(Number.MAX_SAFE_INTEGER);
    if (length > limit) throw this.#failAt(start, "ORT_LIMIT", `${length} bytes, the limit is ${limit}`);
    return length;
  }

  /** Reads a varint of at most `max`, a safe integer. */
  #varint(max: number): number {
    const start = this.#offset;
    let value = 0;
    // Multiply instead of shifting, which would truncate to 32 bits. Values above 2^53 round, but stay above
    // it.
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
    this.#varintBytes(start); // throws: the varint is truncated or too long
    return value;
  }

  /** Reads a varint of up to 64 bits into `#low32` and `#high32`. */
  #varint64(): void {
    const start = this.#offset;
    const bytes = this.#varintBytes(start);
    let low = 0; // bits 0 to 27
    let middle = 0; // bits 28 to 55
    let high = 0; // bits 56 to 63, and any excess
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

  /** Returns the length of the varint at `start`. Throws if it is truncated, too long or padded. */
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

  /** Throws for a varint that is padded or above `max`. The foreign dialect accepts a padded one. */
  #refuseVarint(start: number, value: number, max: number): void {
    const bytes = this.#varintBytes(start);
    if (value <= max) return;
    // A 64-bit field may hold more than a number can. In a narrower field, or above 64 bits, the value is
    // invalid.
    const fits64Bits = bytes < VARINT_BYTES_MAX || this.#group(start + bytes - 1) <= 1;
    throw max === Number.MAX_SAFE_INTEGER && fits64Bits
      ? this.#failAt(start, "ORT_UNSAFE_INTEGER", "a varint above 2^53 - 1")
      : this.#failAt(start, "ORT_VARINT_RANGE", `a varint above ${max}`);
  }

  #takeBuffer(bytes: number): ArrayBuffer {
    const start = this.#bytes.byteOffset + this.#take(bytes);
    // A copy, which makes the array independent of the input's alignment and lifetime.
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
