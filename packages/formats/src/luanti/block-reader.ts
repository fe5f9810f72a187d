import { OrthantError } from "@orthant/core";
import { decodeUtf8 } from "@orthant/core/bytes";

/** Reads the big-endian fields of a block, each compared with the bytes that are left. */
export class BlockReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#offset = offset;
  }

  /** All bytes that are not read yet. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#offset);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  /** Returns a view of `length` bytes. */
  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Reads text of `length` bytes; those that are not UTF-8 become one character each. */
  text(length: number): string {
    const bytes = this.bytes(length);
    return decodeUtf8(bytes, 0, length) ?? Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  }

  /** Reads a line of text, and the newline after it. */
  line(): string {
    const end = this.#bytes.indexOf(10, this.#offset);
    if (end < 0) throw new OrthantError("ORT_TRUNCATED", "a line without an end");
    const line = this.text(end - this.#offset);
    this.#offset = end + 1;
    return line;
  }

  #take(length: number): number {
    const start = this.#offset;
    const left = this.#bytes.length - start;
    if (length > left)
      throw new OrthantError("ORT_TRUNCATED", `${length} bytes at ${start}, ${left} are left`);
    this.#offset += length;
    return start;
  }
}
