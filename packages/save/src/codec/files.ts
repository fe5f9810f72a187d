import { OrthantError } from "@orthant/core";
import { ByteWriter, type Codec, crc32, decode, encode, type Struct, U32_MAX } from "@orthant/core/bytes";
import { atFile, decodeAt } from "@orthant/disk/files";
import { DATA_FOLDER, FILE_VERSION, INDEX_FOLDER, type PayloadHeader } from "./layout.ts";

/** The files of one generation, relative to the save's root. */
export interface GenerationFiles {
  readonly indexFile: string;
  readonly globalFile: string;
  readonly playersFile: string;
}

/** The parts of a page's name. */
interface PageName {
  /** Generation that wrote it. */
  readonly generation: number;
  readonly number: number;
}

const GENERATION_NAME =
  /^(?:(?<index>index\/ix-main\.g\d{16}\.v4ix)|(?<global>global\.g\d{16}\.v4g)|(?<players>players\.g\d{16}\.v4p))$/;
const GENERATION_DIGITS = /\.g(\d{16})\./;
const PAGE_NAME = /^index\/ix-(\d{6,10})\.g(\d{16})\.v4ix$/;
const PACK_NAME = /^data\/dt-(\d{6,10})\.v4dt$/;

/** Returns the file names of a generation, whose number is written in 16 decimal digits. */
export function generationFiles(generation: number): GenerationFiles {
  const digits = digitsOf(generation);
  return {
    indexFile: `${INDEX_FOLDER}/ix-main.g${digits}.v4ix`,
    globalFile: `global.g${digits}.v4g`,
    playersFile: `players.g${digits}.v4p`,
  };
}

/** Returns the generation and kind of file that a path names; `undefined` for any other path. */
export function parseGenerationFile(
  path: string,
): { readonly generation: number; readonly kind: keyof GenerationFiles } | undefined {
  const { groups } = GENERATION_NAME.exec(path) ?? {};
  if (groups === undefined) return undefined;
  const generation = Number(GENERATION_DIGITS.exec(path)?.[1]);
  if (!Number.isSafeInteger(generation)) return undefined;
  const kind = groups["index"] ? "indexFile" : groups["global"] ? "globalFile" : "playersFile";
  return { generation, kind };
}

/** Returns the path of an index page other than the root. Numbers start at 1 and have at least six digits. */
export function pageFile({ generation, number }: PageName): string {
  return `${INDEX_FOLDER}/ix-${String(number).padStart(6, "0")}.g${digitsOf(generation)}.v4ix`;
}

/** Returns the page that a path names; `undefined` for any other path. */
export function parsePageFile(path: string): PageName | undefined {
  const [, number, generation] = PAGE_NAME.exec(path) ?? [];
  const page = { number: Number(number), generation: Number(generation) };
  const isPage = page.number >= 1 && page.number <= U32_MAX && Number.isSafeInteger(page.generation);
  return isPage && pageFile(page) === path ? page : undefined;
}

/** Returns the path of a pack. Ids start at 1 and have at least six digits. */
export function packFile(packId: number): string {
  return `${DATA_FOLDER}/dt-${String(packId).padStart(6, "0")}.v4dt`;
}

/** Returns the id of the pack that a path names; `undefined` for any other path. */
export function parsePackFile(path: string): number | undefined {
  const id = Number(PACK_NAME.exec(path)?.[1]);
  return id >= 1 && id <= U32_MAX && packFile(id) === path ? id : undefined;
}

function digitsOf(generation: number): string {
  return String(generation).padStart(16, "0");
}

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
