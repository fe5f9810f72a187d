import { type Codec, EPOCH_MAX, type Epoch, requireInteger } from "@orthant/core";

/** An epoch. Rule N9 in docs/formats/protocol.md. */
export const epochCodec: Codec<Epoch> = {
  write(out, { number, id }) {
    requireInteger(number, 1, EPOCH_MAX);
    out.varUint(number);
    out.u64(id);
  },
  read(input) {
    const number = input.varUint();
    if (number < 1 || number > EPOCH_MAX) {
      throw input.fail("ORT_CLOCK", `epoch ${number} where 1 to ${EPOCH_MAX} may be`);
    }
    return { number, id: input.u64() };
  },
};
