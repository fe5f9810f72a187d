import { inflateUpTo } from "@orthant/core/bytes";
import { type NbtRoot, readNbt } from "./nbt-compound.ts";

/** Reads NBT that may be compressed with gzip or zlib. Decompresses at most `bytesMax` bytes. */
export async function readNbtFile(bytes: Uint8Array, bytesMax: number): Promise<NbtRoot> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return readNbt(await inflateUpTo(bytes, "gzip", bytesMax));
  if (bytes[0] === 0x78) return readNbt(await inflateUpTo(bytes, "zlib", bytesMax));
  return readNbt(bytes);
}
