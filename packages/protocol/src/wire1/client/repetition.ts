/** Time between the first and the second attempt; it doubles after each. */
const REPEAT_MS_MIN = 250;
/** Maximum time between two attempts. */
const REPEAT_MS_MAX = 4_000;

/** Schedules the repetition of an unanswered message. */
export class Repetition {
  #times = 0;
  #dueMs = Number.NEGATIVE_INFINITY;

  /** Number of attempts. */
  get times(): number {
    return this.#times;
  }

  /** Returns true, and counts an attempt, when one is due. */
  isDue(nowMs: number): boolean {
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** this.#times++);
    return true;
  }
}
