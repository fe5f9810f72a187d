import { type ClockStep, comparePlaces, type WorldField } from "@orthant/core";
import type { HostWorld } from "../host-world.ts";
import type { WatchedRegion } from "./holding.ts";
import { RegionStep } from "./region-step.ts";
import type { RegionListener, WatchedRegions } from "./watched-regions.ts";

/** How long it is known what a region was like before: so long a client may be held back and still catch up. */
const HISTORY_MS = 10_000;
/** The most states of one region that are known. */
const HISTORY_LENGTH_MAX = 128;

/** What a region was like at one clock. */
interface Moment {
  readonly clock: number;
  readonly field: WorldField;
  readonly endedMs: number;
  /** From here to the newest clock that somebody asked for. */
  step: RegionStep | undefined;
}

/** A region that changed since the last tick, and what it was like before that. */
interface Changed {
  readonly before: number;
  readonly field: WorldField | undefined;
  after: number;
}

/** What happens to the regions that clients watch: what changed in a tick, and what they were like before. */
export class RegionFeed implements RegionListener {
  readonly #world: HostWorld;
  readonly #regions: WatchedRegions;
  readonly #changed = new Map<WatchedRegion, Changed>();
  readonly #history = new Map<WatchedRegion, Moment[]>();
  /** The world as it was after the last change: what a loaded region was like before the next one. */
  #field: WorldField;

  constructor(world: HostWorld, regions: WatchedRegions) {
    this.#world = world;
    this.#regions = regions;
    this.#field = world.field;
    regions.listen(this);
  }

  regionWatched(): void {
    // What is not asked for is not looked up.
  }

  regionLeft(region: WatchedRegion): void {
    this.#changed.delete(region);
    this.#history.delete(region);
  }

  /** Whether all that is stored of a region is loaded. From then on its changes are known. */
  isLoaded(region: WatchedRegion): boolean {
    if (!region.isLoaded && this.#world.isLoaded(region.chunks)) {
      region.isLoaded = true;
      this.#field = this.#world.field;
    }
    return region.isLoaded;
  }

  /** Takes note of a change, at the moment at which it happens. */
  notice(steps: readonly ClockStep[]): void {
    for (const { region: place, before, after } of steps) {
      const region = this.#regions.at(place);
      if (region === undefined) continue;
      const known = this.#changed.get(region);
      if (known !== undefined) known.after = after;
      // Of a region that was not loaded nobody knows what it was like: what is loaded now was not in that field.
      else this.#changed.set(region, { before, field: region.isLoaded ? this.#field : undefined, after });
    }
    this.#field = this.#world.field;
  }

  /** The regions that changed since the last call, in their order, each with one step for all its changes. */
  takeSteps(nowMs: number): readonly { readonly region: WatchedRegion; readonly step: RegionStep }[] {
    const steps = Array.from(this.#changed, ([region, { before, field, after }]) => {
      const step = new RegionStep({ region: region.place, before, after }, field, this.#field);
      if (field !== undefined) this.#remember(region, { clock: before, field, endedMs: nowMs, step });
      return { region, step };
    });
    this.#changed.clear();
    return steps.sort((a, b) => comparePlaces(a.region.place, b.region.place));
  }

  /** Whether it is known what a region was like at an earlier clock. */
  remembers(region: WatchedRegion, clock: number): boolean {
    return this.#history.get(region)?.some((known) => known.clock === clock) ?? false;
  }

  /** The step from an earlier clock to now; `undefined` when nobody knows what the region was like then. */
  stepFrom(region: WatchedRegion, clock: number): RegionStep | undefined {
    const moment = this.#history.get(region)?.find((known) => known.clock === clock);
    if (moment === undefined) return undefined;
    const after = this.#world.clockOf(region.place);
    if (moment.step?.after !== after) {
      moment.step = new RegionStep({ region: region.place, before: clock, after }, moment.field, this.#field);
    }
    return moment.step;
  }

  /** Forgets what regions were like too long ago. */
  forgetOld(nowMs: number): void {
    for (const [region, moments] of this.#history) {
      const kept = moments.filter(({ endedMs }) => nowMs - endedMs < HISTORY_MS);
      if (kept.length === 0) this.#history.delete(region);
      else if (kept.length < moments.length) this.#history.set(region, kept);
    }
  }

  #remember(region: WatchedRegion, moment: Moment): void {
    const moments = this.#history.get(region);
    if (moments === undefined) this.#history.set(region, [moment]);
    else if (moments.push(moment) > HISTORY_LENGTH_MAX) moments.shift();
  }
}
