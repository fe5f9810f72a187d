import { type Check, withMethods } from "../arguments/options.ts";
import { copyBytes } from "../bytes/plain-bytes.ts";
import { VOXEL_DATA_BYTES_MAX } from "../chunk/voxel-data.ts";
import { OrthantError, wrongArgument } from "../error/orthant-error.ts";
import { decodePlainValue, encodePlainValue, PLAIN_VALUE_HEAD_BYTES } from "./plain-value.ts";

/**
 * Turns the data that a game hangs on voxels into bytes, and back. All programs that open a world or join it need the same
 * one. Default: JSON, and bytes as they are.
 *
 * @example
 * const signs: DataCodec = {
 *   encode: (text) => new TextEncoder().encode(String(text)),
 *   decode: (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
 * };
 */
export interface DataCodec {
  /** Returns the bytes of a value. Throws for a value that it cannot write. */
  encode(value: unknown): Uint8Array;
  /** Returns the value of bytes. Throws for bytes that it did not write: a server then rejects the edit. */
  decode(bytes: Uint8Array): unknown;
}

/** Data without a codec of the game's own: JSON, and bytes as they are. */
export const PLAIN_DATA: DataCodec = {
  encode: (value) => encodePlainValue("the data", value),
  decode(bytes) {
    const found = decodePlainValue(bytes);
    if (found !== undefined) return found.value;
    throw new OrthantError(
      "ORT_VOXEL_DATA",
      "the data of a voxel is neither JSON nor bytes: open the world with the dataCodec that wrote it",
    );
  },
};

/** Returns `value` if it is a codec for data. */
export const requireDataCodec: Check<DataCodec> = withMethods(
  "it is { encode, decode }, two functions",
  "encode",
  "decode",
);

/**
 * Returns the bytes of a voxel's new data, and `undefined` and `null` as they are. Throws `ORT_ARGUMENT` for a value that
 * the codec cannot write, and `ORT_LIMIT` for too many bytes. `name` is what errors call it.
 */
export function encodeData(codec: DataCodec, name: string, value: unknown): Uint8Array | null | undefined {
  if (value === undefined || value === null) return value;
  const isPlain = codec === PLAIN_DATA;
  const bytes: unknown = isPlain ? encodePlainValue(name, value) : codec.encode(value);
  if (!(bytes instanceof Uint8Array)) {
    throw wrongArgument(`what dataCodec.encode returned for ${name}`, bytes, "it is a Uint8Array");
  }
  const length = bytes.length - (isPlain ? PLAIN_VALUE_HEAD_BYTES : 0);
  if (length <= VOXEL_DATA_BYTES_MAX) return copyBytes(bytes);
  throw new OrthantError(
    "ORT_LIMIT",
    `${name} has ${length} bytes, which exceed the limit of ${VOXEL_DATA_BYTES_MAX} for a voxel`,
  );
}

/** Returns the bytes that `setData` sets, `null` to remove what is there. */
export function encodeSetData(codec: DataCodec, value: unknown): Uint8Array | null {
  const bytes = encodeData(codec, "data", value);
  if (bytes === undefined) throw wrongArgument("data", value, "null removes the data of a voxel");
  return bytes;
}

/** Returns the value of a voxel's data, `undefined` if it has none. Throws what the codec throws. */
export function decodeData(codec: DataCodec, bytes: Uint8Array | undefined): unknown {
  return bytes && codec.decode(bytes.slice());
}

/** Like {@link decodeData}, but returns a copy of the bytes where the codec throws. */
export function publicData(codec: DataCodec, bytes: Uint8Array | undefined): unknown {
  try {
    return decodeData(codec, bytes);
  } catch {
    // A listener that looks at an edit needs to see the rest of it.
    return bytes?.slice();
  }
}
