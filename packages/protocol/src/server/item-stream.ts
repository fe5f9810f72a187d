import type { Position } from "@orthant/core";

/** Maximum number of unconfirmed items that are remembered. */
const STREAM_RECORD_MAX = 4_096;
/** Maximum number of regions in those items: several times as many as a client may hold. */
const STREAM_REGIONS_MAX = 65_536;

const NOTHING: readonly Position[] = [];

/** Numbers the items of one client's stream, and remembers the regions of unconfirmed ones. */
export class ItemStream {
  /** The regions of each item from number `#first` on. */
  #record: (readonly Position[])[] = [];
  #regionCount = 0;
  #first = 1;
  #confirmed = 0;

  /** The number of the newest item; 0 before the first. */
  get sent(): number {
    return this.#first + this.#record.length - 1;
  }

  /** The number of the next item. */
  get next(): number {
    return this.sent + 1;
  }

  /** Assigns a number to an item and remembers its regions. */
  add(regions: readonly Position[]): number {
    this.#record.push(regions);
    this.#regionCount += regions.length;
    // Drops in large steps, because shifting one by one would move the whole record each time.
    if (this.#record.length > 2 * STREAM_RECORD_MAX) this.#forgetUpTo(this.sent - STREAM_RECORD_MAX);
    if (this.#regionCount > STREAM_REGIONS_MAX) this.#forgetUpTo(this.#confirmed);
    // A client that confirms nothing must not make us remember everything it ever received.
    if (this.#regionCount > STREAM_REGIONS_MAX) this.#forgetUpTo(this.sent - (this.#record.length >> 1));
    return this.sent;
  }

  /** Records that the client has taken everything up to `applied`. Returns false if that was never sent. */
  confirm(applied: number): boolean {
    if (applied > this.sent) return false;
    if (applied > this.#confirmed) this.#confirmed = applied;
    // Also in large steps, unless everything is confirmed.
    const confirmedCount = this.#confirmed - this.#first + 1;
    if (confirmedCount === this.#record.length || confirmedCount > STREAM_RECORD_MAX) {
      this.#forgetUpTo(this.#confirmed);
    }
    return true;
  }

  /**
   * Returns and removes the regions of all items that a client has not taken if it expects this number next.
   * The caller sends them again. Returns `undefined` when those items are no longer remembered.
   */
  takeBack(expected: number): readonly Position[] | undefined {
    // A request may be older than a confirmation that arrived before it.
    const from = Math.max(expected, this.#confirmed + 1);
    if (from < this.#first || this.#record.length - (from - this.#first) > STREAM_RECORD_MAX)
      return undefined;
    const regions: Position[] = [];
    for (let index = from - this.#first; index < this.#record.length; index++) {
      regions.push(...(this.#record[index] ?? NOTHING));
      this.#record[index] = NOTHING;
    }
    this.#regionCount -= regions.length;
    return regions;
  }

  #forgetUpTo(number: number): void {
    if (number < this.#first) return;
    for (const regions of this.#record.splice(0, number - this.#first + 1)) {
      this.#regionCount -= regions.length;
    }
    this.#first = number + 1;
  }
}
