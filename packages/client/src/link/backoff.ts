import type { RandomBits } from "@orthant/core";

/** The longest wait before the first new attempt. */
const BACKOFF_FIRST_MS = 500;
/** The longest wait before any attempt, unless the server asks for more. */
const BACKOFF_MAX_MS = 30_000;
/** The longest wait that a server may ask for. */
const RETRY_AFTER_MAX_MS = 600_000;
/** A connection that lasted so long was a good one: the next failure is a first one again. */
export const STABLE_MS = 10_000;

/** How long to wait between attempts: longer each time, and at random, so that many clients do not come at once. */
export class Backoff {
  readonly #random: RandomBits;
  #failures = 0;

  constructor(random: RandomBits) {
    this.#random = random;
  }

  /** The wait after one more failure; `atLeastMs` is what the server asked for. */
  nextMs(atLeastMs = 0): number {
    const ceilingMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(this.#failures, 16));
    this.#failures++;
    return Math.min(atLeastMs, RETRY_AFTER_MAX_MS) + Math.floor(fractionOf(this.#random()) * ceilingMs);
  }

  /** Begins again with short waits. */
  reset(): void {
    this.#failures = 0;
  }
}

/** A number from 0 up to and without 1, made of random bits. */
function fractionOf(bits: bigint): number {
  return Number(BigInt.asUintN(53, bits)) / 2 ** 53;
}
