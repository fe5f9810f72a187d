import { OrthantError } from "@orthant/core";
import { NBT, NBT_BYTES_MIN } from "./nbt-type.ts";
import type { NbtTag } from "./nbt-value.ts";

const TEXT_BYTES_MAX = 65_535;
const ROOM_BYTES = 4_096;

/** How numbers are written. */
const SETTERS = {
  byte: (view: DataView, at: number, value: number) => view.setInt8(at, value),
  short: (view: DataView, at: number, value: number) => view.setInt16(at, value),
  int: (view: DataView, at: number, value: number) => view.setInt32(at, value),
  float: (view: DataView, at: number, value: number) => view.setFloat32(at, value),
  double: (view: DataView, at: number, value: number) => view.setFloat64(at, value),
};

/** Writes a file of NBT without compression: a compound without a name. Lists have elements of one type. */
export function writeNbt(fields: ReadonlyMap<string, NbtTag>): Uint8Array {
  const writer = new NbtWriter();
  writer.bytes(Uint8Array.of(NBT.compound, 0, 0));
  writer.fields(fields);
  return writer.written();
}

/** Returns a compound with these fields, in their order. */
export function compoundTag(fields: Iterable<readonly [name: string, tag: NbtTag]>): NbtTag {
  return { type: "compound", value: new Map(fields) };
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

  fields(fields: ReadonlyMap<string, NbtTag>): void {
    for (const [name, tag] of fields) {
      this.bytes(Uint8Array.of(NBT[tag.type]));
      this.#text(name);
      this.#tag(tag);
    }
    this.bytes(Uint8Array.of(NBT.end));
  }

  #tag(tag: NbtTag): void {
    if (tag.type === "string") this.#text(tag.value);
    else if (tag.type === "compound") this.fields(tag.value);
    else if (tag.type === "list") {
      this.bytes(Uint8Array.of(NBT[tag.value[0]?.type ?? "end"]));
      this.#int(tag.value.length);
      for (const element of tag.value) this.#tag(element);
    } else if (tag.type === "byteArray") {
      this.#int(tag.value.length);
      this.bytes(new Uint8Array(tag.value.buffer, tag.value.byteOffset, tag.value.length));
    } else if (tag.type === "intArray") {
      this.#int(tag.value.length);
      for (const int of tag.value) this.#int(int);
    } else if (tag.type === "longArray") {
      this.#int(tag.value.length);
      for (const long of tag.value) this.#long(long);
    } else if (tag.type === "long") this.#long(tag.value);
    else this.#number(tag.type, (view, at) => SETTERS[tag.type](view, at, tag.value));
  }

  #long(value: bigint): void {
    this.#number("long", (view, at) => view.setBigInt64(at, value));
  }

  #int(value: number): void {
    this.#number("int", (view, at) => view.setInt32(at, value));
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
    this.#number("short", (view, at) => view.setUint16(at, encoded.length));
    this.bytes(Uint8Array.from(encoded));
  }

  #number(type: NbtTag["type"], set: (view: DataView, offset: number) => void): void {
    const start = this.#grow(NBT_BYTES_MIN[NBT[type]] as number);
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
