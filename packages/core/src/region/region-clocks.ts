import { OrthantError } from "../error/orthant-error.ts";
import { comparePositions, type Position } from "../lattice/position.ts";
import { PositionMap } from "../lattice/position-map.ts";
import { CLOCK_NEVER, nextClock, type RegionClock, requireClock, requireRegion } from "./region-clock.ts";

/** The clocks of a region before and after a change. */
export interface ClockChange {
  readonly region: Position;
  readonly before: number;
  readonly after: number;
}

/** The clocks of all changed regions. */
export class RegionClocks {
  readonly #clocks = new PositionMap<number>();

  /** Number of regions that were ever changed. */
  get size(): number {
    return this.#clocks.size;
  }

  /** Returns the clock of a region; `CLOCK_NEVER`, which is 0, when it was never changed. */
  get([x, y, z, w]: Position): number {
    return this.#clocks.get(x, y, z, w) ?? CLOCK_NEVER;
  }

  /** Moves a region's clock forward. Throws `ORT_CLOCK` when it would go back. */
  advance(region: Position, clock: number): void {
    if (clock < this.get(region)) {
      throw new OrthantError(
        "ORT_CLOCK",
        `region [${region}] would fall from ${this.get(region)} to ${clock}`,
      );
    }
    this.reset(region, clock);
  }

  /** Sets a region's clock, even to a lower one: for a replica that follows a server. */
  reset(region: Position, clock: number): void {
    requireRegion(region);
    requireClock(clock);
    if (clock === CLOCK_NEVER) this.#clocks.delete(...region);
    else this.#clocks.set(region[0], region[1], region[2], region[3], clock);
  }

  /** Issues the next clock of the epoch to each region, all or none. Returns the changes, ordered by region. */
  bump(regions: readonly Position[], epoch: number): readonly ClockChange[] {
    const changes = distinct(regions).map((region) => this.#nextOf(region, epoch));
    for (const { region, after } of changes)
      this.#clocks.set(region[0], region[1], region[2], region[3], after);
    return changes;
  }

  #nextOf(region: Position, epoch: number): ClockChange {
    requireRegion(region);
    const before = this.get(region);
    return { region, before, after: nextClock(before, epoch) };
  }

  /** Takes over every later clock of the other set. No clock goes back. */
  merge(other: RegionClocks): void {
    other.#clocks.forEach((clock, x, y, z, w) => {
      if (clock > this.get([x, y, z, w])) this.#clocks.set(x, y, z, w, clock);
    });
  }

  /** Returns the regions whose clocks differ in the other set, in order. */
  differences(after: RegionClocks): readonly ClockChange[] {
    const changes: ClockChange[] = [];
    for (const region of distinct([...this.#clocks.positions(), ...after.#clocks.positions()])) {
      const change = { region, before: this.get(region), after: after.get(region) };
      if (change.before !== change.after) changes.push(change);
    }
    return changes;
  }

  /** Returns all clocks, ordered by region. */
  entries(): readonly RegionClock[] {
    return [...this.#clocks]
      .map(([region, clock]) => ({ region, clock }))
      .sort((a, b) => comparePositions(a.region, b.region));
  }

  /** Returns an independent copy. */
  copy(): RegionClocks {
    const copy = new RegionClocks();
    copy.merge(this);
    return copy;
  }
}

function distinct(regions: readonly Position[]): readonly Position[] {
  // Most edits change one region.
  if (regions.length <= 1) return regions;
  const sorted = [...regions].sort(comparePositions);
  return sorted.filter((region, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || comparePositions(previous, region) !== 0;
  });
}
