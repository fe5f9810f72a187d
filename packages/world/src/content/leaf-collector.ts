import type { Box, Position } from "@orthant/core";
import {
  boxAt,
  boxContainsBox,
  getOrAdd,
  PositionMap,
  positionFrom,
  REGION_EDGE_CHUNKS,
  regionBox,
  regionOf,
} from "@orthant/core/lattice";
import type { OverrideTree, RegionClock } from "@orthant/core/tree";
import {
  type ChunkAssignment,
  chunkOfEntity,
  type LeafChange,
  type LeafIndex,
  type StoredEntity,
} from "@orthant/save";
import type { ScheduledTick } from "@orthant/save/content";
import type { LoadedEntities } from "../entities/loaded-entities.ts";
import type { LoadedTicks } from "../regions/loaded-ticks.ts";
import { cubeKey } from "../regions/region-reader.ts";
import type { UnsavedChanges } from "./unsaved-changes.ts";

/** Number of chunks and clocks that are collected per slice, about half a millisecond. */
const CHANGES_PER_SLICE = 256;

/** The world whose changes are collected. */
interface CollectedWorld {
  readonly index: LeafIndex;
  readonly overrides: OverrideTree;
  readonly ticks: LoadedTicks;
  readonly entities: LoadedEntities;
  readonly nowMs: number;
}

/** A leaf with the changes found so far. */
interface CollectedLeaf {
  readonly cube: Box;
  readonly changed: ChunkAssignment[];
  readonly clocks: RegionClock[];
  entities?: readonly StoredEntity[];
}

/**
 * Groups unsaved changes by the leaf that stores them, all as of the moment of construction. The constructor takes
 * entities and ticks, which change in place, and needs the parts of the index that hold these entities. Chunks never
 * change, and an edit replaces the tree that holds them, so {@link collect} can group them in slices. Nothing may be added
 * to the unsaved changes meanwhile.
 */
export class LeafCollector {
  readonly #unsaved: UnsavedChanges;
  readonly #index: LeafIndex;
  readonly #overrides: OverrideTree;
  /** The ticks of the changed chunks; `undefined` if no chunk has any. */
  readonly #ticks: PositionMap<readonly ScheduledTick[]> | undefined;
  readonly #leaves: CollectedLeaf[] = [];
  /** Keyed by the lowest chunk of the leaf; leaves do not overlap. */
  readonly #byCorner = new PositionMap<CollectedLeaf>();
  /** Cache for regions that lie in one leaf, as most do: thousands of chunks may change in a few of them. */
  readonly #byRegion = new PositionMap<CollectedLeaf>();
  #collected = 0;

  constructor(unsaved: UnsavedChanges, { index, overrides, ticks, entities, nowMs }: CollectedWorld) {
    this.#unsaved = unsaved;
    this.#index = index;
    this.#overrides = overrides;
    this.#ticks = ticks.isEmpty ? undefined : ticksOf(unsaved.chunks, ticks);
    this.#takeEntities(entities, nowMs);
  }

