/** Returns true when `spanMs` has passed since `sinceMs`, or when the clock was set back. */
export function hasElapsed(sinceMs: number | undefined, nowMs: number, spanMs: number): boolean {
  return sinceMs === undefined || nowMs - sinceMs >= spanMs || nowMs < sinceMs;
}
