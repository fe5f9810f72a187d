import { type Box, type Position, regionBox } from "@orthant/core";
import type { RegionStep } from "./region-step.ts";

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
}

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
