// Available on every platform, but not declared in ES2022's library.
declare const crypto: { getRandomValues(values: BigUint64Array): BigUint64Array };

/** Returns 64 random bits. */
export type RandomBits = () => bigint;

/** The system's unpredictable randomness, good enough for secrets. */
export const systemRandomBits: RandomBits = () => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
