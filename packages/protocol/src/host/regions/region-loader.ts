import type { HostWorld } from "../host-world.ts";
import type { WatchedRegion } from "./holding.ts";
import type { RegionListener, WatchedRegions } from "./watched-regions.ts";

/** So many regions are loaded at the same time. */
const LOADS_MAX = 16;
/** So many more may wait for their turn; who wants others asks again. */
const WAITING_MAX = 1_024;
/** A region that could not be loaded is tried again after so long. */
const RETRY_MS = 1_000;

/** Loads regions that clients want, some at a time, in the order in which they were asked for, and keeps them loaded. */
export class RegionLoader implements RegionListener {
  readonly #world: HostWorld;
  readonly #nowMs: () => number;
  readonly #waiting = new Set<WatchedRegion>();
  readonly #loading = new Set<WatchedRegion>();
  readonly #retryMs = new WeakMap<WatchedRegion, number>();
  readonly #releases = new Map<WatchedRegion, () => void>();

  constructor(world: HostWorld, regions: WatchedRegions, nowMs: () => number) {
    this.#world = world;
    this.#nowMs = nowMs;
    regions.listen(this);
  }

  regionWatched(region: WatchedRegion): void {
    this.#releases.set(region, this.#world.keep(region.chunks));
  }

  regionLeft(region: WatchedRegion): void {
    this.#releases.get(region)?.();
    this.#releases.delete(region);
  }

  /** Loads a region, now or later; asking again changes nothing. */
  want(region: WatchedRegion): void {
    if (this.#loading.has(region) || this.#waiting.size >= WAITING_MAX) return;
    if ((this.#retryMs.get(region) ?? 0) > this.#nowMs()) return;
    this.#waiting.add(region);
    this.#loadNext();
  }

  #loadNext(): void {
    for (const region of this.#waiting) {
      if (this.#loading.size >= LOADS_MAX) return;
      this.#waiting.delete(region);
      // Whoever wanted it may have gone on while it waited.
      if (region.holdings.length === 0) continue;
      this.#loading.add(region);
      void this.#load(region);
    }
  }

  async #load(region: WatchedRegion): Promise<void> {
    try {
      await this.#world.load(region.chunks);
    } catch {
      // The world reports its own failures. Here the region stays unloaded, and nobody is sent what is not there.
      this.#retryMs.set(region, this.#nowMs() + RETRY_MS);
    }
    this.#loading.delete(region);
    this.#loadNext();
  }
}
