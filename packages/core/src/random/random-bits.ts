// Every platform has it; ES2022's own library does not declare it.
declare const crypto: { getRandomValues(values: BigUint64Array): BigUint64Array };

/** Gives 64 random bits. */
export type RandomBits = () => bigint;

/** The machine's own randomness, which nobody can guess: good enough for secrets. */
export const systemRandomBits: RandomBits = () => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
