import type { Place } from "@orthant/core";
import type { Subscription } from "../engine/engine.ts";
import { cellOfRegion, nameOfPlace } from "../shard/names.ts";

interface Cell {
  regions: number;
  following: Promise<Subscription>;
  isFailed: boolean;
}

/** Follows every cell of which some region is wanted, once. */
export class CellFollowers {
  readonly #follow: (cell: string) => Promise<Subscription>;
  readonly #cells = new Map<string, Cell>();

  constructor(follow: (cell: string) => Promise<Subscription>) {
    this.#follow = follow;
  }

  /** Whether some region of a cell is wanted. */
  has(cell: string): boolean {
    return this.#cells.has(cell);
  }

  /** Resolves when what is told about a region's cell comes; one that cannot be followed now stays wanted. */
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

  /** A region is not wanted any more; tells whether it was the last of its cell. */
  leave(region: Place): boolean {
    const name = nameOfPlace(cellOfRegion(region));
    const cell = this.#cells.get(name);
    if (cell === undefined || --cell.regions > 0) return false;
    this.#cells.delete(name);
    end(cell);
    return true;
  }

  /** Tries again to follow what could not be followed. */
  retry(): void {
    for (const [name, cell] of this.#cells) if (cell.isFailed) this.#again(name, cell);
  }

  /** Follows nothing any more. */
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
    // What was never followed need not be ended.
    () => undefined,
  );
}
