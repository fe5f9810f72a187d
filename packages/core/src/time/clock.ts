/** Time, given from outside so that tests can hold it. */
export interface Clock {
  /** Milliseconds since 1970, as saves record them. */
  nowMs(): number;
  /** Calls back once, after this long, unless it is cancelled first. Never keeps a process alive by itself. */
  after(delayMs: number, callback: () => void): Timer;
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
};
