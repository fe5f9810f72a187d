/** A source of time, passed in so that tests can control it. */
export interface TimeSource {
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

/** The time and timers of the system. */
export const systemTime: TimeSource = {
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

/** Resolves after `delayMs` and keeps the process alive until then. */
export function sleep(time: TimeSource, delayMs: number): Promise<void> {
  return new Promise((resolve) => time.wait(delayMs, resolve));
}

// Node has the first, every platform the second; ES2022's library declares neither.
declare const setImmediate: ((callback: () => void) => unknown) | undefined;
declare function setTimeout(callback: () => void, delayMs: number): unknown;

/** Resolves in a later turn of the event loop, so that pending timers and I/O come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}

/** Limits events to a rate per second, with bursts after a quiet time. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #fullThousandths: number;
  /** Thousandths of a token. Each millisecond adds `perSecond` of them, so no fraction is ever rounded. */
  #thousandths: number;
  #filledMs: number;

  /** Creates a full bucket. */
  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#fullThousandths = burst * 1_000;
    this.#thousandths = this.#fullThousandths;
    this.#filledMs = nowMs;
  }

  /** Takes `count` tokens, or none if there are not enough. Returns whether it took them. */
  take(count: number, nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#thousandths < count * 1_000) return false;
    this.#thousandths -= count * 1_000;
    return true;
  }

  /** Takes up to `count` whole tokens. Returns how many. */
  takeUpTo(count: number, nowMs: number): number {
    this.#fill(nowMs);
    const taken = Math.min(count, Math.floor(this.#thousandths / 1_000));
    this.#thousandths -= taken * 1_000;
    return taken;
  }

  /** Returns how many whole tokens there are. */
  available(nowMs: number): number {
    this.#fill(nowMs);
    return Math.floor(this.#thousandths / 1_000);
  }

  /** Whether the bucket is as full as if nothing had ever been taken. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#thousandths >= this.#fullThousandths;
  }

  /** Fills the bucket above its burst by what `pauseMs` are worth: events of a pause arrive together after it. */
  excuse(pauseMs: number, nowMs: number): void {
    this.#thousandths = this.#fullThousandths + pauseMs * this.#perSecond;
    this.#filledMs = nowMs;
  }

  #fill(nowMs: number): void {
    // The system clock may be set back: then nothing is added or removed.
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    const mostThousandths = Math.max(this.#fullThousandths, this.#thousandths);
    this.#thousandths = Math.min(mostThousandths, this.#thousandths + passedMs * this.#perSecond);
    this.#filledMs = nowMs;
  }
}
