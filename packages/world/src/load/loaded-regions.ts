import {
  type Box,
  boxesIntersect,
  boxVolume,
  type Place,
  PlaceMap,
  placesLexicographic,
  regionBox,
  regionsTouching,
} from "@orthant/core";

/** What is kept as one box instead of region by region: nobody watches so many regions one by one. */
const REGIONS_KEPT_SINGLY_MAX = 256;

interface RegionInMemory {
  readonly place: Place;
  readonly chunks: number;
}

/** Which regions are in memory, in the order of their use, and which of them somebody needs there. */
export class LoadedRegions {
  readonly #regions = new PlaceMap<RegionInMemory>();
  /** Those that were used least lately come first. */
  readonly #order = new Set<RegionInMemory>();
  readonly #keptRegions = new PlaceMap<number>();
  readonly #keptBoxes = new Set<Box>();
  #weight = 0;

  /** How many regions and chunks of people's work are in memory. */
  get weight(): number {
    return this.#weight;
  }

  /** Whether a region is in memory. */
  has([x, y, z, w]: Place): boolean {
    return this.#regions.has(x, y, z, w);
  }

  /** Whether a region is in memory; if it is, it counts as used just now. */
  use([x, y, z, w]: Place): boolean {
    const region = this.#regions.get(x, y, z, w);
    if (region === undefined) return false;
    this.#order.delete(region);
    this.#order.add(region);
    return true;
  }

  /** Notes a region that came into memory, with so many chunks. */
  add(place: Place, chunks: number): void {
    const region = { place, chunks };
    this.#regions.set(...place, region);
    this.#order.add(region);
    this.#weight += weightOf(region);
  }

  /** Keeps what a box of chunks has in memory, or will have, until the function returned is called. */
  keep(chunks: Box): () => void {
    const regions = regionsTouching(chunks);
    if (boxVolume(regions) > REGIONS_KEPT_SINGLY_MAX) {
      // A box of its own: the same one may be kept twice.
      const box = { ...chunks };
      this.#keptBoxes.add(box);
      return () => void this.#keptBoxes.delete(box);
    }
    const places = [...placesLexicographic(regions)];
    for (const place of places) this.#count(place, 1);
    let isKept = true;
    return () => {
      if (isKept) for (const place of places) this.#count(place, -1);
      isKept = false;
    };
  }

  /** Takes regions out that were used least lately and that nobody needs, until the rest is light enough. */
  *takeCold(weightMax: number, isNeeded: (place: Place) => boolean): Generator<Place> {
    for (const region of this.#order) {
      if (this.#weight <= weightMax) return;
      const { place } = region;
      if (this.#isKept(place) || isNeeded(place)) continue;
      this.#order.delete(region);
      this.#regions.delete(...place);
      this.#weight -= weightOf(region);
      yield place;
    }
  }

  /** The same regions, for somebody who goes his own way; nothing is kept for him. */
  copy(): LoadedRegions {
    const copy = new LoadedRegions();
    for (const { place, chunks } of this.#order) copy.add(place, chunks);
    return copy;
  }

  #isKept(place: Place): boolean {
    if (this.#keptRegions.has(...place)) return true;
    if (this.#keptBoxes.size === 0) return false;
    const chunks = regionBox(place);
    for (const box of this.#keptBoxes) if (boxesIntersect(box, chunks)) return true;
    return false;
  }

  #count(place: Place, change: number): void {
    const count = (this.#keptRegions.get(...place) ?? 0) + change;
    if (count > 0) this.#keptRegions.set(...place, count);
    else this.#keptRegions.delete(...place);
  }
}

/** A region where nobody built anything takes room too. */
function weightOf({ chunks }: RegionInMemory): number {
  return 1 + chunks;
}
