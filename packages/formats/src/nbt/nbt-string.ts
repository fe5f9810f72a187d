import { nbtError } from "./nbt-type.ts";

/** Longer strings are rarely the same twice. */
const CACHED_BYTES_MAX = 64;
const SLOTS = 4096;

/** Names and states repeat thousands of times in a file: each slot keeps the last string of its hash. */
const cache: (string | undefined)[] = new Array(SLOTS).fill(undefined);

/** Reads `length` bytes of modified UTF-8, as Java writes it; also accepts plain UTF-8. */
export function readNbtString(bytes: Uint8Array, start: number, length: number): string {
  if (length > CACHED_BYTES_MAX) return decode(bytes, start, start + length);
  let hash = length;
  for (let offset = start; offset < start + length; offset++) {
    hash = (Math.imul(hash, 31) + (bytes[offset] as number)) | 0;
  }
  const slot = (hash ^ (hash >>> 12)) & (SLOTS - 1);
  const cached = cache[slot];
  if (cached !== undefined && isSame(cached, bytes, start, length)) return cached;
  const text = decode(bytes, start, start + length);
  // Only one byte a character is compared.
  if (text.length === length) cache[slot] = text;
  return text;
}

function isSame(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (text.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  const units: number[] = [];
  let text = "";
  for (let offset = start; offset < end; ) {
    const first = bytes[offset] as number;
    const size =
      first < 0x80 ? 1 : first >>> 5 === 6 ? 2 : first >>> 4 === 14 ? 3 : first >>> 3 === 30 ? 4 : 0;
    if (size === 0 || size > end - offset) throw nbtError(`a string with byte ${first}`, offset);
    let point = size === 1 ? first : first & (0x7f >>> size);
    for (let index = 1; index < size; index++) {
      const next = bytes[offset + index] as number;
      if (next >>> 6 !== 2) throw nbtError(`a string with byte ${next} in a character`, offset + index);
      point = (point << 6) | (next & 0x3f);
    }
    if (point > 0x10_ffff) throw nbtError(`a string with character ${point}`, offset);
    if (point > 0xffff) units.push(0xd7c0 + (point >>> 10), 0xdc00 + (point & 0x3ff));
    else units.push(point);
    offset += size;
    if (units.length >= 4096) {
      text += String.fromCharCode(...units);
      units.length = 0;
    }
  }
  return text + String.fromCharCode(...units);
}
