import type { Place } from "@orthant/core";
import type { Engine, PublishedRecord, Subscription } from "../engine/engine.ts";
import { cellOfRegion, nameOfPlace } from "../shard/names.ts";

interface Cell {
  regions: number;
  readonly following: Promise<Subscription>;
}

/** Follows every cell of which some region is wanted, once. */
export class CellFollowers {
  readonly #engine: Engine;
  readonly #world: string;
  readonly #listener: (record: PublishedRecord) => void;
  readonly #cells = new Map<string, Cell>();

  constructor(engine: Engine, world: string, listener: (record: PublishedRecord) => void) {
    this.#engine = engine;
    this.#world = world;
    this.#listener = listener;
  }

  /** Resolves when records about a region's cell come. */
  async enter(region: Place): Promise<void> {
    const name = nameOfPlace(cellOfRegion(region));
    const known = this.#cells.get(name);
    const cell = known ?? { regions: 0, following: this.#engine.follow(this.#world, name, this.#listener) };
    cell.regions++;
    this.#cells.set(name, cell);
    try {
      await cell.following;
    } catch (error) {
      // The next one who wants the cell tries again.
      if (this.#cells.get(name) === cell) this.#cells.delete(name);
      throw error;
    }
  }

  /** A region is not wanted any more. */
  leave(region: Place): void {
    const name = nameOfPlace(cellOfRegion(region));
    const cell = this.#cells.get(name);
    if (cell === undefined || --cell.regions > 0) return;
    this.#cells.delete(name);
    end(cell);
  }

  /** Follows nothing any more. */
  close(): void {
    for (const cell of this.#cells.values()) end(cell);
    this.#cells.clear();
  }
}

function end({ following }: Cell): void {
  following.then(
    (subscription) => subscription.end(),
    // What was never followed need not be ended.
    () => undefined,
  );
}
