// Every platform that the client runs on has it; ES2022's own library does not declare it.
declare const crypto: { getRandomValues(values: BigUint64Array): BigUint64Array };

/** Gives 64 random bits. */
export type RandomBits = () => bigint;

/** The platform's own randomness, good enough for secrets. */
export const platformRandomBits: RandomBits = () => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;

/** A number from 0 up to and without 1, made of random bits. */
export function fractionOf(bits: bigint): number {
  return Number(BigInt.asUintN(53, bits)) / 2 ** 53;
}
