import { comparePositions, regionBox } from "@orthant/core/lattice";
import type { ClockChange, WorldState } from "@orthant/core/tree";
import type { SyncWorld } from "../sync-world.ts";
import { SharedChange } from "./region-changes.ts";
import type { RegionListener, WatchedRegion, WatchedRegions } from "./watched-regions.ts";

/** How long earlier states of a region are kept, and so how long a delayed client can catch up. */
const HISTORY_MS = 10_000;
/** Maximum number of earlier states per region. */
const HISTORY_LENGTH_MAX = 128;

/** The state of a region at one clock. */
export interface RegionState {
  readonly clock: number;
  readonly state: WorldState;
}

/** An earlier state of a region. */
interface Moment extends RegionState {
  readonly endedMs: number;
  /** The change from here to the newest clock requested so far. */
  change: SharedChange | undefined;
}

/** A region that changed since the last tick, and its state before that. */
interface Changed {
  readonly before: number;
  state: WorldState | undefined;
  after: number;
  /** Whether one edit has changed it together with other regions. */
  isJoint: boolean;
}

/** The changes of watched regions in each tick, and their earlier states. */
export class RegionFeed implements RegionListener {
  readonly #world: SyncWorld;
  readonly #regions: WatchedRegions;
  readonly #changed = new Map<WatchedRegion, Changed>();
  readonly #history = new Map<WatchedRegion, Moment[]>();
  /** The world as it was after the last change, which is its state before the next change. */
  #state: WorldState;

  constructor(world: SyncWorld, regions: WatchedRegions) {
    this.#world = world;
    this.#regions = regions;
    this.#state = world.state;
    regions.listen(this);
  }

  regionLeft(region: WatchedRegion): void {
    this.#changed.delete(region);
    this.#history.delete(region);
  }

  /** Returns true when everything stored of a region is loaded. From then on its changes are known. */
  isLoaded(region: WatchedRegion): boolean {
    if (!region.isLoaded && this.#world.isLoaded(regionBox(region.position))) {
      region.isLoaded = true;
      this.#state = this.#world.state;
    }
    return region.isLoaded;
  }

  /**
   * Returns the state of a loaded region at the last tick, `undefined` if it is unknown. Clients are sent no later one, so
   * that the change of the next tick follows for all of them.
   */
  lastState(region: WatchedRegion): RegionState | undefined {
    const changed = this.#changed.get(region);
    if (changed === undefined) {
      return { clock: this.#world.clockOf(region.position), state: this.#world.state };
    }
    const { before, state } = changed;
    return state && { clock: before, state };
  }

  /** Records a change at the moment it happens. */
  recordChange(clocks: readonly ClockChange[]): void {
    const isJoint = clocks.length > 1;
    for (const { region: position, before, after } of clocks) {
      const region = this.#regions.at(position);
      if (region === undefined) continue;
      const known = this.#changed.get(region);
      if (known !== undefined) {
        known.after = after;
        known.isJoint ||= isJoint;
        continue;
      }
      // The state of a region that was not loaded before this change is unknown.
      const state = region.isLoaded ? this.#state : undefined;
      this.#changed.set(region, { before, state, after, isJoint });
    }
    this.#state = this.#world.state;
  }

  /** Returns the regions that changed since the last call, in order, each with one change for all of them. */
  takeChanges(nowMs: number): readonly { readonly region: WatchedRegion; readonly change: SharedChange }[] {
    const changes = Array.from(this.#changed, ([region, { before, state, after, isJoint }]) => {
      const clocks = { region: region.position, before, after };
      const change = new SharedChange(clocks, state, this.#state, isJoint);
      if (state !== undefined) this.#remember(region, { clock: before, state, endedMs: nowMs, change });
      return { region, change };
    });
    this.#changed.clear();
    return changes.sort((a, b) => comparePositions(a.region.position, b.region.position));
  }

  /** Returns true when the state of a region at an earlier clock is known. */
  knowsState(region: WatchedRegion, clock: number): boolean {
    return this.#history.get(region)?.some((known) => known.clock === clock) ?? false;
  }

  /** Returns the change between two clocks, or `undefined` when the state at the earlier one is unknown. */
  changeFrom(
    region: WatchedRegion,
    clock: number,
    { clock: after, state }: RegionState,
  ): SharedChange | undefined {
    const moment = this.#history.get(region)?.find((known) => known.clock === clock);
    if (moment === undefined) return undefined;
    if (moment.change?.after !== after) {
      moment.change = new SharedChange(
        { region: region.position, before: clock, after },
        moment.state,
        state,
      );
    }
    return moment.change;
  }

  /** Drops states that are too old. */
  forgetOld(nowMs: number): void {
    for (const [region, moments] of this.#history) {
      const kept = moments.filter(({ endedMs }) => nowMs - endedMs < HISTORY_MS);
      if (kept.length === 0) this.#history.delete(region);
      else if (kept.length < moments.length) this.#history.set(region, kept);
    }
  }

  /** Drops all earlier states, because untouched space has another generator. */
  clear(): void {
    this.#history.clear();
    for (const changed of this.#changed.values()) changed.state = undefined;
  }

  #remember(region: WatchedRegion, moment: Moment): void {
    const moments = this.#history.get(region);
    if (moments === undefined) this.#history.set(region, [moment]);
    else if (moments.push(moment) > HISTORY_LENGTH_MAX) moments.shift();
  }
}
