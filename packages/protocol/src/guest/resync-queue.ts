import { comparePlaces, type Place, PlaceMap, RESYNC_REGIONS_MAX } from "@orthant/core";
import { INTEREST_REGIONS_MAX } from "../message/limits.ts";
import { hasElapsed } from "./elapsed.ts";

/** The least time between two requests. */
const RESYNC_WAIT_MS = 250;
/** The most time between two requests that are of no use. */
const RESYNC_WAIT_MS_MAX = 4_000;
/** The most regions that wait to be asked for; no server that keeps the limits can bring about more. */
const WANTED_REGIONS_MAX: number = 2 * INTEREST_REGIONS_MAX;

/** The regions that have to come anew, and when to ask for them. */
export class ResyncQueue {
  /** How often each region has been asked for. */
  readonly #requests = new PlaceMap<number>();
  #requestedMs: number | undefined;
  #waitMs = RESYNC_WAIT_MS;
  #isInTrouble = false;

  /** How many regions are wanted. */
  get size(): number {
    return this.#requests.size;
  }

  /** Wants regions anew, until they are settled. */
  want(regions: Iterable<Place>): void {
    for (const region of regions) {
      if (this.#requests.size >= WANTED_REGIONS_MAX) return;
      if (!this.#requests.has(...region)) this.#requests.set(...region, 0);
    }
  }

  /** A region came anew, or need not come any more. */
  settle(region: Place): void {
    this.#requests.delete(...region);
  }

  /**
   * The regions to ask for now, in their order; `undefined` when it is not time. With items missing there is
   * something to ask for even without regions. As long as asking does not help, it is done less and less often.
   */
  due(nowMs: number, lacksItems: boolean): readonly Place[] | undefined {
    if (this.size === 0 && !lacksItems) {
      this.#isInTrouble = false;
      this.#waitMs = RESYNC_WAIT_MS;
      return undefined;
    }
    if (!hasElapsed(this.#requestedMs, nowMs, this.#waitMs)) return undefined;
    if (this.#isInTrouble) this.#waitMs = Math.min(this.#waitMs * 2, RESYNC_WAIT_MS_MAX);
    this.#isInTrouble = true;
    this.#requestedMs = nowMs;
    return this.#choose();
  }

  /** Those that were asked for least often, so that some that keep failing do not stand in the way of others. */
  #choose(): readonly Place[] {
    const chosen = [...this.#requests]
      .sort(([a, aCount], [b, bCount]) => aCount - bCount || comparePlaces(a, b))
      .slice(0, RESYNC_REGIONS_MAX);
    for (const [region, count] of chosen) this.#requests.set(...region, count + 1);
    return chosen.map(([region]) => region).sort(comparePlaces);
  }
}
