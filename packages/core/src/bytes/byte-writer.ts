import { wrongArgument } from "../error/orthant-error.ts";
import {
  I32_MAX,
  I32_MIN,
  I64_MAX,
  I64_MIN,
  requireBigint,
  requireInteger,
  requireLittleEndian,
  U8_MAX,
  U16_MAX,
  U32_MAX,
  U64_MAX,
  VARINT_BYTES_MAX,
  VARU16_BYTES_MAX,
  zigzag,
} from "./integers.ts";

import { encodeUtf8, isShortAscii } from "./utf8.ts";

requireLittleEndian();

const INITIAL_BYTES = 256;
/** Up to this many numbers, writing each is faster than making a view of them. */
const FEW = 16;
/** Up to this many bytes, copying each is faster than making a view of them. */
const SHORT_BYTES = 64;

/** Writes the base encoding into a growing buffer. Each value has exactly one encoding. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  /** `capacity` is an estimate of the final size; the buffer grows when needed. */
  constructor(capacity: number = INITIAL_BYTES) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Returns the bytes written from `start` on, as a view that is valid until the next write or `clear`. */
  view(start = 0): Uint8Array {
    requireInteger(start, 0, this.#length);
    return this.#bytes.subarray(start, this.#length);
  }

  /** Returns a copy of the written bytes. */
  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Discards the written bytes and keeps the buffer for reuse. */
  clear(): void {
    this.#length = 0;
  }

  u8(value: number): void {
    requireInteger(value, 0, U8_MAX);
    const start = this.#grow(1);
    this.#view.setUint8(start, value);
  }

  i8(value: number): void {
    requireInteger(value, -0x80, 0x7f);
    const start = this.#grow(1);
    this.#view.setInt8(start, value);
  }

  u16(value: number): void {
    requireInteger(value, 0, U16_MAX);
    const start = this.#grow(2);
    this.#view.setUint16(start, value, true);
  }

  u32(value: number): void {
    requireInteger(value, 0, U32_MAX);
    const start = this.#grow(4);
    this.#view.setUint32(start, value, true);
  }

  i32(value: number): void {
    requireInteger(value, I32_MIN, I32_MAX);
    const start = this.#grow(4);
    this.#view.setInt32(start, value, true);
  }

  u64(value: bigint): void {
    requireBigint(value, 0n, U64_MAX);
    const start = this.#grow(8);
    this.#view.setBigUint64(start, value, true);
  }

  /** Writes a safe integer in eight bytes. */
  u64Number(value: number): void {
    requireInteger(value, 0, Number.MAX_SAFE_INTEGER);
    const start = this.#grow(8);
    this.#view.setUint32(start, value % 0x1_0000_0000, true);
    this.#view.setUint32(start + 4, Math.floor(value / 0x1_0000_0000), true);
  }

  /** Writes the nearest 32-bit float. NaN is always 7fc00000. */
  f32(value: number): void {
    requireNumber(value);
    const start = this.#grow(4);
    if (Number.isNaN(value)) this.#view.setUint32(start, 0x7fc0_0000, true);
    else this.#view.setFloat32(start, value, true);
  }

  /** Writes a 64-bit float. NaN is always 7ff8000000000000. */
  f64(value: number): void {
    requireNumber(value);
    const start = this.#grow(8);
    if (Number.isNaN(value)) this.#view.setBigUint64(start, 0x7ff8_0000_0000_0000n, true);
    else this.#view.setFloat64(start, value, true);
  }

  bool(value: boolean): void {
    if (typeof value !== "boolean") throw wrongArgument("the value", value, "it is true or false");
    const start = this.#grow(1);
    this.#view.setUint8(start, value ? 1 : 0);
  }

  /** Writes the number of an enum variant, below `count`. */
  tag(value: number, count: number): void {
    requireInteger(value, 0, count - 1);
    this.#varint(value);
  }

  varU16(value: number): void {
    requireInteger(value, 0, U16_MAX);
    this.#varint(value);
  }

  varU32(value: number): void {
    requireInteger(value, 0, U32_MAX);
    this.#varint(value);
  }

  /** Writes a safe integer as an unsigned 64-bit varint. */
  varUint(value: number): void {
    requireInteger(value, 0, Number.MAX_SAFE_INTEGER);
    this.#varint(value);
  }

  varU64(value: bigint): void {
    requireBigint(value, 0n, U64_MAX);
    if (value <= Number.MAX_SAFE_INTEGER) this.#varint(Number(value));
    else this.#varint64(Number(value & 0xffff_ffffn), Number(value >> 32n));
  }

  varI16(value: number): void {
    requireInteger(value, -0x8000, 0x7fff);
    this.#varint(zigzag(value));
  }

  varI32(value: number): void {
    requireInteger(value, I32_MIN, I32_MAX);
    this.#varint(zigzag(value));
  }

  /** Writes a safe integer as a signed 64-bit varint. */
  varInt(value: number): void {
    requireInteger(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
    const doubled = zigzag(value);
    if (doubled <= Number.MAX_SAFE_INTEGER) this.#varint(doubled);
    else this.varI64(BigInt(value));
  }

  varI64(value: bigint): void {
    requireBigint(value, I64_MIN, I64_MAX);
    this.varU64(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  }

  /** Writes the bytes without a length. */
  raw(bytes: Uint8Array): void {
    requireBytes(bytes);
    const start = this.#grow(bytes.length);
    this.#bytes.set(bytes, start);
  }

  /** Writes the bytes that another writer has written, without a length. */
  written(other: ByteWriter): void {
    if (!(other instanceof ByteWriter)) throw wrongArgument("the writer", other, "it is a ByteWriter");
    const length = other.#length;
    const start = this.#grow(length);
    if (length > SHORT_BYTES) this.#bytes.set(other.view(), start);
    else for (let at = 0; at < length; at++) this.#bytes[start + at] = other.#bytes[at] as number;
  }

  /** Writes a varint length, at most `limit`, then the bytes. */
  bytes(bytes: Uint8Array, limit: number = U32_MAX): void {
    requireBytes(bytes);
    requireInteger(bytes.length, 0, limit);
    this.#varint(bytes.length);
    this.raw(bytes);
  }

  /** Writes a varint length in bytes, at most `limit`, then UTF-8. */
  string(text: string, limit: number = U32_MAX): void {
    if (typeof text !== "string") throw wrongArgument("the text", text, "it is a string");
    if (!isShortAscii(text)) {
      this.bytes(encodeUtf8(text), limit);
      return;
    }
    requireInteger(text.length, 0, limit);
    this.#varint(text.length);
    const start = this.#grow(text.length);
    for (let index = 0; index < text.length; index++)
      this.#view.setUint8(start + index, text.charCodeAt(index));
  }

  /** Writes two bytes per value, without a length. */
  u16Array(values: Uint16Array): void {
    if (values.length <= FEW) for (const value of values) this.u16(value);
    else this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Writes four bytes per value, without a length. */
  u32Array(values: Uint32Array): void {
    this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Writes eight bytes per value, without a length. */
  u64Array(values: BigUint64Array): void {
    this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Writes one varint per value, without a length. */
  varU16Array(values: Uint16Array): void {
    this.#reserve(values.length * VARU16_BYTES_MAX);
    // Works on locals, as all changes of chunks pass through this loop.
    const bytes = this.#bytes;
    let end = this.#length;
    for (let index = 0; index < values.length; index++) {
      let rest = values[index] as number;
      for (; rest > 0x7f; rest >>>= 7) bytes[end++] = (rest & 0x7f) | 0x80;
      bytes[end++] = rest;
    }
    this.#length = end;
  }

  /** Writes one varint per value, without a length. */
  varU64Array(values: BigUint64Array): void {
    const halves = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
    this.#reserve(values.length * VARINT_BYTES_MAX);
    // Most saved and sent data passes through this loop, so it works on locals.
    const bytes = this.#bytes;
    let end = this.#length;
    for (let index = 0; index < halves.length; index += 2) {
      let low = halves[index] ?? 0;
      for (let high = halves[index + 1] ?? 0; high > 0; high >>>= 7) {
        bytes[end++] = (low & 0x7f) | 0x80;
        low = ((low >>> 7) | (high << 25)) >>> 0;
      }
      for (; low > 0x7f; low >>>= 7) bytes[end++] = (low & 0x7f) | 0x80;
      bytes[end++] = low;
    }
    this.#length = end;
  }

  #varint(value: number): void {
    this.#reserve(VARINT_BYTES_MAX);
    let rest = value;
    // Divide instead of shifting while the value exceeds 32 bits.
    while (rest > U32_MAX) {
      this.#view.setUint8(this.#length++, (rest % 128) | 0x80);
      rest = Math.floor(rest / 128);
    }
    while (rest > 0x7f) {
      this.#view.setUint8(this.#length++, (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    this.#view.setUint8(this.#length++, rest);
  }

  #varint64(low32: number, high32: number): void {
    this.#reserve(VARINT_BYTES_MAX);
    let low = low32;
    let high = high32;
    while (high > 0) {
      this.#view.setUint8(this.#length++, (low & 0x7f) | 0x80);
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    this.#varint(low);
  }

  /** Reserves `bytes` more, counts them as written and returns their offset. May replace the buffer. */
  #grow(bytes: number): number {
    this.#reserve(bytes);
    const start = this.#length;
    this.#length = start + bytes;
    return start;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + bytes));
    grown.set(this.view());
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function requireNumber(value: number): void {
  if (typeof value !== "number") throw wrongArgument("the value", value, "it is a number");
}

function requireBytes(bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) throw wrongArgument("the bytes", bytes, "they are a Uint8Array");
}
