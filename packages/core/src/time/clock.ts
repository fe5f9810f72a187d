/** Time, given from outside so that tests can hold it. */
export interface Clock {
  /** Milliseconds since 1970, as saves record them. */
  nowMs(): number;
  /**
   * Calls `callback` once after `delayMs`, unless it is cancelled first. For background work: the timer does not keep the
   * process alive, so never settle a promise from it alone.
   */
  after(delayMs: number, callback: () => void): Timer;
  /**
   * Like `after`, but keeps the process alive until the call or the cancellation. For pauses, retries and timeouts that
   * a promise waits for: Node ends a process that only awaits unreferenced timers, in silence, with exit code 13.
   */
  wait(delayMs: number, callback: () => void): Timer;
}

/** A call that is still to come. */
export interface Timer {
  /** Takes the call back. Does nothing when it has been made. */
  cancel(): void;
}

// Every platform has these two; ES2022's own library does not declare them. Node's handle can be told not to wait.
declare function setTimeout(callback: () => void, delayMs: number): { unref?(): void } | number;
declare function clearTimeout(handle: { unref?(): void } | number): void;

/** The time of the machine. */
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
