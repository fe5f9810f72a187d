import { OrthantError } from "@orthant/core";

/** A value of NBT to write: numbers have a type, texts and compounds are what they are. */
export type NbtValue =
  | string
  | { readonly byte: number }
  | { readonly short: number }
  | { readonly int: number }
  | { readonly long: bigint }
  | { readonly double: number }
  | { readonly bytes: Uint8Array }
  | { readonly ints: readonly number[] }
  | { readonly longs: BigInt64Array }
  | { readonly list: readonly NbtValue[] }
  | { readonly fields: NbtFields };

/** Fields of a compound, in the order in which they are written. */
export type NbtFields = Iterable<readonly [name: string, value: NbtValue]>;

const TYPES: ReadonlyMap<string, number> = new Map([
  ["byte", 1],
  ["short", 2],
  ["int", 3],
  ["long", 4],
  ["double", 6],
  ["bytes", 7],
  ["list", 9],
  ["fields", 10],
  ["ints", 11],
  ["longs", 12],
]);
const STRING = 8;
const TEXT_BYTES_MAX = 65_535;
const ROOM_BYTES = 4_096;

/** Writes a file of NBT without compression: a compound without a name. Lists have elements of one type. */
export function writeNbt(fields: NbtFields): Uint8Array {
  const writer = new NbtWriter();
  writer.bytes(Uint8Array.of(10, 0, 0));
  writer.fields(fields);
  return writer.written();
}

/** Returns the number of a value's type. */
export function nbtTypeOf(value: NbtValue): number {
  return typeof value === "string" ? STRING : (TYPES.get(Object.keys(value)[0] ?? "") ?? 0);
}

class NbtWriter {
  #bytes = new Uint8Array(ROOM_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  bytes(bytes: Uint8Array): void {
    const start = this.#grow(bytes.length);
    this.#bytes.set(bytes, start);
  }

  fields(fields: NbtFields): void {
    for (const [name, value] of fields) {
      this.bytes(Uint8Array.of(nbtTypeOf(value)));
      this.#text(name);
      this.#value(value);
    }
    this.bytes(Uint8Array.of(0));
  }

  #value(value: NbtValue): void {
    if (typeof value === "string") this.#text(value);
    else if ("byte" in value) this.bytes(Uint8Array.of(value.byte));
    else if ("short" in value) this.#number(2, (view, at) => view.setUint16(at, value.short & 0xffff));
    else if ("int" in value) this.#int(value.int);
    else if ("long" in value) this.#number(8, (view, at) => view.setBigInt64(at, value.long));
    else if ("double" in value) this.#number(8, (view, at) => view.setFloat64(at, value.double));
    else if ("bytes" in value) {
      this.#int(value.bytes.length);
      this.bytes(value.bytes);
    } else if ("ints" in value) {
      this.#int(value.ints.length);
      for (const int of value.ints) this.#int(int);
    } else if ("longs" in value) {
      this.#int(value.longs.length);
      for (const long of value.longs) this.#number(8, (view, at) => view.setBigInt64(at, long));
    } else if ("list" in value) {
      const [first] = value.list;
      this.bytes(Uint8Array.of(first === undefined ? 0 : nbtTypeOf(first)));
      this.#int(value.list.length);
      for (const element of value.list) this.#value(element);
    } else this.fields(value.fields);
  }

  #int(value: number): void {
    this.#number(4, (view, at) => view.setInt32(at, value));
  }

  /** Java's modified UTF-8: NUL has two bytes, and each half of a character beyond 16 bits three. */
  #text(text: string): void {
    const encoded: number[] = [];
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0 && unit < 0x80) encoded.push(unit);
      else if (unit < 0x800) encoded.push(0xc0 | (unit >>> 6), 0x80 | (unit & 0x3f));
      else encoded.push(0xe0 | (unit >>> 12), 0x80 | ((unit >>> 6) & 0x3f), 0x80 | (unit & 0x3f));
    }
    if (encoded.length > TEXT_BYTES_MAX) {
      throw new OrthantError(
        "ORT_LIMIT",
        `a text of ${encoded.length} bytes; NBT has at most ${TEXT_BYTES_MAX}`,
      );
    }
    this.#number(2, (view, at) => view.setUint16(at, encoded.length));
    this.bytes(Uint8Array.from(encoded));
  }

  #number(bytes: number, set: (view: DataView, offset: number) => void): void {
    const start = this.#grow(bytes);
    set(this.#view, start);
  }

  /** Returns where the next bytes go. */
  #grow(count: number): number {
    const start = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const wider = new Uint8Array(Math.max(this.#length, this.#bytes.length * 2));
      wider.set(this.#bytes);
      this.#bytes = wider;
      this.#view = new DataView(wider.buffer);
    }
    return start;
  }
}
