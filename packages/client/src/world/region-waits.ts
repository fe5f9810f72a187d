import { type Position, PositionMap } from "@orthant/core";
import { type Deferred, deferred } from "./deferred.ts";

/** Promises for regions that are not held yet. */
export class RegionWaits {
  readonly #waits = new PositionMap<Deferred<void>>();

  /** Returns a promise that resolves when the region arrives. */
  whenHeld(region: Position): Promise<void> {
    const known = this.#waits.get(...region);
    if (known !== undefined) return known.promise;
    const wait = deferred<void>();
    this.#waits.set(...region, wait);
    return wait.promise;
  }

  /** Resolves the wait for a region. */
  held(region: Position): void {
    const wait = this.#waits.get(...region);
    if (wait === undefined) return;
    this.#waits.delete(...region);
    wait.resolve();
  }

  /** Rejects the waits for all regions that can no longer arrive. */
  endUnless(mayCome: (region: Position) => boolean, error: (region: Position) => Error): void {
    for (const region of [...this.#waits.positions()]) {
      if (mayCome(region)) continue;
      this.#waits.get(...region)?.reject(error(region));
      this.#waits.delete(...region);
    }
  }
}
