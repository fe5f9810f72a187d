import { type Codec, encode } from "@orthant/core";

/** Codec of a value preceded by its length in bytes, so that a reader can skip it or keep it undecoded. */
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
