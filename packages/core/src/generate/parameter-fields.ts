import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { wrongArgument } from "../error/orthant-error.ts";

/** The parameter `name`, an integer from `min` to `max`, as a signed varint. */
export function integerBetween(name: string, min: number, max: number): Codec<number> {
  return {
    write(out, value) {
      requireBetween(name, value, min, max);
      out.varInt(value);
    },
    read: (input) => requireParameter(input, name, input.varInt(), min, max),
  };
}

/** The parameter `name`, an unsigned integer from `min` to `max`, as a varint. */
export function countBetween(name: string, min: number, max: number): Codec<number> {
  return {
    write(out, value) {
      requireBetween(name, value, min, max);
      out.varUint(value);
    },
    read: (input) => requireParameter(input, name, input.varUint(), min, max),
  };
}

function requireBetween(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw wrongArgument(name, value, `it is a whole number from ${min} to ${max}`);
}

function requireParameter(input: ByteReader, name: string, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value;
  throw input.fail("ORT_GENERATOR_PARAMETERS", `${name} is ${value}, not from ${min} to ${max}`);
}
