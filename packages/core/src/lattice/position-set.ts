import type { Position } from "./position.ts";
import { PositionMap } from "./position-map.ts";

/** A set of positions with 32-bit coordinates, with the guarantees of {@link PositionMap}. */
export class PositionSet {
  readonly #positions = new PositionMap<true>();

  /** Number of positions. */
  get size(): number {
    return this.#positions.size;
  }

  /** Whether the position is in the set. */
  has(x: number, y: number, z: number, w: number): boolean {
    return this.#positions.has(x, y, z, w);
  }

  /** Adds a position. Throws `ORT_POSITION_RANGE` unless the coordinates are 32-bit integers. */
  add(x: number, y: number, z: number, w: number): void {
    this.#positions.set(x, y, z, w, true);
  }

  /** Removes a position. Returns whether it was in the set. */
  delete(x: number, y: number, z: number, w: number): boolean {
    return this.#positions.delete(x, y, z, w);
  }

  /** Removes every position. */
  clear(): void {
    this.#positions.clear();
  }

  /** Yields every position. */
  [Symbol.iterator](): Generator<Position, void, undefined> {
    return this.#positions.positions();
  }
}
