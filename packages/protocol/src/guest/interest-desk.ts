import type { Interest } from "../message/client-message.ts";
import { hasElapsed } from "./elapsed.ts";
import type { WishedRegions } from "./interest-regions.ts";

/** Time to wait for the server's confirmation before sending an interest again. */
const INTEREST_REPEAT_MS = 1_000;
/** Minimum time between two different interests, which is half the rate that a server grants. */
const INTEREST_WAIT_MS = 200;

/** The held regions that are offered with the first interest. */
export type Offer = Pick<Interest, "held" | "heldBlank">;

const NOTHING: Offer = { held: [], heldBlank: [] };

/** Sends the latest interest to the server of one connection until the server confirms it. */
export class InterestDesk {
  #told: Interest | undefined;
  #toldMs: number | undefined;
  #wished: WishedRegions | undefined;
  #heardId = 0;

  /** Replaces the interest to send. */
  wish(wished: WishedRegions): void {
    this.#wished = wished;
  }

  /** Records the newest interest that the server has received. */
  heard(interestId: number): void {
    this.#heardId = Math.max(this.#heardId, interestId);
  }

  /** Returns true when `interestId` is the latest interest sent and no newer one is waiting. */
  isCurrent(interestId: number): boolean {
    return this.#wished === undefined && this.#told?.interestId === interestId;
  }

  /** Returns the interest to send now, if any. Calls `offer` for the held regions the first time. */
  due(nowMs: number, offer: (wished: WishedRegions) => Offer): Interest | undefined {
    const told = this.#told;
    const isHeard = told === undefined || this.#heardId >= told.interestId;
    // If an offer were lost, client and server would disagree about which regions are held.
    const mayTellNew = isHeard || told.held.length + told.heldBlank.length === 0;
    if (this.#wished !== undefined && mayTellNew && hasElapsed(this.#toldMs, nowMs, INTEREST_WAIT_MS)) {
      const { boxes, center, motion } = this.#wished;
      const interestId = (told?.interestId ?? 0) + 1;
      const offered = told === undefined ? offer(this.#wished) : NOTHING;
      this.#wished = undefined;
      return this.#tell({ kind: "interest", interestId, center, motion, boxes, ...offered }, nowMs);
    }
    if (isHeard || !hasElapsed(this.#toldMs, nowMs, INTEREST_REPEAT_MS)) return undefined;
    return this.#tell(told, nowMs);
  }

  #tell(interest: Interest, nowMs: number): Interest {
    this.#told = interest;
    this.#toldMs = nowMs;
    return interest;
  }
}
