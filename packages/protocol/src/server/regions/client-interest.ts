import type { InterestMessage } from "../../message/client-message.ts";
import { type PlayerBudget, RegionPace } from "../budget/player-budget.ts";
import type { ServerContext } from "../server-context.ts";
import type { SyncLimits } from "../sync-limits.ts";
import type { ClientRegions } from "./client-regions.ts";

/** Applies the interests of one client, as fast as its pace and the server's time allow. */
export class ClientInterest {
  readonly #context: ServerContext;
  readonly #regions: ClientRegions;
  readonly #budget: PlayerBudget;
  readonly #pace: RegionPace;
  readonly #isResumed: boolean;
  /** The latest interest, which waits until the pace allows it. */
  #waiting: InterestMessage | undefined;

  /** `isResumed` when the client may offer, with its first interest, regions that it kept. */
  constructor(context: ServerContext, regions: ClientRegions, isResumed: boolean) {
    this.#context = context;
    this.#regions = regions;
    this.#budget = regions.budget;
    this.#pace = new RegionPace(context.limits.interestRegionsPerSecond);
    this.#isResumed = isResumed;
  }

  /** True when an interest waits until the pace allows it. */
  get isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  /** Sets the interest, and applies it at once as time permits. Returns the limit that it exceeds, if any. */
  set(interest: InterestMessage, nowMs: number): keyof SyncLimits | undefined {
    this.#waiting = interest;
    let exceeded = this.start(nowMs);
    while (exceeded === undefined && this.#regions.isChanging && this.#context.interestWork.hasTime()) {
      exceeded = this.apply(nowMs);
    }
    return exceeded;
  }

  /** Switches to the latest interest when it is due. Returns the limit that it exceeds, if any. */
  start(nowMs: number): keyof SyncLimits | undefined {
    const interest = this.#waiting;
    if (interest === undefined) return undefined;
    if (!this.#pace.mayAddMore(nowMs) || !this.#budget.mayAddRegions(nowMs)) return undefined;
    this.#waiting = undefined;
    if (interest.interestId <= this.#regions.interestId) return undefined;
    return this.#regions.setInterest(interest, this.#isResumed && interest.interestId === 1);
  }

  /** Applies another part of the interest. Returns the limit that it exceeds, if any. */
  apply(nowMs: number): keyof SyncLimits | undefined {
    const exceeded = this.#context.interestWork.run(() => this.#regions.applyInterest());
    const cost = this.#regions.takeCost();
    this.#pace.charge(cost, nowMs);
    this.#budget.chargeRegions(cost, nowMs);
    return exceeded;
  }
}
