import type { Box, Chunk, Position } from "@orthant/core";
import {
  boxAt,
  PositionMap,
  PositionSet,
  positionsLexicographic,
  regionBox,
  regionOf,
} from "@orthant/core/lattice";
import type { RegionTree } from "@orthant/core/tree";
import type { PredictedLayer, PredictionChange } from "./predictions.ts";

/** What is needed of a replica to find out what changed. */
interface Replica {
  readonly tree: RegionTree;
  holds(region: Position): boolean;
  /** Returns the chunks that look different than with an earlier tree and earlier predictions. */
  editsSince(candidates: PositionSet, tree: RegionTree, layers: LayersBefore): EditedChunks | undefined;
}

/** The predictions over chunks before an update, for those that changed in it. */
export type LayersBefore = PositionMap<PredictedLayer | undefined>;

/** A region whose content changed, or that is no longer held. */
interface RegionUpdate {
  readonly region: Position;
  readonly state: "held" | "forgotten";
}

/** Chunks that were held before and after an update, and look different because of edits. */
export interface EditedChunks {
  readonly chunks: readonly Position[];
  /** Returns one of these chunks as it was before the update. */
  readonly before: (chunk: Position) => Chunk;
}

/** How a replica changed since the last update. */
export interface ReplicaUpdate {
  readonly regions: readonly RegionUpdate[];
  /** Boxes of the chunks that look different. */
  readonly chunks: readonly Box[];
  /** Only if the caller asked for it. */
  readonly edits?: EditedChunks | undefined;
}

/** Collects the changes of a replica until an update reports what looks different. */
export class ReplicaChanges {
  /** Each affected region, and whether it was held at the last update. */
  readonly #wasHeld = new PositionMap<boolean>();
  /** Regions that came from the cache, which therefore has them already. */
  readonly #restored = new PositionSet();
  /** Chunks whose predictions changed, and what they were at the last update. */
  #layersBefore: LayersBefore = new PositionMap();
  #isAnotherWorld = false;
  #treeBefore: RegionTree | undefined;

  /** Adds a change of a region. `treeBefore` is the tree before that change. */
  regionChanged(region: Position, wasHeld: boolean, treeBefore: RegionTree): void {
    this.#treeBefore ??= treeBefore;
    if (!this.#wasHeld.has(...region)) this.#wasHeld.set(...region, wasHeld);
  }

  /** Adds a region that was restored from the cache. */
  regionRestored(region: Position): void {
    this.#restored.add(...region);
  }

  /** Adds chunks whose predictions changed. */
  predictionsChanged(changes: readonly PredictionChange[]): void {
    for (const [chunk, before] of changes) {
      if (!this.#layersBefore.has(...chunk)) this.#layersBefore.set(...chunk, before);
    }
  }

  /** Notes that another replica takes over, whose chunks cannot be compared with those before. */
  replicaReplaced(): void {
    this.#isAnotherWorld = true;
  }

  /** Returns the changes since the last call. */
  collect(replica: Replica, wantsEdits: boolean): ReplicaUpdate {
    const regions: RegionUpdate[] = [];
    const chunks: Box[] = [];
    const changed = new PositionSet();
    for (const [region, wasHeld] of this.#wasHeld) {
      const isHeld = replica.holds(region);
      const isCached = this.#restored.has(...region);
      if (isHeld && !isCached) regions.push({ region, state: "held" });
      if (!isHeld && (wasHeld || isCached)) regions.push({ region, state: "forgotten" });
      if (isHeld !== wasHeld) chunks.push(regionBox(region));
      else if (isHeld) {
        const differences = this.#differences(region, replica.tree);
        chunks.push(...differences);
        if (wantsEdits)
          for (const box of differences)
            for (const chunk of positionsLexicographic(box)) changed.add(...chunk);
      }
    }
    for (const chunk of this.#layersBefore.positions()) {
      const region = regionOf(chunk);
      if (!replica.holds(region)) continue;
      chunks.push(boxAt(chunk));
      if (this.#wasHeld.get(...region) !== false) changed.add(...chunk);
    }
    const edits =
      wantsEdits && !this.#isAnotherWorld && changed.size > 0
        ? replica.editsSince(changed, this.#treeBefore ?? replica.tree, this.#layersBefore)
        : undefined;
    this.#wasHeld.clear();
    this.#restored.clear();
    // Listeners may still ask how chunks were before.
    this.#layersBefore = new PositionMap();
    this.#treeBefore = undefined;
    this.#isAnotherWorld = false;
    return { regions, chunks, edits };
  }

  #differences(region: Position, after: RegionTree): readonly Box[] {
    const box = regionBox(region);
    const before = this.#treeBefore ?? after;
    return Array.from(before.slice(box).differences(after.slice(box)), (difference) => difference.box);
  }
}
