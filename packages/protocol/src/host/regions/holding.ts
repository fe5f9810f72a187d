import { type Box, type Place, regionBox } from "@orthant/core";
import type { RegionStep } from "./region-step.ts";

/** Nothing of the region was ever sent on this connection. */
export const UNSENT = -1;
/** The client may hold something, nobody knows at which clock: the region has to come anew. */
export const UNSURE = -2;

/** A region that at least one client wants to hold. There may be hundreds of thousands of them, so each is small. */
export class WatchedRegion {
  readonly place: Place;
  /** In no particular order. */
  readonly holdings: Holding[];
  /** Whether all that is stored of it is loaded. It stays so: the world keeps what is watched. */
  isLoaded = false;
  /** Lets the world forget what it has loaded of the region. */
  release: (() => void) | undefined;

  constructor(place: Place, watcher: Watcher) {
    this.place = place;
    // With its first entry from the beginning: a list that grows takes room for many.
    this.holdings = [new Holding(this, watcher, 0)];
  }

  get chunks(): Box {
    return regionBox(this.place);
  }
}

/** Who wants to hold regions: one client. */
export interface Watcher {
  /** A region that is held went from one clock to the next. */
  regionChanged(holding: Holding, change: RegionStep): void;
  /** Beings of a region that is watched came, moved or went: the bytes of a message that says so. */
  beingsChanged(message: Uint8Array): void;
}

/** What one client holds, or is to hold, of one region. */
export class Holding {
  readonly region: WatchedRegion;
  readonly watcher: Watcher;
  /** The clock that was sent, or {@link UNSENT}, or {@link UNSURE}. */
  clock: number = UNSENT;
  /** The clock that the client says it holds from an earlier connection, until the region is loaded and that is settled. */
  offered: number | undefined;
  /** The latest interest that named the region. */
  interestId = 0;
  /** How far from where the client is or will be, squared. */
  distance = 0;
  /** Whether the region waits to be sent anew. */
  isQueued = false;
  /** Whether the region changed since the clock that was sent. */
  isBehind = false;
  /** The place in the region's list; -1 when the client no longer wants the region. */
  slot: number;

  constructor(region: WatchedRegion, watcher: Watcher, slot: number) {
    this.region = region;
    this.watcher = watcher;
    this.slot = slot;
  }

  /** Whether the client was told a clock. */
  get isHeld(): boolean {
    return this.clock >= 0;
  }
}