  /** The leaves whose entities changed, each with all of its entities. */
  *entityLeaves(): Generator<{ readonly cube: Box; readonly entities: readonly StoredEntity[] }> {
    for (const { cube, entities } of this.#leaves) if (entities !== undefined) yield { cube, entities };
  }

  /** Returns the leaves that a commit has to write so that nothing remains unsaved. Calls `pause` between slices. */
  async collect(pause?: () => Promise<void>): Promise<readonly LeafChange[]> {
    const { chunks, hidden, clocks } = this.#unsaved;
    for (const position of chunks) {
      const chunk = this.#overrides.at(...position);
      const leaf = this.#knownLeaf(position) ?? (await this.#loadLeaf(position));
      leaf.changed.push({ position, chunk, ticks: this.#ticks?.get(...position) });
      if (this.#endsSlice()) await pause?.();
    }
    for (const [position, chunk] of hidden)
      (await this.#loadLeaf(position)).changed.push({ position, chunk });
    for (const [region, clock] of clocks) {
      const corner = cornerOf(region);
      const leaf = this.#knownLeaf(corner) ?? (await this.#loadLeaf(corner));
      leaf.clocks.push({ region, clock });
      if (this.#endsSlice()) await pause?.();
    }
    const changes: LeafChange[] = [];
    for (const leaf of this.#leaves) {
      changes.push(await this.#changeOf(leaf));
      if (this.#endsSlice(leaf.clocks.length)) await pause?.();
    }
    return changes;
  }

  /** Counts changes. Returns whether a slice ends with them. */
  #endsSlice(changes = 1): boolean {
    this.#collected += changes;
    if (this.#collected < CHANGES_PER_SLICE) return false;
    this.#collected = 0;
    return true;
  }

  #takeEntities(entities: LoadedEntities, nowMs: number): void {
    const changed = new Map<CollectedLeaf, StoredEntity[]>();
    const changedAt = (position: Position): StoredEntity[] => {
      const leaf = this.#leafAt(position);
      return getOrAdd(changed, leaf, () => []);
    };
    for (const cube of this.#unsaved.entityCubes) {
      // A commit that was running when the cube was recorded may have split or merged its leaf.
      for (const leaf of this.#index.touching(cube)) changedAt(leaf.cube.min);
    }
    for (const entity of entities.unassigned()) changedAt(chunkOfEntity(entity, entities.shape)).push(entity);
    if (changed.size === 0) return;
    const storedIn = entities.byCube();
    for (const [leaf, newcomers] of changed) {
      const all = [...(storedIn.get(cubeKey(leaf.cube)) ?? []), ...newcomers];
      leaf.entities = all.map((entity) => ({ ...entity, lastSavedMs: nowMs }));
    }
  }

  #knownLeaf(position: Position): CollectedLeaf | undefined {
    return this.#byRegion.get(...regionOf(position));
  }

  /** Returns the leaf of a chunk, after reading its part of the index if that was unloaded. */
  async #loadLeaf(position: Position): Promise<CollectedLeaf> {
    await this.#loadIndex(boxAt(position));
    return this.#leafAt(position);
  }

  async #loadIndex(box: Box): Promise<void> {
    // Loaded pages may be unloaded during the await.
    while (!this.#index.isLoaded(box)) await this.#index.load(box);
  }

  /** Returns the leaf of a chunk whose part of the index is loaded. */
  #leafAt(position: Position): CollectedLeaf {
    const cube = this.#index.cubeFor(position);
    const leaf = this.#byCorner.get(...cube.min) ?? this.#newLeaf(cube);
    const region = regionOf(position);
    if (boxContainsBox(cube, regionBox(region))) this.#byRegion.set(...region, leaf);
    return leaf;
  }

  #newLeaf(cube: Box): CollectedLeaf {
    const leaf: CollectedLeaf = { cube, changed: [], clocks: [] };
    this.#leaves.push(leaf);
    this.#byCorner.set(...cube.min, leaf);
    return leaf;
  }

  async #changeOf({ cube, changed, clocks, entities }: CollectedLeaf): Promise<LeafChange> {
    await this.#loadIndex(boxAt(cube.min));
    return {
      cube,
      clocks: mergeClocks(this.#index.at(cube)?.clocks ?? [], clocks),
      ...(changed.length > 0 && { changed }),
      ...(entities !== undefined && { entities }),
    };
  }
}

function ticksOf(chunks: Iterable<Position>, ticks: LoadedTicks): PositionMap<readonly ScheduledTick[]> {
  const found = new PositionMap<readonly ScheduledTick[]>();
  for (const position of chunks) {
    const ofChunk = ticks.find(position);
    if (ofChunk !== undefined) found.set(...position, ofChunk.list());
  }
  return found;
}

/** Returns the lowest chunk of a region. The leaf that holds it stores the region's clock. */
function cornerOf(region: Position): Position {
  return positionFrom((axis) => region[axis] * REGION_EDGE_CHUNKS);
}

function mergeClocks(
  before: readonly RegionClock[],
  changed: readonly RegionClock[],
): readonly RegionClock[] {
  if (before.length === 0) return changed;
  const byRegion = new PositionMap<RegionClock>();
  for (const entry of before) byRegion.set(...entry.region, entry);
  for (const entry of changed) byRegion.set(...entry.region, entry);
  return [...byRegion.values()];
}
