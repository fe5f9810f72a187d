import {
  type Box,
  type Chunk,
  type ChunkShape,
  comparePlaces,
  isOrthantError,
  type Place,
} from "@orthant/core";
import type { SaveLimits } from "../limits.ts";
import type { BlobRef } from "../records/blob-ref.ts";
import { blockBlobBytes } from "../records/block-blob.ts";
import type { EntityRecord } from "../records/entity-record.ts";
import type { LeafEntry, RegionClock } from "../records/leaf-entry.ts";
import type { BlockEntry, PreparedBlock } from "../records/prepared-blocks.ts";
import type { LeafChange } from "../save-change.ts";
import type { LeafMap } from "./leaf-map.ts";
import {
  findMerge,
  fitsLeaf,
  type LeafContent,
  type PreparedEntity,
  partitionLeaf,
  prepareLeaf,
} from "./leaf-partition.ts";

/** A leaf of the next generation: references that stay, and content for which there are no records yet. */
export interface PlannedLeaf extends LeafEntry {
  readonly newBlocks?: readonly PreparedBlock[];
  readonly newEntities?: readonly PreparedEntity[];
}

/** What the leaves of a save have in common, and how to get at content that is on disk only. */
export interface PlanContext {
  readonly shape: ChunkShape;
  readonly limits: SaveLimits;
  /** What the world's generator makes of a chunk. */
  readonly generated?: (place: Place) => Chunk;
  readBlocks(leaf: LeafEntry): Promise<readonly BlockEntry[]>;
  readEntities(leaf: LeafEntry): Promise<readonly EntityRecord[]>;
}

/**
 * Changes the map into that of the next generation and gives the leaves that are new in it, in the order of
 * their cells. A leaf that has grown too large is split; leaves that together have become small are merged.
 * Writes nothing. When it throws, the map is of no more use.
 */
export async function planLeaves(
  map: LeafMap<PlannedLeaf>,
  changes: readonly LeafChange[],
  context: PlanContext,
): Promise<readonly PlannedLeaf[]> {
  // All are taken out before any is put in: a change may bring a cell where another's leaf was.
  const old = changes.map(({ cell }) => map.remove(cell));
  let added: PlannedLeaf[] = [];
  for (const [index, change] of changes.entries()) {
    for (const leaf of await planChange(change, old[index], context)) {
      map.add(leaf);
      added.push(leaf);
    }
  }
  for (const leaf of added) {
    const merged = map.at(leaf.cell) === leaf ? await mergeAround(map, leaf, context) : undefined;
    if (merged !== undefined) added = [...added, merged];
  }
  return added
    .filter((leaf) => map.at(leaf.cell) === leaf)
    .sort((a, b) => comparePlaces(a.cell.min, b.cell.min));
}

/** The leaves that one change results in; what it leaves out is read only when the leaf has to be split. */
async function planChange(
  { cell, blocks, entities, clocks }: LeafChange,
  old: LeafEntry | undefined,
  context: PlanContext,
): Promise<readonly PlannedLeaf[]> {
  const newClocks = sortClocks(clocks ?? old?.clocks ?? []);
  const given = prepareLeaf(cell, blocks ?? [], entities ?? [], newClocks, context.shape);
  if (fitsLeaf(given, context.limits)) {
    const leaf: PlannedLeaf = {
      cell,
      blockRefs: blocks === undefined ? (old?.blockRefs ?? []) : [],
      entityRefs: entities === undefined ? (old?.entityRefs ?? []) : [],
      chunks: blocks === undefined ? (old?.chunks ?? 0) : blocks.length,
      clocks: newClocks,
      ...(blocks !== undefined && { newBlocks: given.blocks }),
      ...(entities !== undefined && { newEntities: given.entities }),
    };
    return holdsNothing(leaf) ? [] : [leaf];
  }
  const allBlocks = blocks ?? (old === undefined ? [] : await context.readBlocks(old));
  const allEntities = entities ?? (old === undefined ? [] : await context.readEntities(old));
  const whole = prepareLeaf(cell, allBlocks, allEntities, newClocks, context.shape);
  return partitionLeaf(whole, context.limits).map(plannedOf);
}

/** Puts one leaf in the place of the given one and its neighbours, when together they are small enough. */
async function mergeAround(
  map: LeafMap<PlannedLeaf>,
  leaf: PlannedLeaf,
  context: PlanContext,
): Promise<PlannedLeaf | undefined> {
  const cell = findMerge(map, leaf, bytesOf, context.limits);
  if (cell === undefined) return undefined;
  const members = [...map.inside(cell)].filter((member) => member !== undefined);
  const content = await readMembers(cell, members, context);
  if (content === undefined || !fitsLeaf(content, context.limits)) return undefined;
  for (const member of members) map.remove(member.cell);
  const merged = plannedOf(content);
  map.add(merged);
  return merged;
}

/** What several leaves hold together; `undefined` when some of it cannot be read. */
async function readMembers(
  cell: Box,
  members: readonly PlannedLeaf[],
  context: PlanContext,
): Promise<LeafContent | undefined> {
  const blocks: BlockEntry[] = [];
  const entities: EntityRecord[] = [];
  try {
    for (const member of members) {
      blocks.push(
        ...((member.newBlocks as readonly BlockEntry[] | undefined) ?? (await context.readBlocks(member))),
      );
      const known = member.newEntities?.map(({ entity }) => entity);
      entities.push(...(known ?? (await context.readEntities(member))));
    }
  } catch (error) {
    // A neighbour that is damaged must not keep this leaf from being saved: it stays as it is, to be found.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
  const clocks = sortClocks(members.flatMap((member) => member.clocks));
  return prepareLeaf(cell, blocks, entities, clocks, context.shape);
}

/** A leaf whose content is all new. */
export function plannedOf({ cell, blocks, entities, clocks }: LeafContent): PlannedLeaf {
  return {
    cell,
    blockRefs: [],
    entityRefs: [],
    chunks: blocks.length,
    clocks: sortClocks(clocks),
    newBlocks: blocks,
    newEntities: entities,
  };
}

function holdsNothing({
  blockRefs,
  entityRefs,
  clocks,
  newBlocks = [],
  newEntities = [],
}: PlannedLeaf): boolean {
  return blockRefs.length + entityRefs.length + clocks.length + newBlocks.length + newEntities.length === 0;
}

function bytesOf({ blockRefs, entityRefs, newBlocks = [], newEntities = [] }: PlannedLeaf): {
  readonly blockBytes: number;
  readonly entityBytes: number;
} {
  const newBlockBytes = newBlocks.length === 0 ? 0 : blockBlobBytes(newBlocks);
  const newEntityBytes = newEntities.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    blockBytes: sumBytes(blockRefs) + newBlockBytes,
    entityBytes: sumBytes(entityRefs) + newEntityBytes,
  };
}

function sumBytes(refs: readonly BlobRef[]): number {
  return refs.reduce((sum, { recordBytes }) => sum + recordBytes, 0);
}

function sortClocks(clocks: readonly RegionClock[]): readonly RegionClock[] {
  return [...clocks].sort((a, b) => comparePlaces(a.region, b.region));
}
