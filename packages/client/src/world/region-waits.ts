import { type Place, PlaceMap } from "@orthant/core";
import { type Deferred, deferred } from "./deferred.ts";

/** Those who wait until regions are held. */
export class RegionWaits {
  readonly #waits = new PlaceMap<Deferred<void>>();

  /** Resolves when the region comes. */
  whenHeld(region: Place): Promise<void> {
    const known = this.#waits.get(...region);
    if (known !== undefined) return known.promise;
    const wait = deferred<void>();
    this.#waits.set(...region, wait);
    return wait.promise;
  }

  /** The region has come. */
  held(region: Place): void {
    const wait = this.#waits.get(...region);
    if (wait === undefined) return;
    this.#waits.delete(...region);
    wait.resolve();
  }

  /** Ends the waits for regions, all but those that may still come. */
  endUnless(mayCome: (region: Place) => boolean, error: (region: Place) => Error): void {
    for (const region of [...this.#waits.places()]) {
      if (mayCome(region)) continue;
      this.#waits.get(...region)?.reject(error(region));
      this.#waits.delete(...region);
    }
  }
}
