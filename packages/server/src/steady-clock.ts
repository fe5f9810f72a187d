import { type Clock, systemClock } from "@orthant/core";

/** Monotonic time: changes of the machine's clock must not stop limits and ticks for an hour. */
export const steadyClock: Clock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  after: (delayMs, callback) => systemClock.after(delayMs, callback),
  wait: (delayMs, callback) => systemClock.wait(delayMs, callback),
};
