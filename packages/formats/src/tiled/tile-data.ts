import { OrthantError } from "@orthant/core";
import { inflateUpTo } from "@orthant/core/bytes";
import { decodeBase64 } from "../format/base64.ts";
import { readZstd } from "../zstd/zstd.ts";

/**
 * Decodes up to `count` global tile numbers: an array, CSV, or base64 of little-endian words. Throws if nothing of them
 * can be read. Compressed ones are stopped at the length that they should have.
 */
export async function readTileNumbers(
  data: unknown,
  encoding: string | undefined,
  compression: string | undefined,
  count: number,
): Promise<Uint32Array> {
  if (Array.isArray(data)) return Uint32Array.from(data.slice(0, count), (value) => wordOf(value));
  if (typeof data !== "string") throw new OrthantError("ORT_FOREIGN", "no data");
  if (encoding === "csv") return readCsv(data, count);
  if (encoding !== "base64") throw new OrthantError("ORT_FOREIGN", `encoding ${JSON.stringify(encoding)}`);
  const bytes = await decompress(fromBase64(data, count), compression, count * 4);
  if (bytes.length % 4 !== 0)
    throw new OrthantError("ORT_FOREIGN", `${bytes.length} bytes are not whole numbers`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: Math.min(count, bytes.length / 4) }, (_, at) =>
    view.getUint32(at * 4, true),
  );
}

function readCsv(text: string, count: number): Uint32Array {
  const trimmed = text.trim();
  return trimmed === ""
    ? new Uint32Array(0)
    : Uint32Array.from(trimmed.split(",", count), (value) => wordOf(Number(value)));
}

/** Numbers have all 32 bits: those of flipped tiles are above 2^31. */
function wordOf(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff
    ? value
    : 0;
}

function decompress(
  bytes: Uint8Array,
  compression: string | undefined,
  bytesMax: number,
): Uint8Array | Promise<Uint8Array> {
  switch (compression) {
    case undefined:
    case "":
      return bytes;
    case "zlib":
    case "gzip":
      return inflateUpTo(bytes, compression, bytesMax);
    case "zstd":
      return readZstd(bytes, bytesMax);
    default:
      throw new OrthantError("ORT_FOREIGN", `compression ${JSON.stringify(compression)}`);
  }
}

/** Compressed data is at most this much longer than plain data. */
const GROWTH_BYTES = 4_096;

function fromBase64(text: string, count: number): Uint8Array {
  const clean = text.replaceAll(/[\s=]+/g, "");
  const length = Math.floor((clean.length * 3) / 4);
  if (length > count * 8 + GROWTH_BYTES) {
    throw new OrthantError("ORT_LIMIT", `${length} bytes of data for ${count} cells`);
  }
  const wrong = /[^A-Za-z0-9+/]/.exec(clean);
  if (wrong !== null)
    throw new OrthantError("ORT_FOREIGN", `character ${JSON.stringify(wrong[0])} in base64`);
  return decodeBase64(clean);
}
