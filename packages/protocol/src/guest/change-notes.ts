import {
  type Box,
  boxAt,
  type Place,
  PlaceMap,
  PlaceSet,
  type RegionTree,
  regionBox,
  regionOf,
} from "@orthant/core";

/** What a replica can tell about itself. */
interface Replica {
  readonly tree: RegionTree;
  holds(region: Place): boolean;
}

/** A region that is held otherwise than before, or not any more. */
export interface RegionNews {
  readonly region: Place;
  readonly state: "held" | "forgotten";
}

/** What became of a replica in one step. */
export interface ReplicaNews {
  readonly regions: readonly RegionNews[];
  /** The chunks that look different, in boxes. */
  readonly chunks: readonly Box[];
}

/** Notes what happens to a replica, so that at the end of a step it can be said what looks different. */
export class ChangeNotes {
  /** Each region that something happened to, and whether it was held when the step began. */
  readonly #wasHeld = new PlaceMap<boolean>();
  /** Regions that a cache gave, and so has already. */
  readonly #restored = new PlaceSet();
  /** Chunks that have other predictions laid over them. */
  readonly #predicted = new PlaceSet();
  #treeBefore: RegionTree | undefined;

  /** Something happened to a region; the tree is the one before that. */
  touched(region: Place, wasHeld: boolean, treeBefore: RegionTree): void {
    this.#treeBefore ??= treeBefore;
    if (!this.#wasHeld.has(...region)) this.#wasHeld.set(...region, wasHeld);
  }

  /** A region is held as a cache gave it. */
  restored(region: Place): void {
    this.#restored.add(...region);
  }

  /** The predictions over some chunks changed. */
  predicted(chunks: Iterable<Place>): void {
    for (const chunk of chunks) this.#predicted.add(...chunk);
  }

  /** What happened since this was asked last. */
  take(replica: Replica): ReplicaNews {
    const regions: RegionNews[] = [];
    const chunks: Box[] = [];
    for (const [region, wasHeld] of this.#wasHeld) {
      const isHeld = replica.holds(region);
      const isCached = this.#restored.has(...region);
      if (isHeld && !isCached) regions.push({ region, state: "held" });
      if (!isHeld && (wasHeld || isCached)) regions.push({ region, state: "forgotten" });
      if (isHeld !== wasHeld) chunks.push(regionBox(region));
      else if (isHeld) chunks.push(...this.#differences(region, replica.tree));
    }
    for (const chunk of this.#predicted) if (replica.holds(regionOf(chunk))) chunks.push(boxAt(chunk));
    this.#wasHeld.clear();
    this.#restored.clear();
    this.#predicted.clear();
    this.#treeBefore = undefined;
    return { regions, chunks };
  }

  #differences(region: Place, after: RegionTree): readonly Box[] {
    const box = regionBox(region);
    const before = this.#treeBefore ?? after;
    return Array.from(before.slice(box).differences(after.slice(box)), (difference) => difference.box);
  }
}
