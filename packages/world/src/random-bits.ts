import { type RandomBits, systemRandomBits } from "@orthant/core";

/** What gives 64 random bits: the function given, held to 64, or the machine. */
export function randomBits(given: RandomBits | undefined): RandomBits {
  return given === undefined ? systemRandomBits : () => BigInt.asUintN(64, given());
}
