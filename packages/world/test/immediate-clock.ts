import type { Clock } from "@orthant/core";

/** Returns a clock on which every pause ends in the next turn, and nothing happens in the background. */
export function immediateClock(): Clock {
  let nowMs = 1_000_000;
  return {
    nowMs: () => ++nowMs,
    after: () => ({ cancel: () => undefined }),
    wait: (_delayMs, callback) => {
      const timer = setImmediate(callback);
      return { cancel: () => clearImmediate(timer) };
    },
  };
}
