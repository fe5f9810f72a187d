import type { PlayerBudget } from "../budget/player-budget.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { HostWorld } from "../host-world.ts";
import type { WatchedRegion } from "./holding.ts";
import type { RegionListener, WatchedRegions } from "./watched-regions.ts";

/** So many regions are loaded at the same time. */
const LOADS_MAX = 16;
/** Regions of one player that may wait for their turn; more have to be asked for again. */
const WAITING_MAX = 1_024;
/** A region that could not be loaded is tried again after so long. */
const RETRY_MS = 1_000;

/**
 * Loads regions that clients want, some at a time, and keeps them loaded: players take turns, and each one's regions come
 * in the order in which they were asked for.
 */
export class RegionLoader implements RegionListener {
  readonly #world: HostWorld;
  readonly #work: WorkBudget;
  readonly #nowMs: () => number;
  /** For each player with regions that wait. The first is the next to have one loaded. */
  readonly #waiting = new Map<PlayerBudget, Set<WatchedRegion>>();
  readonly #loading = new Set<WatchedRegion>();
  readonly #retryMs = new WeakMap<WatchedRegion, number>();

  constructor(world: HostWorld, regions: WatchedRegions, work: WorkBudget, nowMs: () => number) {
    this.#world = world;
    this.#work = work;
    this.#nowMs = nowMs;
    regions.listen(this);
  }

  regionWatched(region: WatchedRegion): void {
    region.release = this.#world.keep(region.chunks);
  }

  regionLeft(region: WatchedRegion): void {
    region.release?.();
    region.release = undefined;
  }

  /** Loads a region for a player, now or later; asking again changes nothing. */
  want(region: WatchedRegion, player: PlayerBudget): void {
    const waiting = this.#waiting.get(player);
    if (this.#loading.has(region) || (waiting?.size ?? 0) >= WAITING_MAX) return;
    if ((this.#retryMs.get(region) ?? 0) > this.#nowMs()) return;
    if (waiting === undefined) this.#waiting.set(player, new Set([region]));
    else waiting.add(region);
    this.goOn();
  }

  /** Loads what waits, as far as there is time. */
  goOn(): void {
    while (this.#waiting.size > 0 && this.#loading.size < LOADS_MAX && this.#work.hasTime()) {
      const region = this.#takeNext();
      if (region === undefined) return;
      // The clients that wanted it may have gone on while it waited, or another player wanted it too.
      if (region.holdings.length === 0 || region.isLoaded || this.#loading.has(region)) continue;
      this.#loading.add(region);
      void this.#load(region);
    }
  }

  #takeNext(): WatchedRegion | undefined {
    for (const [player, waiting] of this.#waiting) {
      this.#waiting.delete(player);
      for (const region of waiting) {
        waiting.delete(region);
        if (waiting.size > 0) this.#waiting.set(player, waiting);
        return region;
      }
    }
    return undefined;
  }

  async #load(region: WatchedRegion): Promise<void> {
    try {
      await this.#work.run(() => this.#world.load(region.chunks));
    } catch {
      // The world reports its own failures. Here the region stays unloaded, and nobody is sent what is not there.
      this.#retryMs.set(region, this.#nowMs() + RETRY_MS);
    }
    this.#loading.delete(region);
    this.goOn();
  }
}
