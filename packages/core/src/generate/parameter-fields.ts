import type { ByteReader } from "../bytes/byte-reader.ts";
import type { Codec } from "../bytes/codec.ts";
import { varInt, varUint } from "../bytes/primitives.ts";
import { wrongArgument } from "../error/orthant-error.ts";

/** The parameter `name`, an integer from `min` to `max`, as a signed varint. */
export function integerBetween(name: string, min: number, max: number): Codec<number> {
  return between(varInt, name, min, max);
}

/** The parameter `name`, an unsigned integer from `min` to `max`, as a varint. */
export function countBetween(name: string, min: number, max: number): Codec<number> {
  return between(varUint, name, min, max);
}

function between(codec: Codec<number>, name: string, min: number, max: number): Codec<number> {
  return {
    write(out, value) {
      requireBetween(name, value, min, max);
      codec.write(out, value);
    },
    read: (input) => requireParameter(input, name, codec.read(input), min, max),
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
