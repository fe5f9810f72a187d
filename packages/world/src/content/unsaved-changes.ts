import {
  type Box,
  boxContainsBox,
  type OverrideTree,
  type Position,
  PositionMap,
  PositionSet,
  positionFrom,
  REGION_EDGE_CHUNKS,
  type RegionClock,
  regionBox,
  regionOf,
} from "@orthant/core";
import {
  type ChunkAssignment,
  chunkOfEntity,
  type LeafChange,
  type LeafIndex,
  type StoredEntity,
} from "@orthant/save";
import type { EntityStore } from "../entities/entity-store.ts";
import { cellKey } from "../regions/region-reader.ts";

/** The differences from the last save. */
export class UnsavedChanges {
  /** Chunks that changed. */
  readonly chunks: PositionSet = new PositionSet();
  /** Regions with new clocks. */
  readonly clocks: PositionMap<number> = new PositionMap();
  /** Ids of players that changed. */
  readonly players: Set<bigint> = new Set();
  /** Whether the name, spawn, epoch or anything else about the world as a whole changed. */
  global = false;
  /** Whether there are entities that no leaf stores. */
  hasUnassigned = false;
  readonly #entityCells = new Map<string, Box>();

  /** Cells of leaves whose entities changed. */
  get entityCells(): Iterable<Box> {
    return this.#entityCells.values();
  }

  /** Whether there are no differences. */
  get isEmpty(): boolean {
    const counted = this.players.size + this.chunks.size + this.clocks.size + this.#entityCells.size;
    return counted === 0 && !this.global && !this.hasUnassigned;
  }

  /** Records that the entities stored in a cell changed. */
  addEntityCell(cell: Box): void {
    this.#entityCells.set(cellKey(cell), cell);
  }

  /** Records that a chunk changed. */
  addChunk(position: Position): void {
    this.chunks.add(...position);
  }
}

interface CellChange {
  readonly cell: Box;
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
  overrides: OverrideTree,
  entities: EntityStore,
): readonly LeafChange[] {
  const changes: CellChange[] = [];
  /** Keyed by the lowest chunk of the leaf; leaves do not overlap. */
  const byCorner = new PositionMap<CellChange>();
  /** Cache for regions that lie in one leaf, as most do: thousands of chunks may change in a few of them. */
  const byRegion = new PositionMap<CellChange>();
  const changeAt = (position: Position): CellChange => {
    const region = regionOf(position);
    const known = byRegion.get(...region);
    if (known !== undefined) return known;
    const cell = index.cellFor(position);
    const change = byCorner.get(...cell.min) ?? newChange(cell);
    if (boxContainsBox(cell, regionBox(region))) byRegion.set(...region, change);
    return change;
  };
  const newChange = (cell: Box): CellChange => {
    const change = { cell, changed: [], entitiesChanged: false, newcomers: [], clocks: [] };
    changes.push(change);
    byCorner.set(...cell.min, change);
    return change;
  };
  for (const position of unsaved.chunks)
    changeAt(position).changed.push({ position, chunk: overrides.at(...position) });
  for (const [region, clock] of unsaved.clocks) changeAt(cornerOf(region)).clocks.push({ region, clock });
  for (const cell of unsaved.entityCells) {
    // A commit that was running when the cell was recorded may have split or merged its leaf.
    for (const leaf of index.touching(cell)) changeAt(leaf.cell.min).entitiesChanged = true;
  }
  for (const entity of entities.unassigned())
    changeAt(chunkOfEntity(entity, entities.shape)).newcomers.push(entity);
  const storedIn = entities.byCell();
  return changes.map((change) => finish(change, index, storedIn));
}

function finish(
  { cell, changed, entitiesChanged, newcomers, clocks }: CellChange,
  index: LeafIndex,
  storedIn: ReadonlyMap<string, readonly StoredEntity[]>,
): LeafChange {
  const stored =
    entitiesChanged || newcomers.length > 0
      ? [...(storedIn.get(cellKey(cell)) ?? []), ...newcomers]
      : undefined;
  return {
    cell,
    clocks: mergeClocks(index.at(cell)?.clocks ?? [], clocks),
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
  const byRegion = new Map(before.map((entry) => [`${entry.region}`, entry]));
  for (const entry of changed) byRegion.set(`${entry.region}`, entry);
  return [...byRegion.values()];
}
