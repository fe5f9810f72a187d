import { OrthantError } from "@orthant/core";
import {
  ByteWriter,
  type Codec,
  crc32,
  decode,
  encode,
  magic,
  type Struct,
  struct,
  u32,
} from "@orthant/core/bytes";
import { atFile, decodeAt } from "@orthant/disk/files";
import { FILE_VERSION } from "./layout.ts";

/** The 16 bytes before a payload. */
interface PayloadHeader {
  readonly magic: string;
  readonly version: number;
  readonly payloadBytes: number;
  readonly payloadCrc32: number;
}

/** A kind of file that has a 16-byte header and one checksummed payload. Rules S7 and S8. */
export class PayloadFile {
  readonly header: Struct<PayloadHeader>;
  readonly #magic: string;

  constructor(name: string) {
    this.#magic = name;
    this.header = struct({ magic: magic(name), version: u32, payloadBytes: u32, payloadCrc32: u32 });
  }

  /** Encodes a value as the whole file. */
  encode<Value>(codec: Codec<Value>, value: Value): Uint8Array {
    const payload = encode(codec, value);
    const out = new ByteWriter(this.header.bytes + payload.length);
    const payloadCrc32 = crc32(payload);
    this.header.write(out, {
      magic: this.#magic,
      version: FILE_VERSION,
      payloadBytes: payload.length,
      payloadCrc32,
    });
    out.raw(payload);
    return out.copy();
  }

  /** Checks magic, version, exact length and checksum of a file, then decodes its payload. */
  decode<Value>(path: string, codec: Codec<Value>, bytes: Uint8Array): Value {
    return this.decodePayload(path, codec, this.payload(path, bytes));
  }

  /** Returns the checked payload of a file. */
  payload(path: string, bytes: Uint8Array): Uint8Array {
    return atFile({ path }, () => checkedPayload(this.header, bytes));
  }

  /** Decodes a payload that is already checked. */
  decodePayload<Value>(path: string, codec: Codec<Value>, payload: Uint8Array): Value {
    return decodeAt({ path, origin: this.header.bytes }, codec, payload);
  }
}

/** The files `global.*.v4g`. */
export const globalPayloadFile: PayloadFile = new PayloadFile("V4G0");
/** The files `players.*.v4p`. */
export const playersPayloadFile: PayloadFile = new PayloadFile("V4P0");
/** The index of a flat save. */
export const flatIndexPayloadFile: PayloadFile = new PayloadFile("V4IX");

function checkedPayload(header: Struct<PayloadHeader>, bytes: Uint8Array): Uint8Array {
  const { version, payloadBytes, payloadCrc32 } = decode(header, bytes.subarray(0, header.bytes));
  if (version !== FILE_VERSION) {
    const offset = header.offsets.version;
    throw new OrthantError("ORT_VERSION", `unsupported version ${version} (expected ${FILE_VERSION})`, {
      offset,
    });
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
