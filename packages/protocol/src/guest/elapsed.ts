/** Whether a span of time has passed since a moment. A clock that was set back must not make anybody wait for long. */
export function hasElapsed(sinceMs: number | undefined, nowMs: number, spanMs: number): boolean {
  return sinceMs === undefined || nowMs - sinceMs >= spanMs || nowMs < sinceMs;
}
