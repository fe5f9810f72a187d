import { OrthantError } from "../error/orthant-error.ts";
import type { FixedCodec } from "./codec.ts";

/** The value of a struct whose fields have these codecs. */
export type StructValue<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends FixedCodec<infer Value> ? Value : never;
};

/** A fixed layout: its codec, its size and the offset of each field. */
export interface Struct<Value> extends FixedCodec<Value> {
  /** Bytes from the start of the struct to each field. */
  readonly offsets: { readonly [Name in keyof Value]: number };
}

/** Declares a fixed layout without gaps, with the fields in the order given. */
export function struct<const Fields extends Record<string, FixedCodec<unknown>>>(
  fields: Fields,
): Struct<StructValue<Fields>> {
  const entries = Object.entries<FixedCodec<unknown>>(fields);
  const offsets: Record<string, number> = {};
  let bytes = 0;
  for (const [name, codec] of entries) {
    offsets[name] = bytes;
    bytes += codec.bytes;
  }
  return {
    bytes,
    offsets: offsets as Struct<StructValue<Fields>>["offsets"],
    write(out, value) {
      for (const [name, codec] of entries) codec.write(out, value[name]);
    },
    read(input) {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of entries) value[name] = codec.read(input);
      return value as StructValue<Fields>;
    },
  };
}

/** Expects fixed ASCII letters, such as a file's magic. Throws `ORT_MAGIC` for other bytes. */
export function magic<const Text extends string>(text: Text): FixedCodec<Text> {
  const expected = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  return {
    bytes: expected.length,
    write(out, value) {
      if (value !== text) throw new OrthantError("ORT_ARGUMENT", `expected ${text}, got ${value}`);
      out.raw(expected);
    },
    read(input) {
      const found = input.view(expected.length);
      if (expected.some((letter, index) => letter !== found[index])) {
        throw input.fail("ORT_MAGIC", `expected ${text}, found ${printable(found)}`);
      }
      return text;
    },
  };
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) =>
    byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${hex(byte)}`,
  ).join("");
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
