import { OrthantError } from "@orthant/core";
import {
  ByteWriter,
  type Codec,
  crc32,
  decode,
  encode,
  magic,
  record,
  type Struct,
  struct,
  u32,
  varUint,
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

/** Length and checksum of a whole file, as recorded in a file that names it, so that no other file passes for it. */
export interface FileSeal {
  readonly bytes: number;
  readonly crc32: number;
}

/** Codec of a seal in a description. */
export const fileSealCodec: Codec<FileSeal> = record({ bytes: varUint, crc32: u32 });

/** Returns the seal of a file with these bytes. */
export function sealOf(bytes: Uint8Array): FileSeal {
  return { bytes: bytes.length, crc32: crc32(bytes) };
}

/** Throws `ORT_GENERATION` unless a file is the one that its generation means. Without a seal any file passes. */
export function requireSealed(path: string, bytes: Uint8Array, seal: FileSeal | undefined): void {
  if (seal === undefined) return;
  const found = sealOf(bytes);
  if (found.bytes === seal.bytes && found.crc32 === seal.crc32) return;
  const detail =
    `${describeSeal(found)}, but its generation has one with ${describeSeal(seal)}: ` +
    "the file is of another world or of another state of this one";
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

function describeSeal({ bytes, crc32: checksum }: FileSeal): string {
  return `${bytes} bytes and checksum ${checksum.toString(16).padStart(8, "0")}`;
}
