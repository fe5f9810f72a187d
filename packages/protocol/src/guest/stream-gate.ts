import { OrthantError } from "@orthant/core";
import { hasElapsed } from "./elapsed.ts";

/** How long the end of the stream may be missing before it is asked for. */
const TAIL_LOST_MS = 500;

/** What becomes of an item of the stream: it is taken, it came before, or one before it is missing. */
export type Admission = "take" | "old" | "early";

/** Lets the items of one connection's stream through in their order, and notices when some are missing. */
export class StreamGate {
  #expected = 1;
  /** The newest item that came too early. */
  #newestEarly = 0;
  /** The newest item that the server says it sent. */
  #newestSent = 0;
  /** Since when, without any progress, something is missing that the server sent. */
  #behindSinceMs: number | undefined;

  /** The number of the next item; all before it were taken, or will come anew. */
  get expected(): number {
    return this.#expected;
  }

  /** Decides about an item. One that is taken counts as taken, whatever becomes of its content. */
  admit(streamNumber: number, nowMs: number): Admission {
    if (streamNumber < this.#expected) return "old";
    if (streamNumber > this.#expected) {
      this.#newestEarly = Math.max(this.#newestEarly, streamNumber);
      return "early";
    }
    this.#advance(streamNumber + 1, nowMs);
    return "take";
  }

  /** The stream goes on here. Tells whether items were skipped by that; an old reset changes nothing. */
  reset(streamNumber: number, nowMs: number): boolean {
    if (streamNumber <= this.#expected) return false;
    this.#advance(streamNumber, nowMs);
    return true;
  }

  /** The server says how far it is. */
  noteSent(streamNumber: number, nowMs: number): void {
    this.#newestSent = Math.max(this.#newestSent, streamNumber);
    if (this.#newestSent >= this.#expected) this.#behindSinceMs ??= nowMs;
  }

  /** Whether items are missing that will not come by themselves. */
  lacksItems(nowMs: number): boolean {
    if (this.#newestEarly >= this.#expected) return true;
    return this.#behindSinceMs !== undefined && hasElapsed(this.#behindSinceMs, nowMs, TAIL_LOST_MS);
  }

  #advance(expected: number, nowMs: number): void {
    // No server counts so far; one that says so would have us ask for an item that has no number.
    if (!Number.isSafeInteger(expected))
      throw new OrthantError("ORT_MESSAGE", "the stream has no numbers left");
    this.#expected = expected;
    this.#behindSinceMs = this.#newestSent >= expected ? nowMs : undefined;
  }
}
