import type { Section } from "./section.ts";

/** What a budget needs to know of the sections around the eye. */
export interface BudgetedSections {
  readonly all: Iterable<Section>;
  /** Bytes of their meshes. */
  readonly bytes: number;
  /** The largest edge of a section, in voxels. */
  readonly edge: number;
  /** The section that the eye is in. */
  readonly eyeCell: string;
  distanceOf(section: Section): number;
}

/** Share of the budget that sections may be expected to take when one sees farther again. */
const WIDEN_SHARE = 0.9;

/** Decides how far sections are kept, so that their meshes take at most some bytes: the farthest go first. */
export class MeshBudget {
  readonly #bytes: number;
  #limit = Number.POSITIVE_INFINITY;
  /** Where the eye was when the limit was lowered: there, seeing farther would only lower it again. */
  #loweredIn = "";

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Returns how far sections are kept, in voxels. */
  reachOf(viewDistance: number): number {
    return Math.min(viewDistance, this.#limit);
  }

  /** Lowers the limit if meshes take too much. Returns the sections that have to go. */
  lower({ all, bytes, edge, eyeCell, distanceOf }: BudgetedSections): readonly Section[] {
    if (bytes <= this.#bytes) return [];
    const nearestFirst = Array.from(all, (section) => ({ section, distance: distanceOf(section) })).sort(
      (a, b) => a.distance - b.distance,
    );
    let sum = 0;
    const first = nearestFirst.findIndex(({ section }) => {
      sum += section.bytes;
      return sum > this.#bytes;
    });
    const from = nearestFirst[first]?.distance ?? 0;
    this.#loweredIn = eyeCell;
    // Sections stay until they are one section farther away than others come into reach.
    this.#limit = Math.max(0, from - edge);
    return nearestFirst
      .filter(({ distance }) => distance > 0 && distance >= from)
      .map(({ section }) => section);
  }

  /** Raises the limit by a section if, by the meshes so far, those beyond have room, too. */
  raise({ bytes, edge, eyeCell }: BudgetedSections): void {
    if (this.#limit === Number.POSITIVE_INFINITY || eyeCell === this.#loweredIn) return;
    const kept = this.#limit + edge;
    if (bytes * ((kept + edge) / kept) ** 2 < this.#bytes * WIDEN_SHARE) this.#limit += edge;
  }
}
