import type { Clock } from "./clock.ts";

/** Resolves after `delayMs` and keeps the process alive until then. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.wait(delayMs, resolve));
}
