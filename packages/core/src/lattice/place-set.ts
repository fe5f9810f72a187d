import type { Place } from "./place.ts";
import { PlaceMap } from "./place-map.ts";

/** A set of positions with 32-bit coordinates, with the guarantees of {@link PlaceMap}. */
export class PlaceSet {
  readonly #places = new PlaceMap<true>();

  /** Number of positions. */
  get size(): number {
    return this.#places.size;
  }

  /** Whether the position is in the set. */
  has(x: number, y: number, z: number, w: number): boolean {
    return this.#places.has(x, y, z, w);
  }

  /** Adds a position. Throws `ORT_PLACE_RANGE` unless the coordinates are 32-bit integers. */
  add(x: number, y: number, z: number, w: number): void {
    this.#places.set(x, y, z, w, true);
  }

  /** Removes a position. Returns whether it was in the set. */
  delete(x: number, y: number, z: number, w: number): boolean {
    return this.#places.delete(x, y, z, w);
  }

  /** Removes every position. */
  clear(): void {
    this.#places.clear();
  }

  /** Yields every position. */
  [Symbol.iterator](): Generator<Place, void, undefined> {
    return this.#places.places();
  }
}
