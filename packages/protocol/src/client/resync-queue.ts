import { comparePositions, type Position, PositionMap, RESYNC_REGIONS_MAX } from "@orthant/core";
import { INTEREST_REGIONS_MAX } from "../message/limits.ts";
import { hasElapsed } from "./elapsed.ts";

/** Minimum time between two requests. */
const RESYNC_WAIT_MS = 250;
/** Maximum time between two requests while requests do not help. */
const RESYNC_WAIT_MS_MAX = 4_000;
/** Maximum number of regions that wait to be requested; a server that keeps the limits cannot cause more. */
const WANTED_REGIONS_MAX: number = 2 * INTEREST_REGIONS_MAX;

/** The regions that must be fetched again, and when to request them. */
export class ResyncQueue {
  /** Number of requests for each region. */
  readonly #requests = new PositionMap<number>();
  #requestedMs: number | undefined;
  #waitMs = RESYNC_WAIT_MS;
  #isInTrouble = false;

  /** Number of wanted regions. */
  get size(): number {
    return this.#requests.size;
  }

  /** Wants regions to be sent again, until they are settled. */
  want(regions: Iterable<Position>): void {
    for (const region of regions) {
      if (this.#requests.size >= WANTED_REGIONS_MAX) return;
      if (!this.#requests.has(...region)) this.#requests.set(...region, 0);
    }
  }

  /** Removes a region that has arrived or is no longer needed. */
  settle(region: Position): void {
    this.#requests.delete(...region);
  }

  /**
   * Returns the regions to request now, in order, or `undefined` when no request is due. Missing items
   * justify a request even without regions. While requests do not help, they become less and less frequent.
   */
  due(nowMs: number, lacksItems: boolean): readonly Position[] | undefined {
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

  /** Chooses the regions with the fewest requests, so that regions that keep failing do not block others. */
  #choose(): readonly Position[] {
    const chosen = [...this.#requests]
      .sort(([a, aCount], [b, bCount]) => aCount - bCount || comparePositions(a, b))
      .slice(0, RESYNC_REGIONS_MAX);
    for (const [region, count] of chosen) this.#requests.set(...region, count + 1);
    return chosen.map(([region]) => region).sort(comparePositions);
  }
}
