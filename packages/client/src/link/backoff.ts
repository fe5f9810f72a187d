import type { RandomBits } from "@orthant/core";

/** Longest wait before the first retry. */
const BACKOFF_FIRST_MS = 500;
/** Longest wait before any retry, unless the server asks for more. */
const BACKOFF_MAX_MS = 30_000;
/** Longest wait that a server may ask for. */
const RETRY_AFTER_MAX_MS = 600_000;
/** Duration after which a connection counts as stable and resets the backoff. */
export const STABLE_MS = 10_000;

/** Computes the waits between attempts: growing, and random so that many clients do not reconnect at once. */
export class Backoff {
  readonly #random: RandomBits;
  #failures = 0;

  constructor(random: RandomBits) {
    this.#random = random;
  }

  /** Returns the wait after another failure. `atLeastMs` is what the server asked for. */
  nextMs(atLeastMs = 0): number {
    const ceilingMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(this.#failures, 16));
    this.#failures++;
    return Math.min(atLeastMs, RETRY_AFTER_MAX_MS) + Math.floor(fractionOf(this.#random()) * ceilingMs);
  }

  /** Starts again with short waits. */
  reset(): void {
    this.#failures = 0;
  }
}

/** Returns a number in [0, 1) made of random bits. */
function fractionOf(bits: bigint): number {
  return Number(BigInt.asUintN(53, bits)) / 2 ** 53;
}
