import type { Interest } from "../message/client-message.ts";
import { hasElapsed } from "./elapsed.ts";
import type { WishedRegions } from "./interest-regions.ts";

/** After so long an interest that the server has not heard of is told again. */
const INTEREST_REPEAT_MS = 1_000;
/** The least time between two different interests: half as many as a host grants. */
const INTEREST_WAIT_MS = 200;

/** What is offered with the first interest. */
export type Offer = Pick<Interest, "held" | "heldBlank">;

const NOTHING: Offer = { held: [], heldBlank: [] };

/** Tells the server of one connection what the guest wants to hold: the latest wish, until it was heard. */
export class InterestDesk {
  #told: Interest | undefined;
  #toldMs: number | undefined;
  #wished: WishedRegions | undefined;
  #heardId = 0;

  /** Wants something else from now on. */
  wish(wished: WishedRegions): void {
    this.#wished = wished;
  }

  /** The server says which interest is the newest that came. */
  heard(interestId: number): void {
    this.#heardId = Math.max(this.#heardId, interestId);
  }

  /** Whether an interest is the one that counts, and there is no newer wish. */
  isCurrent(interestId: number): boolean {
    return this.#wished === undefined && this.#told?.interestId === interestId;
  }

  /** What to tell the server now. The first time `offer` says what the guest holds already. */
  due(nowMs: number, offer: (wished: WishedRegions) => Offer): Interest | undefined {
    const told = this.#told;
    const isHeard = told === undefined || this.#heardId >= told.interestId;
    // An offer that got lost would leave the two sides with different ideas of what is held.
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
