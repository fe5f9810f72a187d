import { OrthantError } from "@orthant/core";

/** Returns `ORT_DEFLATE` for bytes that no writer of Zstandard makes. */
export function zstdDamage(detail: string): OrthantError {
  return new OrthantError("ORT_DEFLATE", `damaged Zstandard: ${detail}`);
}

/** Reads bits from the end of a stretch of bytes to its start, as Zstandard stores them. */
export class BackwardBits {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  #left: number;

  /** The highest bit of the last byte that is set marks the end. */
  constructor(bytes: Uint8Array, start: number, end: number) {
    const last = end > start ? (bytes[end - 1] ?? 0) : 0;
    if (last === 0) throw zstdDamage("a stream of bits without an end");
    this.#bytes = bytes;
    this.#start = start;
    this.#left = (end - start) * 8 - Math.clz32(last << 24) - 1;
  }

  /** Bits that are not read yet. */
  get left(): number {
    return this.#left;
  }

  /** Reads up to 31 bits. */
  read(count: number): number {
    if (count > 24) return this.read(count - 16) * 65_536 + this.read(16);
    if (count > this.#left) throw zstdDamage("a stream of bits that is cut");
    this.#left -= count;
    return this.#at(this.#left, count);
  }

  /** Returns the next bits without reading them; behind the end there are zeros. */
  peek(count: number): number {
    const missing = count - this.#left;
    return missing <= 0 ? this.#at(this.#left - count, count) : this.#at(0, this.#left) << missing;
  }

  /** Skips bits that {@link peek} has returned. */
  skip(count: number): void {
    if (count > this.#left) throw zstdDamage("a stream of bits that is cut");
    this.#left -= count;
  }

  #at(bit: number, count: number): number {
    const offset = this.#start + (bit >>> 3);
    const bytes = this.#bytes;
    const word =
      (bytes[offset] ?? 0) |
      ((bytes[offset + 1] ?? 0) << 8) |
      ((bytes[offset + 2] ?? 0) << 16) |
      ((bytes[offset + 3] ?? 0) << 24);
    return (word >>> (bit & 7)) & (2 ** count - 1);
  }
}
