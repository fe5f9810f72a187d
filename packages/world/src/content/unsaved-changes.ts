import type { Box, Chunk, Position } from "@orthant/core";
import {
  boxContainsBox,
  type OverrideTree,
  PositionMap,
  PositionSet,
  positionFrom,
  REGION_EDGE_CHUNKS,
  type RegionClock,
  regionBox,
  regionOf,
} from "@orthant/core/engine";
import {
  type ChunkAssignment,
  chunkOfEntity,
  type LeafChange,
  type LeafIndex,
  type StoredEntity,
} from "@orthant/save";
import type { EntityStore } from "../entities/entity-store.ts";
import { cubeKey } from "../regions/region-reader.ts";
import type { TickStore } from "../simulation/tick-store.ts";

/** The differences from the last save. */
export class UnsavedChanges {
  readonly chunks: PositionSet = new PositionSet();
  /** Chunks of a journal on axes that the world lacks. They are saved and never shown. Rule S104. */
  readonly hidden: PositionMap<Chunk> = new PositionMap();
  /** Regions with new clocks. */
  readonly clocks: PositionMap<number> = new PositionMap();
  /** Regions with changes that bring no clock: ticks, and chunks of a journal. */
  readonly otherRegions: PositionSet = new PositionSet();
  readonly players: Set<bigint> = new Set();
  /** Changed keys of the store with their new values; `undefined` for a removed key. */
  store: Map<string, Uint8Array | undefined> = new Map();
  /** Whether the name, spawn, epoch or anything else about the world as a whole changed. */
  global = false;
  /** Whether some entities do not yet belong to a leaf: new ones, and those that left theirs. */
  hasUnassigned = false;
  readonly #entityCubes = new Map<string, Box>();

  /** Cubes of leaves whose entities changed. */
  get entityCubes(): Iterable<Box> {
    return this.#entityCubes.values();
  }

  get isEmpty(): boolean {
    const places = this.chunks.size + this.hidden.size + this.clocks.size + this.#entityCubes.size;
    return this.players.size + this.store.size + places === 0 && !this.global && !this.hasUnassigned;
  }

  /** Records that the entities stored in a cube changed. */
  addEntityCube(cube: Box): void {
    this.#entityCubes.set(cubeKey(cube), cube);
  }

  /** All regions with changes. Looks at no chunk: each is in a region of `clocks` or `otherRegions`. */
  regions(): PositionSet {
    const regions = new PositionSet();
    for (const chunk of this.hidden.positions()) regions.add(...regionOf(chunk));
    for (const region of this.clocks.positions()) regions.add(...region);
    for (const region of this.otherRegions) regions.add(...region);
    return regions;
  }

  /** Whether a region has changes, so that it must stay in memory. */
  isUnsaved(region: Position): boolean {
    return this.clocks.has(...region) || this.otherRegions.has(...region);
  }

  addChunk(position: Position): void {
    this.chunks.add(...position);
  }

  /** Adds changes that were made after these. */
  addLater(later: UnsavedChanges): void {
    for (const position of later.chunks) this.addChunk(position);
    for (const [position, chunk] of later.hidden) this.hidden.set(...position, chunk);
    for (const [region, clock] of later.clocks) this.clocks.set(...region, clock);
    for (const region of later.otherRegions) this.otherRegions.add(...region);
    for (const player of later.players) this.players.add(player);
    for (const [key, value] of later.store) this.store.set(key, value);
    for (const cube of later.entityCubes) this.addEntityCube(cube);
    this.global ||= later.global;
    this.hasUnassigned ||= later.hasUnassigned;
  }
}

interface CubeChange {
  readonly cube: Box;
  readonly changed: ChunkAssignment[];
  entitiesChanged: boolean;
  readonly newcomers: StoredEntity[];
  readonly clocks: RegionClock[];
}

/**
 * Returns the leaves that a commit has to write so that nothing remains unsaved, as of now. The index must be
 * loaded wherever something is unsaved.
 */
export function leafChanges(
  unsaved: UnsavedChanges,
  index: LeafIndex,
  { overrides, ticks }: { readonly overrides: OverrideTree; readonly ticks: TickStore },
  entities: EntityStore,
): readonly LeafChange[] {
  const changes: CubeChange[] = [];
  /** Keyed by the lowest chunk of the leaf; leaves do not overlap. */
  const byCorner = new PositionMap<CubeChange>();
  /** Cache for regions that lie in one leaf, as most do: thousands of chunks may change in a few of them. */
  const byRegion = new PositionMap<CubeChange>();
  const changeAt = (position: Position): CubeChange => {
    const region = regionOf(position);
    const known = byRegion.get(...region);
    if (known !== undefined) return known;
    const cube = index.cubeFor(position);
    const change = byCorner.get(...cube.min) ?? newChange(cube);
    if (boxContainsBox(cube, regionBox(region))) byRegion.set(...region, change);
    return change;
  };
  const newChange = (cube: Box): CubeChange => {
    const change = { cube, changed: [], entitiesChanged: false, newcomers: [], clocks: [] };
    changes.push(change);
    byCorner.set(...cube.min, change);
    return change;
  };
  for (const position of unsaved.chunks)
    changeAt(position).changed.push({
      position,
      chunk: overrides.at(...position),
      ticks: ticks.find(position)?.list(),
    });
  for (const [position, chunk] of unsaved.hidden) changeAt(position).changed.push({ position, chunk });
  for (const [region, clock] of unsaved.clocks) changeAt(cornerOf(region)).clocks.push({ region, clock });
  for (const cube of unsaved.entityCubes) {
    // A commit that was running when the cube was recorded may have split or merged its leaf.
    for (const leaf of index.touching(cube)) changeAt(leaf.cube.min).entitiesChanged = true;
  }
  for (const entity of entities.unassigned())
    changeAt(chunkOfEntity(entity, entities.shape)).newcomers.push(entity);
  const storedIn = entities.byCube();
  return changes.map((change) => finish(change, index, storedIn));
}

function finish(
  { cube, changed, entitiesChanged, newcomers, clocks }: CubeChange,
  index: LeafIndex,
  storedIn: ReadonlyMap<string, readonly StoredEntity[]>,
): LeafChange {
  const stored =
    entitiesChanged || newcomers.length > 0
      ? [...(storedIn.get(cubeKey(cube)) ?? []), ...newcomers]
      : undefined;
  return {
    cube,
    clocks: mergeClocks(index.at(cube)?.clocks ?? [], clocks),
    ...(changed.length > 0 && { changed }),
    ...(stored !== undefined && { entities: stored }),
  };
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
