import { zstdDamage } from "./backward-bits.ts";
import { ZSTD_BLOCK_BYTES_MAX, ZstdBlockReader } from "./zstd-block.ts";
import { tooLong, ZstdOutput } from "./zstd-output.ts";

const MAGIC = 0xfd2f_b528;
const WINDOW_BYTES_MAX = 8_388_608;

/**
 * Decompresses the first frame of Zstandard (RFC 8878) to at most `bytesMax` bytes, in time that grows with the bytes that
 * go in and come out. Checksums are not compared. Throws `ORT_LIMIT` for more, and `ORT_DEFLATE` for damage.
 */
export function readZstd(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const { offset: start, size } = readHead(bytes, bytesMax);
  const output = new ZstdOutput(size, bytesMax);
  const blocks = new ZstdBlockReader(output);
  for (let offset = start; ; ) {
    if (bytes.length - offset < 3) throw zstdDamage("a cut block");
    const head =
      (bytes[offset] as number) |
      ((bytes[offset + 1] as number) << 8) |
      ((bytes[offset + 2] as number) << 16);
    const type = (head >>> 1) & 3;
    const count = head >>> 3;
    offset += 3;
    const end = offset + (type === 1 ? 1 : count);
    if (type === 3) throw zstdDamage("a block of a type that does not exist");
    if (end > bytes.length) throw zstdDamage("a cut block");
    if (count > ZSTD_BLOCK_BYTES_MAX) throw zstdDamage(`a block of ${count} bytes`);
    if (type === 0) output.append(bytes.subarray(offset, end));
    else if (type === 1) output.repeat(bytes[offset] as number, count);
    else blocks.read(bytes, offset, end);
    if ((head & 1) === 1) break;
    offset = end;
  }
  if (size !== undefined && size !== output.length) {
    throw zstdDamage(`${output.length} bytes where its head has ${size}`);
  }
  return output.bytes.subarray(0, output.length);
}

function readHead(
  bytes: Uint8Array,
  bytesMax: number,
): { readonly offset: number; readonly size: number | undefined } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 6 || view.getUint32(0, true) !== MAGIC) throw zstdDamage("no frame of Zstandard");
  const flags = bytes[4] as number;
  const isSingle = (flags & 0x20) !== 0;
  let offset = 5;
  if ((flags & 0x0b) !== 0) throw zstdDamage("a frame that needs a dictionary, or of a newer kind");
  if (!isSingle) {
    const descriptor = bytes[offset++] as number;
    const base = 2 ** (10 + (descriptor >>> 3));
    if (base + (base / 8) * (descriptor & 7) > WINDOW_BYTES_MAX) throw tooLong(WINDOW_BYTES_MAX);
  }
  const sizeBytes = flags >>> 6 === 0 ? (isSingle ? 1 : 0) : 2 ** (flags >>> 6);
  if (bytes.length - offset < sizeBytes) throw zstdDamage("a cut head");
  if (sizeBytes === 0) return { offset, size: undefined };
  let size = sizeBytes === 2 ? 256 : 0;
  for (let at = 0; at < sizeBytes; at++) size += (bytes[offset + at] as number) * 2 ** (8 * at);
  if (size > bytesMax) throw tooLong(bytesMax);
  return { offset: offset + sizeBytes, size };
}
