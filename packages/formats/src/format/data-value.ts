import type { DataCodec } from "@orthant/core";

/** Returns the value of a voxel's data; `undefined` if the codec cannot read it. */
export function dataValue(codec: DataCodec, bytes: Uint8Array): unknown {
  try {
    return codec.decode(bytes.slice());
  } catch {
    // A game may have written it with a codec of its own; it is counted as lost.
    return undefined;
  }
}
