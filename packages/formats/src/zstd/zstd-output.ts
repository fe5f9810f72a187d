import { OrthantError } from "@orthant/core";
import { zstdDamage } from "./backward-bits.ts";

const ROOM_BYTES_MIN = 16_384;

/** The bytes of a frame, with a limit. Grows as they come, so that a size that is only stated costs nothing. */
export class ZstdOutput {
  readonly #bytesMax: number;
  /** All bytes so far are at the start of it. */
  bytes: Uint8Array;
  length = 0;

  constructor(expected: number | undefined, bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.bytes = new Uint8Array(Math.min(expected ?? ROOM_BYTES_MIN, ROOM_BYTES_MIN, bytesMax));
  }

  append(more: Uint8Array): void {
    const { length } = this;
    this.#grow(more.length);
    this.bytes.set(more, length);
  }

  repeat(byte: number, count: number): void {
    const { length } = this;
    this.#grow(count);
    this.bytes.fill(byte, length, this.length);
  }

  /** Repeats earlier bytes, which may run into the copied ones. */
  copy(distance: number, count: number): void {
    const { length } = this;
    if (distance < 1 || distance > length)
      throw zstdDamage(`a distance of ${distance} after ${length} bytes`);
    this.#grow(count);
    const start = length - distance;
    // Each copy repeats all that is there since the start, so that a long run takes few of them.
    for (let done = 0; done < count; ) {
      const more = Math.min(distance + done, count - done);
      this.bytes.copyWithin(length + done, start, start + more);
      done += more;
    }
  }

  /** Makes room for more bytes. Throws `ORT_LIMIT` for too many. */
  #grow(count: number): void {
    const length = this.length + count;
    if (length > this.#bytesMax) throw tooLong(this.#bytesMax);
    if (length > this.bytes.length) {
      const wider = new Uint8Array(Math.min(Math.max(length, this.bytes.length * 2), this.#bytesMax));
      wider.set(this.bytes.subarray(0, this.length));
      this.bytes = wider;
    }
    this.length = length;
  }
}

/** Returns `ORT_LIMIT` for compressed bytes of which too many come out. */
export function tooLong(bytesMax: number): OrthantError {
  return new OrthantError("ORT_LIMIT", `more than ${bytesMax} bytes come out of compressed ones`);
}
