import type { Place } from "@orthant/core";

/** So many items that the client has not confirmed are remembered. */
const STREAM_RECORD_MAX = 4_096;
/** So many regions of such items: several times as many as a client may hold. */
const STREAM_REGIONS_MAX = 65_536;

const NOTHING: readonly Place[] = [];

/** The numbers of one client's stream, and which regions the items were about that it may not have taken. */
export class Stream {
  /** The regions of each item from number `#first` on. */
  #record: (readonly Place[])[] = [];
  #regionCount = 0;
  #first = 1;
  #confirmed = 0;

  /** The number of the newest item; 0 before the first. */
  get sent(): number {
    return this.#first + this.#record.length - 1;
  }

  /** The number that the next item will have. */
  get next(): number {
    return this.sent + 1;
  }

  /** Gives an item its number and remembers its regions. */
  add(regions: readonly Place[]): number {
    this.#record.push(regions);
    this.#regionCount += regions.length;
    // Forgetting in large steps: shifting one by one would move the whole record each time.
    if (this.#record.length > 2 * STREAM_RECORD_MAX) this.#forgetUpTo(this.sent - STREAM_RECORD_MAX);
    if (this.#regionCount > STREAM_REGIONS_MAX) this.#forgetUpTo(this.#confirmed);
    // A client that confirms nothing must not make us remember all that it ever looked at.
    if (this.#regionCount > STREAM_REGIONS_MAX) this.#forgetUpTo(this.sent - (this.#record.length >> 1));
    return this.sent;
  }

  /** The client has taken everything up to this number; tells whether that can be. */
  confirm(applied: number): boolean {
    if (applied > this.sent) return false;
    if (applied > this.#confirmed) this.#confirmed = applied;
    // The same in large steps, unless all is confirmed.
    const confirmedCount = this.#confirmed - this.#first + 1;
    if (confirmedCount === this.#record.length || confirmedCount > STREAM_RECORD_MAX) {
      this.#forgetUpTo(this.#confirmed);
    }
    return true;
  }

  /**
   * The regions of all items that a client has not taken who expects this number next, and forgets them: whoever
   * asks sends them anew. `undefined` when so many items are no longer remembered.
   */
  takeBack(expected: number): readonly Place[] | undefined {
    // A request may be older than a confirmation that came before it.
    const from = Math.max(expected, this.#confirmed + 1);
    if (from < this.#first || this.#record.length - (from - this.#first) > STREAM_RECORD_MAX)
      return undefined;
    const regions: Place[] = [];
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
