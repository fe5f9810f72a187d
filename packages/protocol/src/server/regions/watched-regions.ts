import { type Position, PositionMap } from "@orthant/core";
import { Holding, WatchedRegion, type Watcher } from "./holding.ts";

/** Observes when the first client starts to watch a region and when the last one leaves. */
export interface RegionListener {
  regionWatched(region: WatchedRegion): void;
  regionLeft(region: WatchedRegion): void;
}

/** All regions that clients want to hold, and which clients do. */
export class WatchedRegions {
  readonly #regions = new PositionMap<WatchedRegion>();
  readonly #listeners: RegionListener[] = [];
  #holdings = 0;

  /** Number of watched regions. */
  get size(): number {
    return this.#regions.size;
  }

  /** Number of watched regions, counted once per client. */
  get holdings(): number {
    return this.#holdings;
  }

  /** Adds a listener for regions that gain their first or lose their last client. */
  listen(listener: RegionListener): void {
    this.#listeners.push(listener);
  }

  /** Returns the region at a position, or `undefined` when no client wants it. */
  at([x, y, z, w]: Position): WatchedRegion | undefined {
    return this.#regions.get(x, y, z, w);
  }

  /** Records that a client wants a region. */
  watch(position: Position, watcher: Watcher): Holding {
    this.#holdings++;
    const known = this.at(position);
    if (known !== undefined) {
      const holding = new Holding(known, watcher, known.holdings.length);
      known.holdings.push(holding);
      return holding;
    }
    const region = new WatchedRegion(position, watcher);
    this.#regions.set(...position, region);
    for (const listener of this.#listeners) listener.regionWatched(region);
    return region.holdings[0] as Holding;
  }

  /** Records that a client no longer wants a region. */
  leave(holding: Holding): void {
    const { region, slot } = holding;
    if (slot < 0) return;
    const last = region.holdings.pop();
    if (last !== undefined && last !== holding) {
      region.holdings[slot] = last;
      last.slot = slot;
    }
    holding.slot = -1;
    this.#holdings--;
    if (region.holdings.length > 0) return;
    this.#regions.delete(...region.position);
    for (const listener of this.#listeners) listener.regionLeft(region);
  }
}
