import type { Interest } from "../../message/client-message.ts";
import type { PlayerBudget } from "../budget/player-budget.ts";
import { RegionPace } from "../budget/region-pace.ts";

/** Lets one client come to new regions at some pace. An interest that comes too early waits; the latest one counts. */
export class InterestPace {
  readonly #pace: RegionPace;
  readonly #budget: PlayerBudget;
  #waiting: Interest | undefined;

  constructor(regionsPerSecond: number, budget: PlayerBudget) {
    this.#pace = new RegionPace(regionsPerSecond);
    this.#budget = budget;
  }

  /** Takes an interest, instead of one that waits. */
  add(interest: Interest): void {
    this.#waiting = interest;
  }

  /** The interest that counts from now on, if there is a new one and it is time. */
  take(nowMs: number): Interest | undefined {
    if (this.#waiting === undefined) return undefined;
    if (!this.#pace.isInTime(nowMs) || !this.#budget.mayLookElsewhere(nowMs)) return undefined;
    const interest = this.#waiting;
    this.#waiting = undefined;
    return interest;
  }

  /** The client came to so many new regions. */
  charge(regions: number, nowMs: number): void {
    this.#pace.charge(regions, nowMs);
    this.#budget.chargeRegions(regions, nowMs);
  }
}
