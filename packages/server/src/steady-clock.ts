import { type Clock, systemClock } from "@orthant/core";

/** Time that only goes forward, whoever sets the machine's clock: limits and ticks must not stop for an hour. */
export const steadyClock: Clock = {
  nowMs: () => performance.timeOrigin + performance.now(),
  after: (delayMs, callback) => systemClock.after(delayMs, callback),
  wait: (delayMs, callback) => systemClock.wait(delayMs, callback),
};
