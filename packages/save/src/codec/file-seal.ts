import { OrthantError } from "@orthant/core";
import { type Codec, crc32, record, u32, varUint } from "@orthant/core/bytes";

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
