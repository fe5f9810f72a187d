import type { Position } from "@orthant/core";
import { PositionMap } from "@orthant/core/lattice";
import type { PlayerBudget } from "../budget/player-budget.ts";
import type { WorkBudget } from "../budget/work-budget.ts";
import type { GridEntity } from "../entities/grid-entity.ts";
import type { SharedChange } from "./region-changes.ts";

/** Nothing of the region was sent on this connection. */
export const UNSENT = -1;
/** The client may hold the region at an unknown clock, so it must be sent completely. */
export const UNSURE = -2;

/** A region that at least one client wants to hold. Kept small: there may be hundreds of thousands. */
export interface WatchedRegion {
  readonly position: Position;
  /** In no particular order. */
  readonly holdings: Holding[];
  /** Whether everything stored of it is loaded. It remains so, because the world keeps watched regions. */
  isLoaded: boolean;
  /** Allows the world to unload the region. */
  release: (() => void) | undefined;
}

/** The clients that share a record of what they hold. */
export interface Watcher {
  /** Number of these clients. */
  readonly size: number;
  /** A held region has stepped from one clock to the next. */
  regionChanged(holding: Holding, change: SharedChange): void;
  /** Entities entered, moved or left in a watched region. `message` is the encoded message. */
  entitiesChanged(message: Uint8Array): void;
  /** Entities in a watched region have new details, or came with some. */
  detailsChanged(entities: Iterable<GridEntity>): void;
  /** Returns their holding of another region. */
  holdingAt(region: Position): Holding | undefined;
  /** Sends the regions for which a client waits, between two ticks and within what it may get in one. */
  answer(nowMs: number): void;
  /** Returns how near a region is to their players. */
  rangeOf(region: Position): EntityRange;
}

/** How often a client is sent the moves of entities in a region: in every tick, or only on the region's beat. */
export type EntityRange = "near" | "far";

/** What clients hold, or will hold, of one region. */
export interface Holding {
  readonly region: WatchedRegion;
  readonly watcher: Watcher;
  /** The clock that was sent, or {@link UNSENT}, or {@link UNSURE}. */
  clock: number;
  /** The clock that the client offered from an earlier connection, until the loaded region settles it. */
  offered: number | undefined;
  /** The latest interest that included the region. */
  interestId: number;
  /** Squared distance from where the client is or will be. */
  distance: number;
  /** Whether the region waits to be sent completely. */
  isQueued: boolean;
  /** Whether the region changed since the clock that was sent. */
  isBehind: boolean;
  /** How the client sees the region's entities; `none` until it is sent all of them. */
  range: EntityRange | "none";
  /** Index in the region's list; -1 when the client no longer wants the region. */
  slot: number;
}

/** Observes when the first client starts to watch a region and when the last one leaves. */
export interface RegionListener {
  regionWatched?(region: WatchedRegion): void;
  regionLeft(region: WatchedRegion): void;
}

/** Regions released in one piece of work. */
const SLICE_REGIONS = 256;

/**
 * All regions that clients want to hold, and which clients do. Those of disconnected clients are released as time permits,
 * because one client may have held thousands.
 */
export class WatchedRegions {
  readonly #regions = new PositionMap<WatchedRegion>();
  readonly #listeners: RegionListener[] = [];
  readonly #work: WorkBudget;
  /** Counted once per client. */
  #holdings = 0;
  readonly #leaving: { readonly holdings: Holding[]; readonly budget: PlayerBudget }[] = [];
  #leavingCount = 0;

  constructor(work: WorkBudget) {
    this.#work = work;
  }

  /** Number of watched regions. */
  get size(): number {
    return this.#regions.size;
  }

  /** Number of watched regions, counted once per client. */
  get holdings(): number {
    return this.#holdings;
  }

  /** Number of these that disconnected clients have left behind. */
  get leavingCount(): number {
    return this.#leavingCount;
  }

  /** Adds a listener for regions that gain their first or lose their last client. */
  listen(listener: RegionListener): void {
    this.#listeners.push(listener);
  }

  /** Returns the region at a position, or `undefined` when no client wants it. */
  at([x, y, z, w]: Position): WatchedRegion | undefined {
    return this.#regions.get(x, y, z, w);
  }

  /** Counts `count` regions of a client that joins the record of others, or fewer if negative. */
  countShared(count: number): void {
    this.#holdings += count;
  }

  /** Records that a client wants a region. */
  watch(position: Position, watcher: Watcher): Holding {
    this.#holdings++;
    const known = this.at(position);
    if (known !== undefined) {
      const holding = newHolding(known, watcher);
      known.holdings.push(holding);
      return holding;
    }
    const region: WatchedRegion = { position, holdings: [], isLoaded: false, release: undefined };
    const holding = newHolding(region, watcher);
    region.holdings.push(holding);
    this.#regions.set(...position, region);
    for (const listener of this.#listeners) listener.regionWatched?.(region);
    return holding;
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

  /** Takes over the regions of a disconnected client. */
  leaveLater(holdings: Holding[], budget: PlayerBudget): void {
    if (holdings.length === 0) return;
    this.#leaving.push({ holdings, budget });
    this.#leavingCount += holdings.length;
    while (this.#leavingCount > 0 && this.#work.hasTime()) this.releaseSome();
  }

  /** Releases some of the regions of disconnected clients. */
  releaseSome(): void {
    const [first] = this.#leaving;
    if (first === undefined) return;
    this.#work.run(() => {
      const { holdings, budget } = first;
      for (const holding of holdings.splice(-SLICE_REGIONS)) {
        this.#leavingCount--;
        this.leave(holding);
        budget.releaseRegions(1);
      }
      if (holdings.length === 0) this.#leaving.shift();
    });
  }
}

function newHolding(region: WatchedRegion, watcher: Watcher): Holding {
  return {
    region,
    watcher,
    clock: UNSENT,
    offered: undefined,
    interestId: 0,
    distance: 0,
    isQueued: false,
    isBehind: false,
    range: "none",
    slot: region.holdings.length,
  };
}
