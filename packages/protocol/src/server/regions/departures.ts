import type { PlayerBudget } from "../budget/player-budget.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { Holding } from "./holding.ts";
import type { WatchedRegions } from "./watched-regions.ts";

/** Regions released in one piece of work. */
const SLICE_REGIONS = 256;

/** Releases the regions of disconnected clients as time permits; one client may have held thousands. */
export class Departures {
  readonly #regions: WatchedRegions;
  readonly #work: WorkBudget;
  readonly #leaving: { readonly holdings: Holding[]; readonly budget: PlayerBudget }[] = [];
  #size = 0;

  constructor(regions: WatchedRegions, work: WorkBudget) {
    this.#regions = regions;
    this.#work = work;
  }

  /** Number of waiting regions. */
  get size(): number {
    return this.#size;
  }

  /** Takes over the regions of a disconnected client. */
  add(holdings: Holding[], budget: PlayerBudget): void {
    if (holdings.length === 0) return;
    this.#leaving.push({ holdings, budget });
    this.#size += holdings.length;
    while (this.#size > 0 && this.#work.hasTime()) this.releaseSome();
  }

  /** Releases some of the regions. */
  releaseSome(): void {
    const [first] = this.#leaving;
    if (first === undefined) return;
    this.#work.run(() => {
      const { holdings, budget } = first;
      for (const holding of holdings.splice(-SLICE_REGIONS)) {
        this.#size--;
        this.#regions.leave(holding);
        budget.releaseRegion();
      }
      if (holdings.length === 0) this.#leaving.shift();
    });
  }
}
