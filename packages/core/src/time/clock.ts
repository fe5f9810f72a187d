/** A source of time, passed in so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970, as saves record them. */
  nowMs(): number;
  /**
   * Calls `callback` once after `delayMs`, unless it is cancelled first. For background work: the timer does
   * not keep the process alive, so never settle a promise from it alone.
   */
  after(delayMs: number, callback: () => void): Timer;
  /**
   * Like `after`, but keeps the process alive until the call or the cancellation. For pauses, retries and
   * timeouts that a promise waits for: Node ends a process that only awaits unreferenced timers silently,
   * with exit code 13.
   */
  wait(delayMs: number, callback: () => void): Timer;
}

/** A scheduled call. */
export interface Timer {
  /** Cancels the call. Does nothing after the call was made. */
  cancel(): void;
}

// Available on every platform, but not declared in ES2022's library. Node's handle can be unreferenced.
declare function setTimeout(callback: () => void, delayMs: number): { unref?(): void } | number;
declare function clearTimeout(handle: { unref?(): void } | number): void;

/** The system clock. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, callback) {
    const handle = setTimeout(callback, delayMs);
    if (typeof handle === "object") handle.unref?.();
    return { cancel: () => clearTimeout(handle) };
  },
  wait(delayMs, callback) {
    const handle = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
