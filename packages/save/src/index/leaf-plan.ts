import {
  type Box,
  type ChunkShape,
  comparePositions,
  isOrthantError,
  OrthantError,
  PositionSet,
  type RegionClock,
} from "@orthant/core";
import { type BlobSize, blobSizeOf } from "../codec/blob-size.ts";
import type { StoredEntity } from "../codec/entity-record.ts";
import type { LeafEntry } from "../codec/leaf-entry.ts";
import type { SaveLimits } from "../codec/limits.ts";
import { packedBytesAtLeast } from "../codec/packed-blob.ts";
import type { BlockEntry } from "../codec/prepared-blocks.ts";
import type { StoredBlock } from "../codec/stored-block.ts";
import type { LeafChange } from "../commit/save-change.ts";
import type { Pacer } from "../commit/slow-work.ts";
import { describeCell } from "./cell.ts";
import { type BlockStorage, blocksToStore } from "./leaf-blobs.ts";
import type { LeafMap } from "./leaf-map.ts";
import {
  findMerge,
  fitsLeaf,
  fitsMerged,
  type LeafContent,
  type PreparedEntity,
  partitionLeaf,
  prepareLeaf,
} from "./leaf-partition.ts";

/** A leaf of the next generation: references that stay, and content that has no records yet. */
export interface PlannedLeaf extends LeafEntry {
  readonly newBlocks?: readonly StoredBlock[];
  readonly newEntities?: readonly PreparedEntity[];
}

/** Properties shared by the leaves of a save, and access to content that is only on disk. */
export interface PlanContext extends BlockStorage {
  readonly shape: ChunkShape;
  readonly limits: SaveLimits;
  readStored(leaf: LeafEntry): Promise<readonly StoredBlock[]>;
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]>;
  readonly pacer: Pacer;
}

/**
 * Turns the map into that of the next generation. Returns its new leaves in the order of their cells. Splits
 * a leaf that has become too large, and merges leaves that together have become small. Writes nothing. If it
 * throws, the map is unusable.
 */
export async function planLeaves(
  map: LeafMap<PlannedLeaf>,
  changes: readonly LeafChange[],
  context: PlanContext,
): Promise<readonly PlannedLeaf[]> {
  // All old leaves are removed before any is added: a change may bring a cell where another's leaf was.
  const old = changes.map(({ cell }) => map.remove(cell));
  let added: PlannedLeaf[] = [];
  for (const [index, change] of changes.entries()) {
    for (const leaf of await planChange(change, old[index], context)) {
      map.add(leaf);
      added.push(leaf);
      await context.pacer.passed(leaf.chunks);
    }
  }
  for (const leaf of added) {
    const merged = map.at(leaf.cell) === leaf ? await mergeAround(map, leaf, context) : undefined;
    if (merged !== undefined) added = [...added, merged];
  }
  return added
    .filter((leaf) => map.at(leaf.cell) === leaf)
    .sort((a, b) => comparePositions(a.cell.min, b.cell.min));
}

/**
 * Returns the leaves that result from one change. Content that the change omits is read only if the leaf has
 * to be split.
 */
async function planChange(
  change: LeafChange,
  old: LeafEntry | undefined,
  context: PlanContext,
): Promise<readonly PlannedLeaf[]> {
  const { cell, entities, clocks } = change;
  const { shape, limits, blobVersion } = context;
  const newClocks = sortClocks(clocks ?? old?.clocks ?? []);
  const blocks = await blocksAfter(change, old, context);
  const given = prepareLeaf(cell, blocks ?? [], entities ?? [], newClocks, shape);
  if (fitsLeaf(given, limits, blobVersion)) {
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
  const allBlocks = blocks ?? (await storedIn(old, context));
  const allEntities = entities ?? (old === undefined ? [] : await context.readEntities(old));
  const whole = prepareLeaf(cell, allBlocks, allEntities, newClocks, shape);
  return partitionLeaf(whole, limits, blobVersion).map(plannedOf);
}

/** Returns all blocks of a leaf after a change; `undefined` if the change has none. */
async function blocksAfter(
  { cell, blocks, changed }: LeafChange,
  old: LeafEntry | undefined,
  context: PlanContext,
): Promise<readonly StoredBlock[] | undefined> {
  if (changed === undefined) return blocks && blocksToStore(blocks, context);
  if (blocks !== undefined) {
    const detail = `the change of the leaf at ${describeCell(cell)} has all of its blocks and those that changed`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  const gone = new PositionSet();
  const added: BlockEntry[] = [];
  for (const { position, chunk } of changed) {
    gone.add(...position);
    if (chunk !== undefined) added.push({ position, chunk });
  }
  const kept = (await storedIn(old, context)).filter(({ position }) => !gone.has(...position));
  return [...kept, ...(await blocksToStore(added, context))];
}

/** Reads the blocks of a leaf from disk, in the form the save stores. */
async function storedIn(leaf: LeafEntry | undefined, context: PlanContext): Promise<readonly StoredBlock[]> {
  return leaf === undefined ? [] : blocksToStore(await context.readStored(leaf), context);
}

/** Replaces the given leaf and its neighbours with one leaf if together they are small enough. */
async function mergeAround(
  map: LeafMap<PlannedLeaf>,
  leaf: PlannedLeaf,
  context: PlanContext,
): Promise<PlannedLeaf | undefined> {
  const { limits, blobVersion = 2 } = context;
  const cell = findMerge(map, leaf, sizesOf, limits);
  if (cell === undefined) return undefined;
  const members = [...map.inside(cell)].filter((member) => member !== undefined);
  const content = await readMembers(cell, members, context);
  if (content === undefined || !fitsMerged(content, limits, blobVersion)) return undefined;
  for (const member of members) map.remove(member.cell);
  const merged = plannedOf(content);
  map.add(merged);
  return merged;
}

/** Reads the content of several leaves; `undefined` if some of it is unreadable. */
async function readMembers(
  cell: Box,
  members: readonly PlannedLeaf[],
  context: PlanContext,
): Promise<LeafContent | undefined> {
  const blocks: StoredBlock[] = [];
  const entities: StoredEntity[] = [];
  try {
    for (const member of members) {
      for (const block of member.newBlocks ?? (await storedIn(member, context))) blocks.push(block);
      const known = member.newEntities?.map(({ entity }) => entity);
      entities.push(...(known ?? (await context.readEntities(member))));
    }
  } catch (error) {
    // A damaged neighbour must not keep this leaf from being saved. It stays unchanged, to be found.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
  const clocks = sortClocks(members.flatMap((member) => member.clocks));
  return prepareLeaf(cell, blocks, entities, clocks, context.shape);
}

/** Returns a planned leaf whose content is all new. */
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

function sizesOf({ blockRefs, entityRefs, newBlocks = [], newEntities = [] }: PlannedLeaf): {
  readonly blocks: BlobSize;
  readonly entityBytes: number;
} {
  let bytes = packedBytesAtLeast(newBlocks);
  let blocks = newBlocks.length;
  for (const ref of blockRefs) {
    const size = blobSizeOf(ref);
    bytes += size.bytes;
    blocks += size.blocks;
  }
  let entityBytes = 0;
  for (const { recordBytes } of entityRefs) entityBytes += recordBytes;
  for (const entity of newEntities) entityBytes += entity.bytes;
  return { blocks: { bytes, blocks }, entityBytes };
}

function sortClocks(clocks: readonly RegionClock[]): readonly RegionClock[] {
  return [...clocks].sort((a, b) => comparePositions(a.region, b.region));
}
