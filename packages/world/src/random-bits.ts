// Every platform has it; ES2022's own library does not declare it.
declare const crypto: { getRandomValues(target: BigUint64Array): BigUint64Array };

/** What gives 64 random bits: the function given, held to 64, or the machine, whose numbers nobody can guess. */
export function randomBits(given: (() => bigint) | undefined): () => bigint {
  if (given !== undefined) return () => BigInt.asUintN(64, given());
  return () => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}
