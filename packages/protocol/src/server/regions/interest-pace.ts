import type { InterestMessage } from "../../message/client-message.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import { RegionPace } from "../budget/region-pace.ts";

/** Limits how fast one client moves to new regions. An early interest waits; only the latest one counts. */
export class InterestPace {
  readonly #pace: RegionPace;
  readonly #budget: PlayerBudget;
  #waiting: InterestMessage | undefined;

  constructor(regionsPerSecond: number, budget: PlayerBudget) {
    this.#pace = new RegionPace(regionsPerSecond);
    this.#budget = budget;
  }

  /** Sets the waiting interest. */
  add(interest: InterestMessage): void {
    this.#waiting = interest;
  }

  /** Returns the new interest, if there is one and it is due. */
  take(nowMs: number): InterestMessage | undefined {
    if (this.#waiting === undefined) return undefined;
    if (!this.#pace.isInTime(nowMs) || !this.#budget.mayLookElsewhere(nowMs)) return undefined;
    const interest = this.#waiting;
    this.#waiting = undefined;
    return interest;
  }

  /** Charges for new regions of the client. */
  charge(regions: number, nowMs: number): void {
    this.#pace.charge(regions, nowMs);
    this.#budget.chargeRegions(regions, nowMs);
  }
}
