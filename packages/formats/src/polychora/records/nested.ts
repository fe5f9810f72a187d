import { type Codec, encode } from "@orthant/core";

/** A value in bytes of its own, with their length before them, so that it can be skipped or kept unread. */
export function nested<Value>(codec: Codec<Value>): Codec<Value> {
  return {
    write: (out, value) => out.bytes(encode(codec, value)),
    read(input) {
      const inner = input.within(input.varUint());
      const value = codec.read(inner);
      inner.end();
      return value;
    },
  };
}
