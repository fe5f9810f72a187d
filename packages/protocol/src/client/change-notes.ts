import {
  type Box,
  boxAt,
  type Position,
  PositionMap,
  PositionSet,
  type RegionTree,
  regionBox,
  regionOf,
} from "@orthant/core";

/** The parts of a replica that are needed to find out what changed. */
interface Replica {
  readonly tree: RegionTree;
  holds(region: Position): boolean;
}

/** A region whose content changed, or that is no longer held. */
export interface RegionNews {
  readonly region: Position;
  readonly state: "held" | "forgotten";
}

/** What happened to a replica in one step. */
export interface ReplicaNews {
  readonly regions: readonly RegionNews[];
  /** Boxes of the chunks that look different. */
  readonly chunks: readonly Box[];
}

/** Records what happens to a replica, to report at the end of a step what looks different. */
export class ChangeNotes {
  /** Each affected region, and whether it was held at the start of the step. */
  readonly #wasHeld = new PositionMap<boolean>();
  /** Regions that came from the cache, which therefore has them already. */
  readonly #restored = new PositionSet();
  /** Chunks whose predictions changed. */
  readonly #predicted = new PositionSet();
  #treeBefore: RegionTree | undefined;

  /** Records a change to a region. `treeBefore` is the tree before that change. */
  touched(region: Position, wasHeld: boolean, treeBefore: RegionTree): void {
    this.#treeBefore ??= treeBefore;
    if (!this.#wasHeld.has(...region)) this.#wasHeld.set(...region, wasHeld);
  }

  /** Records that a region was restored from the cache. */
  restored(region: Position): void {
    this.#restored.add(...region);
  }

  /** Records that the predictions over some chunks changed. */
  predicted(chunks: Iterable<Position>): void {
    for (const chunk of chunks) this.#predicted.add(...chunk);
  }

  /** Returns what happened since the last call. */
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

  #differences(region: Position, after: RegionTree): readonly Box[] {
    const box = regionBox(region);
    const before = this.#treeBefore ?? after;
    return Array.from(before.slice(box).differences(after.slice(box)), (difference) => difference.box);
  }
}
