import { type RandomBits, systemRandomBits } from "@orthant/core";

/** Returns a source of 64 random bits: `given`, truncated to 64 bits, or else the system's. */
export function randomBits(given: RandomBits | undefined): RandomBits {
  return given === undefined ? systemRandomBits : () => BigInt.asUintN(64, given());
}
