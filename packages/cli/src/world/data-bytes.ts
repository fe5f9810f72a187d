import type { DataCodec } from "@orthant/core";

/** Copies the data of voxels byte by byte, whatever codec a game has for it. */
export const BYTES_AS_THEY_ARE: DataCodec = {
  encode: (value) => value as Uint8Array,
  decode: (bytes) => bytes,
};
