import { OrthantError } from "@orthant/core";
import { crc32 } from "@orthant/core/bytes";
import type { Target, TargetLimits } from "../fuzz/decoders.ts";

/** Tests a file behind its checksum, which is zero in the samples and corrected before reading. */
export function sealedTarget<Value>(
  name: string,
  { bytes: headerBytes, at }: { readonly bytes: number; readonly at: number },
  read: (bytes: Uint8Array) => Value,
  write: (value: Value) => Uint8Array,
  samples: readonly Uint8Array[],
  limits: TargetLimits = {},
): Target {
  const blank = (bytes: Uint8Array): Uint8Array => bytes.fill(0, at, at + 4);
  return {
    name,
    decode(input) {
      const bytes = input.slice();
      const view = new DataView(bytes.buffer);
      if (bytes.length >= headerBytes) {
        if (view.getUint32(at, true) !== 0) throw new OrthantError("ORT_CHECKSUM", "not blank");
        view.setUint32(at, crc32(bytes.subarray(headerBytes)), true);
      }
      return read(bytes);
    },
    encode: (value) => blank(write(value as Value)),
    samples: samples.map(blank),
    ...limits,
  };
}
