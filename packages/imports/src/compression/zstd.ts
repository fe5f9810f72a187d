import { OrthantError } from "@orthant/core";
import { decompress } from "fzstd";

const MAGIC = 0xfd2f_b528;
const WINDOW_BYTES_MAX = 8_388_608;
/** Maximum bytes that one block gives. */
const BLOCK_BYTES_MAX = 131_072;
/** How far the declared sizes may exceed the limit: a block that is shorter than the maximum counts as a full one. */
const SLACK_BYTES = 1_048_576;

/**
 * Decompresses the first frame of Zstandard to at most `bytesMax` bytes. The library has no limits: it is given exactly
 * one frame whose head and blocks promise no more. Throws `ORT_LIMIT` for more, and `ORT_DEFLATE` for damage.
 */
export function readZstd(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const frame = bytes.subarray(0, checkFrame(bytes, bytesMax));
  let output: Uint8Array;
  try {
    output = decompress(frame);
  } catch (cause) {
    // Damage makes the library fail in many ways, with errors of the engine, too.
    throw new OrthantError("ORT_DEFLATE", `damaged Zstandard: ${String(cause)}`, {}, { cause });
  }
  if (output.length > bytesMax) throw tooLong(bytesMax);
  return output;
}

/** Returns where the first frame ends. */
function checkFrame(bytes: Uint8Array, bytesMax: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 6 || view.getUint32(0, true) !== MAGIC) throw damaged("no frame of Zstandard");
  const flags = bytes[4] as number;
  const isSingle = (flags & 0x20) !== 0;
  let offset = 5;
  if ((flags & 0x0b) !== 0) throw damaged("a frame that needs a dictionary, or of a newer kind");
  if (!isSingle) {
    const descriptor = bytes[offset++] as number;
    const base = 2 ** (10 + (descriptor >>> 3));
    if (base + (base / 8) * (descriptor & 7) > WINDOW_BYTES_MAX) throw tooLong(WINDOW_BYTES_MAX);
  }
  const sizeBytes = flags >>> 6 === 0 ? (isSingle ? 1 : 0) : 2 ** (flags >>> 6);
  if (bytes.length - offset < sizeBytes) throw damaged("a cut head");
  if (sizeBytes > 0) {
    let size = sizeBytes === 2 ? 256 : 0;
    for (let at = 0; at < sizeBytes; at++) size += (bytes[offset + at] as number) * 2 ** (8 * at);
    if (size > bytesMax) throw tooLong(bytesMax);
  }
  return checkBlocks(bytes, offset + sizeBytes, bytesMax) + ((flags & 4) === 0 ? 0 : 4);
}

function checkBlocks(bytes: Uint8Array, start: number, bytesMax: number): number {
  let promised = 0;
  for (let offset = start; ; ) {
    if (bytes.length - offset < 3) throw damaged("a cut block");
    const head =
      (bytes[offset] as number) |
      ((bytes[offset + 1] as number) << 8) |
      ((bytes[offset + 2] as number) << 16);
    const type = (head >>> 1) & 3;
    const size = head >>> 3;
    if (type === 3) throw damaged("a block of a type that does not exist");
    promised += type === 2 ? BLOCK_BYTES_MAX : size;
    if (promised > bytesMax + SLACK_BYTES) throw tooLong(bytesMax);
    offset += 3 + (type === 1 ? 1 : size);
    if (offset > bytes.length) throw damaged("a cut block");
    if ((head & 1) === 1) return offset;
  }
}

function damaged(detail: string): OrthantError {
  return new OrthantError("ORT_DEFLATE", `damaged Zstandard: ${detail}`);
}

function tooLong(bytesMax: number): OrthantError {
  return new OrthantError("ORT_LIMIT", `more than ${bytesMax} bytes come out of compressed ones`);
}
