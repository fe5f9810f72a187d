import { OrthantError, wrongArgument } from "../error/orthant-error.ts";

/** Largest value of an unsigned 8-bit field. */
export const U8_MAX = 0xff;
/** Largest value of an unsigned 16-bit field. */
export const U16_MAX = 0xffff;
/** Largest value of an unsigned 32-bit field. */
export const U32_MAX = 0xffff_ffff;
/** Largest value of an unsigned 64-bit field. */
export const U64_MAX = 0xffff_ffff_ffff_ffffn;
/** Smallest value of a signed 32-bit field. */
export const I32_MIN = -0x8000_0000;
/** Largest value of a signed 32-bit field. */
export const I32_MAX = 0x7fff_ffff;
/** Smallest value of a signed 64-bit field. */
export const I64_MIN = -0x8000_0000_0000_0000n;
/** Largest value of a signed 64-bit field. */
export const I64_MAX = 0x7fff_ffff_ffff_ffffn;
/** Maximum length of a varint: ten groups of seven bits hold 64. */
export const VARINT_BYTES_MAX = 10;
/** Length of the longest varint of 16 bits. */
export const VARU16_BYTES_MAX = 3;

/** Throws `ORT_ARGUMENT` unless the value is an integer from `min` to `max`. `field` names it. */
export function requireInteger(value: number, min: number, max: number, field?: string): void {
  if (!Number.isInteger(value) || value < min || value > max) throw outOfRange(value, min, max, field);
}

/** Throws `ORT_ARGUMENT` unless the value is a bigint from `min` to `max`. */
export function requireBigint(value: bigint, min: bigint, max: bigint, field?: string): void {
  // JavaScript compares numbers and strings with bigints, so the range check alone would accept them.
  if (typeof value !== "bigint")
    throw wrongArgument(field ?? "the value", value, `it is a bigint: write ${hintOf(value)}`);
  if (value < min || value > max) throw outOfRange(value, min, max, field);
}

/** Suggests the bigint that a number was meant to be. */
function hintOf(value: unknown): string {
  return Number.isInteger(value) ? `${value}n` : "1n";
}

function outOfRange<Value extends number | bigint>(
  value: Value,
  min: Value,
  max: Value,
  field: string | undefined,
): OrthantError {
  if (field !== undefined || (typeof value !== "number" && typeof value !== "bigint")) {
    const wanted = min === max ? `it has to be ${min}` : `it is an integer from ${min} to ${max}`;
    return wrongArgument(field ?? "the value", value, wanted);
  }
  return new OrthantError("ORT_ARGUMENT", `${String(value)} is not an integer from ${min} to ${max}`);
}

/** Throws on a big-endian machine: bulk arrays are copied in memory order. */
export function requireLittleEndian(): void {
  if (new Uint8Array(new Uint16Array([1]).buffer)[0] === 1) return;
  throw new OrthantError(
    "ORT_PLATFORM",
    "Orthant runs on little-endian machines, and this one is big-endian",
  );
}

/** Maps a signed integer to an unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3. Exact up to 2^52 either way. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** The inverse of {@link zigzag}. */
export function unzigzag(value: number): number {
  // Most values fit into 31 bits, where no fraction can arise.
  if (value <= 0x7fff_ffff) return (value >>> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Whether two byte arrays are equal. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}

/** Returns true when both are missing, or both have the same bytes. */
export function optionalBytesEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}
