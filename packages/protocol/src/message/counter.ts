import { type Codec, requireInteger } from "@orthant/core";

/** A varint that counts from 1; 0 is `ORT_MESSAGE`. */
export const counterCodec: Codec<number> = {
  write(out, value) {
    requireInteger(value, 1, Number.MAX_SAFE_INTEGER);
    out.varUint(value);
  },
  read(input) {
    const value = input.varUint();
    if (value === 0) throw input.fail("ORT_MESSAGE", "0 where the count begins with 1");
    return value;
  },
};
