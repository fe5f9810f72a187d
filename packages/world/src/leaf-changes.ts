import {
  type Box,
  boxContainsBox,
  type OverrideTree,
  type Position,
  PositionMap,
  positionFrom,
  REGION_EDGE_CHUNKS,
  type RegionClock,
  regionBox,
  regionOf,
} from "@orthant/core";
import {
  type BlockAssignment,
  chunkOfEntity,
  type LeafChange,
  type LeafIndex,
  type StoredEntity,
} from "@orthant/save";
import { cellKey } from "./cell-key.ts";
import type { EntityStore } from "./entity-store.ts";
import type { Unsaved } from "./unsaved.ts";

interface CellChange {
  readonly cell: Box;
  readonly changed: BlockAssignment[];
  entitiesChanged: boolean;
  readonly newcomers: StoredEntity[];
  readonly clocks: RegionClock[];
}

/**
 * Returns the leaves that a commit has to write so that nothing remains unsaved, as of now. The index must be
 * loaded wherever something is unsaved.
 */
export function leafChanges(
  unsaved: Unsaved,
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
  for (const entity of entities.homeless())
    changeAt(chunkOfEntity(entity, entities.shape)).newcomers.push(entity);
  const storedIn = entities.byHome();
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
