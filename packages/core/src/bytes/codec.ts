import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";

/** How one kind of value is written and read. `read` accepts exactly what `write` produces. */
export interface Codec<Value> {
  /** Appends the value's only encoding; throws `ORT_ARGUMENT` for a value that has none. */
  write(out: ByteWriter, value: Value): void;
  /** Takes one value from the input; throws an `OrthantError` for anything that `write` cannot produce. */
  read(input: ByteReader): Value;
}

/** A codec whose every value takes the same number of bytes. */
export interface FixedCodec<Value> extends Codec<Value> {
  readonly bytes: number;
}

/** Encodes one value into bytes of its own. */
export function encode<Value>(codec: Codec<Value>, value: Value): Uint8Array {
  const out = new ByteWriter();
  codec.write(out, value);
  return out.copy();
}

/** Decodes bytes that hold exactly one value; leftover bytes are `ORT_TRAILING_BYTES`. */
export function decode<Value>(codec: Codec<Value>, bytes: Uint8Array): Value {
  const input = new ByteReader(bytes);
  const value = codec.read(input);
  input.end();
  return value;
}

/**
 * Decodes what a foreign program wrote: padded varints, NaNs of any bits and trailing bytes are accepted.
 * For importers of foreign dialects alone; two inputs may give the same value.
 */
export function decodeForeign<Value>(codec: Codec<Value>, bytes: Uint8Array): Value {
  return codec.read(new ByteReader(bytes, { dialect: "foreign" }));
}
