import { ByteWriter, type Codec, crc32, decode, encode, OrthantError, type Struct } from "@orthant/core";
import { atFile, decodeAt } from "@orthant/disk/files";
import { FILE_VERSION, type PayloadHeader } from "./layout.ts";

/** Encodes a file of a 16-byte header and one checksummed payload. */
export function encodePayloadFile<Magic extends string, Value>(
  header: Struct<PayloadHeader<Magic>>,
  magic: Magic,
  codec: Codec<Value>,
  value: Value,
): Uint8Array {
  const payload = encode(codec, value);
  const out = new ByteWriter(header.bytes + payload.length);
  const payloadCrc32 = crc32(payload);
  header.write(out, { magic, version: FILE_VERSION, payloadBytes: payload.length, payloadCrc32 });
  out.raw(payload);
  return out.copy();
}

/**
 * Decodes such a file: checks magic, version, exact length and checksum, then reads the payload. Rules S7 and
 * S8.
 */
export function decodePayloadFile<Magic extends string, Value>(
  path: string,
  header: Struct<PayloadHeader<Magic>>,
  codec: Codec<Value>,
  bytes: Uint8Array,
): Value {
  return decodeAt({ path, origin: header.bytes }, codec, payloadOfFile(path, header, bytes));
}

/** Returns the checked payload of such a file without decoding it. */
export function payloadOfFile<Magic extends string>(
  path: string,
  header: Struct<PayloadHeader<Magic>>,
  bytes: Uint8Array,
): Uint8Array {
  return atFile({ path }, () => checkedPayload(header, bytes));
}

function checkedPayload<Magic extends string>(
  header: Struct<PayloadHeader<Magic>>,
  bytes: Uint8Array,
): Uint8Array {
  const { version, payloadBytes, payloadCrc32 } = decode(header, bytes.subarray(0, header.bytes));
  if (version !== FILE_VERSION) {
    const offset = header.offsets.version;
    throw new OrthantError("ORT_VERSION", `version ${version}, known is ${FILE_VERSION}`, { offset });
  }
  const payload = bytes.subarray(header.bytes);
  if (payload.length !== payloadBytes) {
    const code = payload.length < payloadBytes ? "ORT_TRUNCATED" : "ORT_TRAILING_BYTES";
    const offset = header.bytes + Math.min(payload.length, payloadBytes);
    throw new OrthantError(code, `${payload.length} bytes of payload, not ${payloadBytes}`, { offset });
  }
  if (crc32(payload) !== payloadCrc32) {
    throw new OrthantError("ORT_CHECKSUM", "the payload is damaged", { offset: header.bytes });
  }
  return payload;
}
