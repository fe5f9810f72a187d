import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { requireInteger } from "../bytes/integers.ts";

/** An integer parameter from `min` to `max` as a signed varint. */
export function integerBetween(min: number, max: number): Codec<number> {
  return {
    write(out, value) {
      requireInteger(value, min, max);
      out.varInt(value);
    },
    read: (input) => requireParameter(input, input.varInt(), min, max),
  };
}

/** An unsigned integer parameter from `min` to `max` as a varint. */
export function countBetween(min: number, max: number): Codec<number> {
  return {
    write(out, value) {
      requireInteger(value, min, max);
      out.varUint(value);
    },
    read: (input) => requireParameter(input, input.varUint(), min, max),
  };
}

function requireParameter(input: ByteReader, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value;
  throw input.fail("ORT_GENERATOR_PARAMETERS", `${value} is not from ${min} to ${max}`);
}
