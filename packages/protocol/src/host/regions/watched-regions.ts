import { type Place, PlaceMap } from "@orthant/core";
import { Holding, WatchedRegion, type Watcher } from "./holding.ts";

/** Who wants to know when the first client comes to a region and when the last one goes. */
export interface RegionListener {
  regionWatched(region: WatchedRegion): void;
  regionLeft(region: WatchedRegion): void;
}

/** All regions that clients want to hold, and by whom. */
export class WatchedRegions {
  readonly #regions = new PlaceMap<WatchedRegion>();
  readonly #listeners: RegionListener[] = [];
  #holdings = 0;

  /** How many regions there are. */
  get size(): number {
    return this.#regions.size;
  }

  /** How many regions clients hold, each as often as a client does. */
  get holdings(): number {
    return this.#holdings;
  }

  /** Adds somebody who is told of regions that are watched first and left last. */
  listen(listener: RegionListener): void {
    this.#listeners.push(listener);
  }

  /** The region at a place; `undefined` when nobody wants it. */
  at([x, y, z, w]: Place): WatchedRegion | undefined {
    return this.#regions.get(x, y, z, w);
  }

  /** Notes that a client wants a region. */
  watch(place: Place, watcher: Watcher): Holding {
    this.#holdings++;
    const known = this.at(place);
    if (known !== undefined) {
      const holding = new Holding(known, watcher, known.holdings.length);
      known.holdings.push(holding);
      return holding;
    }
    const region = new WatchedRegion(place, watcher);
    this.#regions.set(...place, region);
    for (const listener of this.#listeners) listener.regionWatched(region);
    return region.holdings[0] as Holding;
  }

  /** Notes that a client no longer wants a region. */
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
    this.#regions.delete(...region.place);
    for (const listener of this.#listeners) listener.regionLeft(region);
  }
}
