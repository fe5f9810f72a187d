import { regionBox } from "@orthant/core/lattice";
import type { PlayerBudget } from "../budget/player-budget.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { SyncWorld } from "../sync-world.ts";
import type { RegionListener, WatchedRegion, WatchedRegions } from "./watched-regions.ts";

/** Maximum number of concurrent loads. */
const LOADS_MAX = 16;
/** Maximum number of waiting regions per player. Further ones must be requested again. */
const WAITING_MAX = 1_024;
/** Time before a failed load is tried again. */
const RETRY_MS = 1_000;

/**
 * Loads a limited number of wanted regions at a time, and keeps them loaded. Players take turns, and each
 * player's regions load in the order of the requests.
 */
export class RegionLoader implements RegionListener {
  readonly #world: SyncWorld;
  readonly #work: WorkBudget;
  readonly #nowMs: () => number;
  readonly #onLoaded: (region: WatchedRegion) => void;
  /** The waiting regions of each player. The first player is next. */
  readonly #waiting = new Map<PlayerBudget, Set<WatchedRegion>>();
  readonly #loading = new Set<WatchedRegion>();
  readonly #retryMs = new WeakMap<WatchedRegion, number>();

  constructor(
    world: SyncWorld,
    regions: WatchedRegions,
    work: WorkBudget,
    nowMs: () => number,
    onLoaded: (region: WatchedRegion) => void,
  ) {
    this.#onLoaded = onLoaded;
    this.#world = world;
    this.#work = work;
    this.#nowMs = nowMs;
    regions.listen(this);
  }

  regionWatched(region: WatchedRegion): void {
    region.release = this.#world.keep(regionBox(region.position));
  }

  regionLeft(region: WatchedRegion): void {
    region.release?.();
    region.release = undefined;
  }

  /** Loads a region for a player, now or later. Repeated requests change nothing. */
  want(region: WatchedRegion, player: PlayerBudget): void {
    const waiting = this.#waiting.get(player);
    if (this.#loading.has(region) || (waiting?.size ?? 0) >= WAITING_MAX) return;
    if ((this.#retryMs.get(region) ?? 0) > this.#nowMs()) return;
    if (waiting === undefined) this.#waiting.set(player, new Set([region]));
    else waiting.add(region);
    this.goOn();
  }

  /** Loads waiting regions as time permits. */
  goOn(): void {
    while (this.#waiting.size > 0 && this.#loading.size < LOADS_MAX && this.#work.hasTime()) {
      const region = this.#takeNext();
      if (region === undefined) return;
      // The clients may have moved on while the region waited, or another player requested it too.
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
      await this.#work.run(() => this.#world.load(regionBox(region.position)));
      this.#onLoaded(region);
    } catch {
      // The world reports its own failures. The region stays unloaded, so no client is sent anything of it.
      this.#retryMs.set(region, this.#nowMs() + RETRY_MS);
    }
    this.#loading.delete(region);
    this.goOn();
  }
}
