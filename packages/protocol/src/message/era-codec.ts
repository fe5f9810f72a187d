import { type Codec, EPOCH_MAX, requireInteger } from "@orthant/core";
import type { Era } from "./client-message.ts";

/** An epoch and its mark. Rule N9 in docs/formats/protocol.md. */
export const eraCodec: Codec<Era> = {
  write(out, { epoch, mark }) {
    requireInteger(epoch, 1, EPOCH_MAX);
    out.varUint(epoch);
    out.u64(mark);
  },
  read(input) {
    const epoch = input.varUint();
    if (epoch < 1 || epoch > EPOCH_MAX) {
      throw input.fail("ORT_CLOCK", `epoch ${epoch} where 1 to ${EPOCH_MAX} may be`);
    }
    return { epoch, mark: input.u64() };
  },
};
