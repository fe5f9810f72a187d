import type { Codec } from "../bytes/codec.ts";
import { OrthantError } from "../error/orthant-error.ts";
import { comparePlaces, type Place } from "../lattice/place.ts";
import { PlaceMap } from "../lattice/place-map.ts";
import { CLOCK_NEVER, nextClock, requireClock } from "./region-clock.ts";
import { type RegionClock, regionClockListCodec, requireRegion } from "./region-clock-list.ts";

/** The clocks of a region before and after a change. */
export interface ClockStep {
  readonly region: Place;
  readonly before: number;
  readonly after: number;
}

/** The most regions whose clocks are written in one piece. */
export const REGION_CLOCKS_MAX = 1_048_576;

/** The clock of each region that was ever changed. */
export class RegionClocks {
  readonly #clocks = new PlaceMap<number>();

  /** How many regions were ever changed. */
  get size(): number {
    return this.#clocks.size;
  }

  /** The clock of a region; `CLOCK_NEVER`, which is 0, when it was never changed. */
  get([x, y, z, w]: Place): number {
    return this.#clocks.get(x, y, z, w) ?? CLOCK_NEVER;
  }

  /** Moves a region's clock forward; `ORT_CLOCK` when it would fall. */
  advance(region: Place, clock: number): void {
    if (clock < this.get(region)) {
      throw new OrthantError(
        "ORT_CLOCK",
        `region [${region}] would fall from ${this.get(region)} to ${clock}`,
      );
    }
    this.reset(region, clock);
  }

  /** Gives a region this clock, be it a lower one: for a replica that is told what counts. */
  reset(region: Place, clock: number): void {
    requireRegion(region);
    requireClock(clock);
    if (clock === CLOCK_NEVER) this.#clocks.delete(...region);
    else this.#clocks.set(...region, clock);
  }

  /** Issues the next clock of the epoch to each region, all or none; gives the steps in the order of the regions. */
  bump(regions: Iterable<Place>, epoch: number): readonly ClockStep[] {
    const steps = distinct(regions).map((region) => {
      requireRegion(region);
      const before = this.get(region);
      return { region, before, after: nextClock(before, epoch) };
    });
    for (const { region, after } of steps) this.reset(region, after);
    return steps;
  }

  /** Takes over every clock of the other that is later than ours. No clock falls. */
  merge(other: RegionClocks): void {
    other.#clocks.forEach((clock, x, y, z, w) => {
      if (clock > this.get([x, y, z, w])) this.#clocks.set(x, y, z, w, clock);
    });
  }

  /** The regions whose clocks are others in the other set, in their order. */
  differences(after: RegionClocks): readonly ClockStep[] {
    const steps: ClockStep[] = [];
    for (const region of distinct([...this.#clocks.places(), ...after.#clocks.places()])) {
      const step = { region, before: this.get(region), after: after.get(region) };
      if (step.before !== step.after) steps.push(step);
    }
    return steps;
  }

  /** Every clock, in the order of the regions. */
  entries(): readonly RegionClock[] {
    return [...this.#clocks]
      .map(([region, clock]) => ({ region, clock }))
      .sort((a, b) => comparePlaces(a.region, b.region));
  }

  /** A set of its own with the same clocks. */
  copy(): RegionClocks {
    const copy = new RegionClocks();
    copy.merge(this);
    return copy;
  }
}

/** All clocks of a set, in the order of the regions. Rules P1 to P6 in docs/formats/region-patch.md. */
export const regionClocksCodec: Codec<RegionClocks> = {
  write: (out, clocks) => regionClockListCodec(REGION_CLOCKS_MAX).write(out, clocks.entries()),

  read(input) {
    const clocks = new RegionClocks();
    for (const { region, clock } of regionClockListCodec(REGION_CLOCKS_MAX).read(input)) {
      if (clock === CLOCK_NEVER)
        throw input.fail("ORT_CLOCK", `region [${region}] listed, and never changed`);
      clocks.reset(region, clock);
    }
    return clocks;
  },
};

function distinct(regions: Iterable<Place>): readonly Place[] {
  const sorted = [...regions].sort(comparePlaces);
  return sorted.filter((region, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || comparePlaces(previous, region) !== 0;
  });
}
