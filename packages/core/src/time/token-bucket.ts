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

  /** Whether the bucket is as full as if nothing had ever been taken. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#thousandths >= this.#fullThousandths;
  }

  #fill(nowMs: number): void {
    // The system clock may be set back: then nothing is added or removed.
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#thousandths = Math.min(this.#fullThousandths, this.#thousandths + passedMs * this.#perSecond);
    this.#filledMs = nowMs;
  }
}
