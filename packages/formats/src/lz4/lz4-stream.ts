import { OrthantError } from "@orthant/core";
import { joinBytes } from "@orthant/core/bytes";
import { lz4Decompress } from "@orthant/pixel-world/lz4";

const MAGIC = "LZ4Block";
/** Magic, a token, and three little-endian ints: compressed bytes, bytes, checksum. */
const HEADER_BYTES = 21;
const METHOD_RAW = 0x10;
const METHOD_LZ4 = 0x20;

/**
 * Decompresses a stream of lz4-java, as compression type 4 has it: blocks up to an empty one. Its checksums are those
 * of xxHash, and not compared; damage shows in lengths and in NBT. Produces at most `bytesMax` bytes.
 */
export function readLz4Stream(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pieces: Uint8Array[] = [];
  let total = 0;
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes.length - offset < HEADER_BYTES) throw fault("a header of a block is cut", offset);
    const magic = String.fromCharCode(...bytes.subarray(offset, offset + MAGIC.length));
    if (magic !== MAGIC) throw fault(`${JSON.stringify(magic)} where ${MAGIC} has to be`, offset);
    const method = (bytes[offset + 8] as number) & 0xf0;
    const stored = view.getInt32(offset + 9, true);
    const length = view.getInt32(offset + 13, true);
    const start = offset + HEADER_BYTES;
    if (length === 0) break;
    if (stored <= 0 || length < 0 || stored > bytes.length - start) {
      throw fault(`a block of ${stored} bytes, ${bytes.length - start} are left`, offset);
    }
    if (length > bytesMax - total) {
      throw new OrthantError("ORT_LIMIT", `more than ${bytesMax} bytes come out of compressed ones`, {
        offset,
      });
    }
    const block = bytes.subarray(start, start + stored);
    pieces.push(method === METHOD_LZ4 ? lz4Decompress(block, length) : plain(block, length, method, offset));
    total += length;
    offset = start + stored;
  }
  return joinBytes(pieces);
}

function plain(block: Uint8Array, length: number, method: number, offset: number): Uint8Array {
  if (method === METHOD_RAW && block.length === length) return block;
  throw fault(`a block of method ${method} with ${block.length} bytes for ${length}`, offset);
}

function fault(detail: string, offset: number): OrthantError {
  return new OrthantError("ORT_LZ4", detail, { offset });
}
