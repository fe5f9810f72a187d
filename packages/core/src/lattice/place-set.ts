import type { Place } from "./place.ts";
import { PlaceMap } from "./place-map.ts";

/** A set of places with 32-bit coordinates; what {@link PlaceMap} promises holds here too. */
export class PlaceSet {
  readonly #places = new PlaceMap<true>();

  /** How many places there are. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether the place is in the set. */
  has(x: number, y: number, z: number, w: number): boolean {
    return this.#places.has(x, y, z, w);
  }

  /** Adds a place; `ORT_PLACE_RANGE` unless the coordinates are 32-bit integers. */
  add(x: number, y: number, z: number, w: number): void {
    this.#places.set(x, y, z, w, true);
  }

  /** Removes a place and tells whether it was there. */
  delete(x: number, y: number, z: number, w: number): boolean {
    return this.#places.delete(x, y, z, w);
  }

  /** Removes every place. */
  clear(): void {
    this.#places.clear();
  }

  /** Every place. */
  [Symbol.iterator](): Generator<Place, void, undefined> {
    return this.#places.places();
  }
}
