import type { Box, Position } from "@orthant/core";
import { PositionMap, regionBox } from "@orthant/core/lattice";
import type { PlayerBudget } from "../budget/player-budget.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { GridEntity } from "../entities/grid-entity.ts";
import type { RegionStep } from "./region-changes.ts";

/** Nothing of the region was sent on this connection. */
export const UNSENT = -1;
/** The client may hold the region at an unknown clock, so it must be sent completely. */
export const UNSURE = -2;

/** A region that at least one client wants to hold. Kept small: there may be hundreds of thousands. */
export class WatchedRegion {
  readonly position: Position;
  /** In no particular order. */
  readonly holdings: Holding[];
  /** Whether everything stored of it is loaded. It remains so, because the world keeps watched regions. */
  isLoaded = false;
  /** Allows the world to unload the region. */
  release: (() => void) | undefined;

  constructor(position: Position, watcher: Watcher) {
    this.position = position;
    // Created with its first entry, because a growing list reserves room for many.
    this.holdings = [new Holding(this, watcher, 0)];
  }

  get chunks(): Box {
    return regionBox(this.position);
  }
}

/** A client that wants to hold regions. */
export interface Watcher {
  /** A held region has stepped from one clock to the next. */
  regionChanged(holding: Holding, change: RegionStep): void;
  /** Entities entered, moved or left in a watched region. `message` is the encoded message. */
  entitiesChanged(message: Uint8Array): void;
  /** Entities in a watched region have new details, or came with some. */
  detailsChanged(entities: Iterable<GridEntity>): void;
  /** Returns the client's holding of another region. */
  holdingAt(region: Position): Holding | undefined;
  /** Returns how near a region is to the client's player. */
  rangeOf(region: Position): EntityRange;
}

/** How often a client is sent the moves of entities in a region: in every tick, or only on the region's beat. */
export type EntityRange = "near" | "far";

/** What one client holds, or will hold, of one region. */
export class Holding {
  readonly region: WatchedRegion;
  readonly watcher: Watcher;
  /** The clock that was sent, or {@link UNSENT}, or {@link UNSURE}. */
  clock: number = UNSENT;
  /** The clock that the client offered from an earlier connection, until the loaded region settles it. */
  offered: number | undefined;
  /** The latest interest that included the region. */
  interestId = 0;
  /** Squared distance from where the client is or will be. */
  distance = 0;
  /** Whether the region waits to be sent completely. */
  isQueued = false;
  /** Whether the region changed since the clock that was sent. */
  isBehind = false;
  /** How the client sees the region's entities; `none` until it is sent all of them. */
  range: EntityRange | "none" = "none";
  /** Index in the region's list; -1 when the client no longer wants the region. */
  slot: number;

  constructor(region: WatchedRegion, watcher: Watcher, slot: number) {
    this.region = region;
    this.watcher = watcher;
    this.slot = slot;
  }

  /** Whether the client was sent a clock. */
  get isHeld(): boolean {
    return this.clock >= 0;
  }
}

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

/** Regions released in one piece of work. */
const SLICE_REGIONS = 256;

/** Releases the regions of disconnected clients as time permits; one client may have held thousands. */
export class RegionsToRelease {
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
