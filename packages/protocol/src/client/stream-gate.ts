import { OrthantError } from "@orthant/core";
import { hasElapsed } from "./elapsed.ts";

/** How long the end of the stream may be missing before the client requests it. */
const TAIL_LOST_MS = 500;

/** Whether a stream item is taken, is a repetition, or is early because one before it is missing. */
export type Admission = "take" | "old" | "early";

/** Admits the items of one connection's stream in order, and detects missing ones. */
export class StreamGate {
  #expected = 1;
  /** The highest early item number received. */
  #newestEarly = 0;
  /** The highest item number that the server says it has sent. */
  #newestSent = 0;
  /** Since when the client has been missing an item without progress. */
  #behindSinceMs: number | undefined;

  /** The number of the next item. All before it were taken, or will be sent again. */
  get expected(): number {
    return this.#expected;
  }

  /** Decides about an item. A taken item counts as taken even if its content is refused. */
  admit(streamNumber: number, nowMs: number): Admission {
    if (streamNumber < this.#expected) return "old";
    if (streamNumber > this.#expected) {
      this.#newestEarly = Math.max(this.#newestEarly, streamNumber);
      return "early";
    }
    this.#advance(streamNumber + 1, nowMs);
    return "take";
  }

  /** Continues the stream at `streamNumber`. Returns true if items were skipped; ignores an old reset. */
  reset(streamNumber: number, nowMs: number): boolean {
    if (streamNumber <= this.#expected) return false;
    this.#advance(streamNumber, nowMs);
    return true;
  }

  /** Records the highest item number that the server has sent. */
  noteSent(streamNumber: number, nowMs: number): void {
    this.#newestSent = Math.max(this.#newestSent, streamNumber);
    if (this.#newestSent >= this.#expected) this.#behindSinceMs ??= nowMs;
  }

  /** Returns true when items are missing that must be requested. */
  lacksItems(nowMs: number): boolean {
    if (this.#newestEarly >= this.#expected) return true;
    return this.#behindSinceMs !== undefined && hasElapsed(this.#behindSinceMs, nowMs, TAIL_LOST_MS);
  }

  #advance(expected: number, nowMs: number): void {
    // A real server never counts this far; following it would make us request an item that has no number.
    if (!Number.isSafeInteger(expected))
      throw new OrthantError("ORT_MESSAGE", "the stream has no numbers left");
    this.#expected = expected;
    this.#behindSinceMs = this.#newestSent >= expected ? nowMs : undefined;
  }
}
