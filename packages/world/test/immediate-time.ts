import type { TimeSource } from "@orthant/core";

/** Returns a time source on which every pause ends in the next turn, and nothing happens in the background. */
export function immediateTime(): TimeSource {
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
