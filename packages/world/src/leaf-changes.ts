import {
  type Box,
  boxEquals,
  type OverrideTree,
  type Place,
  placeFrom,
  placesLexicographic,
  REGION_EDGE_CHUNKS,
} from "@orthant/core";
import {
  type BlockEntry,
  chunkOfEntity,
  type EntityRecord,
  type LeafChange,
  type LeafIndex,
  type RegionClock,
} from "@orthant/formats";
import { cellKey, clampPlace } from "./cell-key.ts";
import type { EntityStore } from "./entity-store.ts";
import type { Unsaved } from "./unsaved.ts";

interface CellChange {
  readonly cell: Box;
  blocksChanged: boolean;
  entitiesChanged: boolean;
  readonly newcomers: EntityRecord[];
  readonly clocks: RegionClock[];
}

/** The leaves that a commit has to write so that nothing is unsaved, as everything is at this moment. */
export function leafChanges(
  unsaved: Unsaved,
  map: LeafIndex,
  overrides: OverrideTree,
  entities: EntityStore,
): readonly LeafChange[] {
  const changes = new Map<string, CellChange>();
  const changeAt = (place: Place): CellChange => {
    const cell = map.cellFor(place);
    const key = cellKey(cell);
    const change = changes.get(key) ?? {
      cell,
      blocksChanged: false,
      entitiesChanged: false,
      newcomers: [],
      clocks: [],
    };
    changes.set(key, change);
    return change;
  };
  for (const place of unsaved.chunks) changeAt(place).blocksChanged = true;
  for (const [region, clock] of unsaved.clocks) changeAt(cornerOf(region)).clocks.push({ region, clock });
  for (const cell of unsaved.entityCells) {
    // A commit that ran when the cell was noted may have split or merged the leaf that it was of.
    for (const leaf of map.touching(cell)) changeAt(leaf.cell.min).entitiesChanged = true;
  }
  for (const entity of entities.homeless())
    changeAt(chunkOfEntity(entity, entities.shape)).newcomers.push(entity);
  const storedIn = entities.byHome();
  return [...changes.values()].map((change) => finish(change, map, overrides, storedIn));
}

function finish(
  { cell, blocksChanged, entitiesChanged, newcomers, clocks }: CellChange,
  map: LeafIndex,
  overrides: OverrideTree,
  storedIn: ReadonlyMap<string, readonly EntityRecord[]>,
): LeafChange {
  const stored =
    entitiesChanged || newcomers.length > 0
      ? [...(storedIn.get(cellKey(cell)) ?? []), ...newcomers]
      : undefined;
  return {
    cell,
    clocks: mergeClocks(map.at(cell)?.clocks ?? [], clocks),
    ...(blocksChanged && { blocks: blocksIn(cell, overrides) }),
    ...(stored !== undefined && { entities: stored }),
  };
}

function blocksIn(cell: Box, overrides: OverrideTree): readonly BlockEntry[] {
  const blocks: BlockEntry[] = [];
  for (const { box, content } of overrides.pieces(cell)) {
    for (const place of placesLexicographic(box)) blocks.push({ place, chunk: content });
  }
  return blocks;
}

/** A region's clock lies with the leaf that holds the region's lowest corner. */
function cornerOf(region: Place): Place {
  return placeFrom((axis) => region[axis] * REGION_EDGE_CHUNKS);
}

function mergeClocks(
  before: readonly RegionClock[],
  changed: readonly RegionClock[],
): readonly RegionClock[] {
  const byRegion = new Map(before.map((entry) => [`${entry.region}`, entry]));
  for (const entry of changed) byRegion.set(`${entry.region}`, entry);
  return [...byRegion.values()];
}

/** The cell of the leaf in which an entity ends up that was stored in this cell before a commit. */
export function homeAfter(map: LeafIndex, before: Box, chunk: Place): Box | undefined {
  const same = map.at(before);
  if (same !== undefined && boxEquals(same.cell, before)) return before;
  return map.find(clampPlace(chunk, before))?.cell;
}
