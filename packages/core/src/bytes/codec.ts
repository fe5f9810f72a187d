import { wrongArgument } from "../error/orthant-error.ts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";

/** Writes and reads one kind of value. `read` accepts exactly what `write` produces. */
export interface Codec<Value> {
  /** Appends the value's only encoding. Throws `ORT_ARGUMENT` for a value that has none. */
  write(out: ByteWriter, value: Value): void;
  /** Reads one value from the input. Throws an `OrthantError` for anything that `write` cannot produce. */
  read(input: ByteReader): Value;
}

/** A codec whose values all take the same number of bytes. */
export interface FixedCodec<Value> extends Codec<Value> {
  readonly bytes: number;
}

/** Encodes one value into a new byte array. */
export function encode<Value>(codec: Codec<Value>, value: Value): Uint8Array {
  requireCodec(codec);
  const out = new ByteWriter();
  codec.write(out, value);
  return out.copy();
}

/** Decodes bytes that hold exactly one value. Throws `ORT_TRAILING_BYTES` for leftover bytes. */
export function decode<Value>(codec: Codec<Value>, bytes: Uint8Array): Value {
  requireCodec(codec);
  const input = new ByteReader(bytes);
  const value = codec.read(input);
  input.end();
  return value;
}

/**
 * Decodes bytes written by a foreign program: accepts padded varints, any NaN and trailing bytes. Only for
 * importers of foreign dialects, since two inputs may decode to the same value.
 */
export function decodeForeign<Value>(codec: Codec<Value>, bytes: Uint8Array): Value {
  requireCodec(codec);
  return codec.read(new ByteReader(bytes, { dialect: "foreign" }));
}

function requireCodec(codec: unknown): void {
  const { write, read } = (typeof codec === "object" ? (codec ?? {}) : {}) as Partial<Codec<unknown>>;
  if (typeof write === "function" && typeof read === "function") return;
  throw wrongArgument("codec", codec, "it has the methods write and read");
}
