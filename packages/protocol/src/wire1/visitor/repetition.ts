/** From the first time to the second; from then on it doubles. */
const REPEAT_MS_MIN = 250;
/** It doubles up to this. */
const REPEAT_MS_MAX = 4_000;

/** When something is said again that nobody answers. */
export class Repetition {
  #times = 0;
  #dueMs = Number.NEGATIVE_INFINITY;

  /** How often it was said. */
  get times(): number {
    return this.#times;
  }

  /** Whether to say it now; counts it as said if so. */
  isDue(nowMs: number): boolean {
    if (nowMs < this.#dueMs) return false;
    this.#dueMs = nowMs + Math.min(REPEAT_MS_MAX, REPEAT_MS_MIN * 2 ** this.#times++);
    return true;
  }
}
