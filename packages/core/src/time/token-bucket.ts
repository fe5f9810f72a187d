/** Lets so many things a second pass, and some more at once after a quiet time. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #fullThousandths: number;
  /** In thousandths, which a millisecond adds as many of as a second adds tokens: no fraction is ever rounded. */
  #thousandths: number;
  #filledMs: number;

  /** A full bucket. */
  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#fullThousandths = burst * 1_000;
    this.#thousandths = this.#fullThousandths;
    this.#filledMs = nowMs;
  }

  /** Takes tokens and tells whether there were enough; takes none when there were not. */
  take(count: number, nowMs: number): boolean {
    this.#fill(nowMs);
    if (this.#thousandths < count * 1_000) return false;
    this.#thousandths -= count * 1_000;
    return true;
  }

  /** Takes as many whole tokens as there are, at most `count`, and tells how many. */
  takeUpTo(count: number, nowMs: number): number {
    this.#fill(nowMs);
    const taken = Math.min(count, Math.floor(this.#thousandths / 1_000));
    this.#thousandths -= taken * 1_000;
    return taken;
  }

  /** Whether it is as if nothing had ever been taken. */
  isFull(nowMs: number): boolean {
    this.#fill(nowMs);
    return this.#thousandths >= this.#fullThousandths;
  }

  #fill(nowMs: number): void {
    // A machine's clock may be set back: then nothing is added, and nothing taken away.
    const passedMs = Math.max(0, nowMs - this.#filledMs);
    this.#thousandths = Math.min(this.#fullThousandths, this.#thousandths + passedMs * this.#perSecond);
    this.#filledMs = nowMs;
  }
}
