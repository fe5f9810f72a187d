/** A page of the index that the live generation does not need. */
export interface OldPage {
  readonly path: string;
  /** Generation that wrote it. */
  readonly from: number;
  /** First generation without it. */
  readonly until: number;
}

/** The pages that only older generations need. */
export class OldPages {
  /** Each page is filed under the oldest generation that needs it, because old ones stay longest. */
  readonly #byGeneration = new Map<number, OldPage[]>();

  /** Files a page. Returns it if none of these generations needs it. */
  add(page: OldPage, generations: readonly number[]): OldPage | undefined {
    const owner = ownerOf(page, generations);
    if (owner === undefined) return page;
    const pages = this.#byGeneration.get(owner) ?? [];
    this.#byGeneration.set(owner, pages);
    pages.push(page);
    return undefined;
  }

  /** Drops a generation, which must not be among `generations`. Returns the pages that none of them needs. */
  drop(generation: number, generations: readonly number[]): readonly OldPage[] {
    const pages = this.#byGeneration.get(generation) ?? [];
    this.#byGeneration.delete(generation);
    return pages.filter((page) => this.add(page, generations) !== undefined);
  }
}

function ownerOf({ from, until }: OldPage, generations: readonly number[]): number | undefined {
  let owner: number | undefined;
  for (const generation of generations) {
    const needsIt = generation >= from && generation < until;
    if (needsIt && (owner === undefined || generation < owner)) owner = generation;
  }
  return owner;
}
