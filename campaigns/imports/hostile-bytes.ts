import type { Prng } from "@orthant/testkit";
import { mutate } from "../fuzz/fuzz-batch.ts";

const COUNTS = [0, 1, 2, 3, 127, 128, 255, 256, 4_095, 4_096, 32_767, 65_535, 65_536, 2 ** 24, 2 ** 31 - 1];
/** Longest input that a repetition makes. */
const STRETCHED_BYTES_MAX = 24_576;
/** Heads of lists and compounds of NBT that hold one of their kind. */
const NESTED = [
  [9, 0, 0, 0, 1],
  [10, 0, 0],
  [9, 0, 0, 9, 0, 0, 0, 1],
] as const;

/**
 * Returns hostile bytes that keep more of a sample's structure than `mutate`: counts that lie, in both orders of bytes,
 * parts that repeat thousands of times, tags in tags, and two samples in one.
 */
export function hostileBytes(samples: readonly Uint8Array[], prng: Prng): Uint8Array {
  if (prng.chance(0.4)) return mutate(samples, prng);
  let bytes = prng.pick(samples);
  for (let changes = prng.between(1, 3); changes > 0; changes--) {
    if (prng.chance(0.7)) bytes = withCount(bytes, prng);
    else if (prng.chance(0.8)) bytes = spliced(bytes, prng.pick(samples), prng);
    else bytes = prng.chance(0.5) ? stretched(bytes, prng) : nested(bytes, prng);
  }
  return bytes;
}

function withCount(bytes: Uint8Array, prng: Prng): Uint8Array {
  const copy = bytes.slice();
  const width = prng.pick([1, 2, 4] as const);
  if (copy.length < width) return copy;
  const at = prng.below(copy.length - width + 1);
  const view = new DataView(copy.buffer);
  const isLittle = prng.chance(0.5);
  const edge = prng.chance(0.5) ? prng.pick(COUNTS) : copy.length - at + prng.between(-4, 4);
  const value = prng.chance(0.2) ? -edge : edge;
  if (width === 1) view.setUint8(at, value);
  else if (width === 2) view.setUint16(at, value, isLittle);
  else view.setUint32(at, value, isLittle);
  return copy;
}

function spliced(first: Uint8Array, second: Uint8Array, prng: Prng): Uint8Array {
  const start = first.subarray(0, prng.below(first.length + 1));
  return joinBytes([start, second.subarray(prng.below(second.length + 1))]);
}

/** Repeats a part as often as fits. */
function stretched(bytes: Uint8Array, prng: Prng): Uint8Array {
  const from = prng.below(bytes.length + 1);
  const part = bytes.subarray(from, from + prng.between(1, 24));
  if (part.length === 0) return bytes;
  const room = STRETCHED_BYTES_MAX - bytes.length;
  const times = Math.max(0, Math.floor(room / part.length / prng.between(1, 64)));
  return joinBytes([
    bytes.subarray(0, from),
    ...new Array<Uint8Array>(times).fill(part),
    bytes.subarray(from),
  ]);
}

function nested(bytes: Uint8Array, prng: Prng): Uint8Array {
  const from = prng.below(bytes.length + 1);
  const head = Uint8Array.from(prng.pick(NESTED));
  return joinBytes([
    bytes.subarray(0, from),
    ...new Array<Uint8Array>(prng.pick([10, 511, 513, 8_000])).fill(head),
    bytes.subarray(from),
  ]);
}

/** Returns all parts in one. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    result.set(part, end);
    end += part.length;
  }
  return result;
}
