/** Distance of the first stamp of an owner from the last known one: a lost journal may have had more. */
const STAMPS_SKIPPED: number = 2 ** 20;

/** The stamps of a shard, which order the changes of entities, and those of its sectors. Rule K55. */
export class SectorStamps {
  readonly #stamps = new Map<string, number>();
  #latest = 0;
  /** The stamp of sectors without a change in this term. */
  #first = 0;

  /** The latest stamp known. */
  get latest(): number {
    return this.#latest;
  }

  /** Begins to issue stamps, later than all that an earlier owner may have issued. */
  begin(): void {
    this.#latest += STAMPS_SKIPPED;
    this.#first = this.#latest;
  }

  /** Returns the next stamp. */
  next(): number {
    return ++this.#latest;
  }

  /** Ensures that later stamps are greater. */
  observe(stamp: number): void {
    this.#latest = Math.max(this.#latest, stamp);
  }

  /** Returns the stamp of the last change in a sector. */
  of(sector: string): number {
    return this.#stamps.get(sector) ?? this.#first;
  }

  set(sector: string, stamp: number): void {
    this.#stamps.set(sector, stamp);
  }
}
