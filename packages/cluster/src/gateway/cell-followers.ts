import type { Place } from "@orthant/core";
import type { Subscription } from "../engine/engine.ts";
import { cellOfRegion, nameOfPlace } from "../shard/names.ts";

interface Cell {
  regions: number;
  following: Promise<Subscription>;
  isFailed: boolean;
}

/** Follows each cell that has at least one wanted region, once. */
export class CellFollowers {
  readonly #follow: (cell: string) => Promise<Subscription>;
  readonly #cells = new Map<string, Cell>();

  constructor(follow: (cell: string) => Promise<Subscription>) {
    this.#follow = follow;
  }

  /** Returns true if some region of a cell is wanted. */
  has(cell: string): boolean {
    return this.#cells.has(cell);
  }

  /** Adds a wanted region. Resolves when its cell is followed; if that fails, the region stays wanted. */
  async enter(region: Place): Promise<void> {
    const name = nameOfPlace(cellOfRegion(region));
    const known = this.#cells.get(name);
    const cell = known ?? { regions: 0, following: this.#follow(name), isFailed: false };
    cell.regions++;
    this.#cells.set(name, cell);
    if (known === undefined) this.#note(cell);
    else if (cell.isFailed) this.#again(name, cell);
    await cell.following;
  }

  /** Removes a wanted region. Returns true if it was the last one of its cell. */
  leave(region: Place): boolean {
    const name = nameOfPlace(cellOfRegion(region));
    const cell = this.#cells.get(name);
    if (cell === undefined || --cell.regions > 0) return false;
    this.#cells.delete(name);
    end(cell);
    return true;
  }

  /** Retries cells that could not be followed. */
  retry(): void {
    for (const [name, cell] of this.#cells) if (cell.isFailed) this.#again(name, cell);
  }

  /** Stops following. */
  close(): void {
    for (const cell of this.#cells.values()) end(cell);
    this.#cells.clear();
  }

  #again(name: string, cell: Cell): void {
    cell.isFailed = false;
    cell.following = this.#follow(name);
    this.#note(cell);
  }

  #note(cell: Cell): void {
    cell.following.catch(() => {
      cell.isFailed = true;
    });
  }
}

function end({ following }: Cell): void {
  following.then(
    (subscription) => subscription.end(),
    // A cell that was never followed needs no end.
    () => undefined,
  );
}
