import { type ByteWriter, type Codec, OrthantError, regionPatchCodec, requireInteger } from "@orthant/core";
import { counterCodec } from "./counter.ts";
import type { PatchMessage } from "./server-message.ts";

/** A patch with chunks of `volume` voxels. No patch may precede the welcome. Rule N24 in protocol.md. */
export function patchMessageCodec(volume: number | undefined): Codec<PatchMessage> {
  const codec = volume === undefined ? undefined : regionPatchCodec(volume);
  return {
    write(out, { patch }) {
      if (codec === undefined) throw new OrthantError("ORT_ARGUMENT", "a patch without a chunk volume");
      requireInteger(patch.patchSeq, 1, Number.MAX_SAFE_INTEGER);
      codec.write(out, patch);
    },
    read(input) {
      if (codec === undefined) throw input.fail("ORT_MESSAGE", "a patch before the welcome");
      const patch = codec.read(input);
      if (patch.patchSeq === 0) throw input.fail("ORT_MESSAGE", "a patch with stream number 0");
      return { kind: "patch", patch };
    },
  };
}

/** Writes the part of a patch message after its tag. */
export function writeNumberedPatch(out: ByteWriter, streamNumber: number, body: Uint8Array): void {
  counterCodec.write(out, streamNumber);
  out.raw(body);
}
