import type { InterestMessage } from "../message/client-message.ts";
import { hasElapsed } from "./elapsed.ts";
import type { InterestRegions } from "./interest-regions.ts";

/** Time to wait for the server's confirmation before sending an interest again. */
const INTEREST_REPEAT_MS = 1_000;
/** Minimum time between two different interests, which is half the rate that a server grants. */
const INTEREST_WAIT_MS = 200;

/** The held regions that are offered with the first interest. */
export type Offer = Pick<InterestMessage, "held" | "heldBlank">;

const NOTHING: Offer = { held: [], heldBlank: [] };

/** Sends the latest interest to the server of one connection until the server confirms it. */
export class InterestQueue {
  #sent: InterestMessage | undefined;
  #sentMs: number | undefined;
  #area: InterestRegions | undefined;
  #receivedId = 0;

  /** Replaces the interest to send. */
  setInterest(area: InterestRegions): void {
    this.#area = area;
  }

  /** Records the newest interest that the server has received. */
  heard(interestId: number): void {
    this.#receivedId = Math.max(this.#receivedId, interestId);
  }

  /** Returns true when `interestId` is the latest interest sent and no newer one is waiting. */
  isCurrent(interestId: number): boolean {
    return this.#area === undefined && this.#sent?.interestId === interestId;
  }

  /** Returns the interest to send now, if any. Calls `offer` for the held regions the first time. */
  due(nowMs: number, offer: (area: InterestRegions) => Offer): InterestMessage | undefined {
    const sent = this.#sent;
    const isReceived = sent === undefined || this.#receivedId >= sent.interestId;
    // If an offer were lost, client and server would disagree about which regions are held.
    const maySendNew = isReceived || sent.held.length + sent.heldBlank.length === 0;
    if (this.#area !== undefined && maySendNew && hasElapsed(this.#sentMs, nowMs, INTEREST_WAIT_MS)) {
      const { boxes, center, motion } = this.#area;
      const interestId = (sent?.interestId ?? 0) + 1;
      const offered = sent === undefined ? offer(this.#area) : NOTHING;
      this.#area = undefined;
      return this.#tell({ kind: "interest", interestId, center, motion, boxes, ...offered }, nowMs);
    }
    if (isReceived || !hasElapsed(this.#sentMs, nowMs, INTEREST_REPEAT_MS)) return undefined;
    return this.#tell(sent, nowMs);
  }

  #tell(interest: InterestMessage, nowMs: number): InterestMessage {
    this.#sent = interest;
    this.#sentMs = nowMs;
    return interest;
  }
}
