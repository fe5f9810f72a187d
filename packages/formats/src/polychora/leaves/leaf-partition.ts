import {
  type Box,
  boxCodec,
  boxContains,
  boxEquals,
  type ChunkShape,
  clampInto,
  encode,
  OrthantError,
  type Place,
  placeFrom,
  REGION_EDGE_CHUNKS,
  type RegionClock,
} from "@orthant/core";
import { LEAF_LEVEL_MAX } from "../layout.ts";
import type { SaveLimits } from "../limits.ts";
import type { BlobSize } from "../records/blob-size.ts";
import { sortEntities } from "../records/entity-blob.ts";
import { type EntityRecord, entityRecordCodec } from "../records/entity-record.ts";
import { boundsOf } from "../records/prepared-blocks.ts";
import { arrangeBlocks, type StoredBlock } from "../records/stored-block.ts";
import {
  cellAround,
  cellAt,
  childCell,
  childSlot,
  describeCell,
  lastOf,
  requireLevel,
} from "../tree-index/cell.ts";
import { CHILDREN } from "../tree-index/index-node.ts";
import { type BlockBlobVersion, blocksFit } from "./leaf-blobs.ts";
import type { LeafMap } from "./leaf-map.ts";

/** What a leaf holds, ready to be measured and cut. */
export interface LeafContent {
  readonly cell: Box;
  readonly blocks: readonly StoredBlock[];
  readonly entities: readonly PreparedEntity[];
  readonly clocks: readonly RegionClock[];
}

/** An entity with its size, and the chunk that it counts for: its own, or the nearest in the cell. */
export interface PreparedEntity {
  readonly entity: EntityRecord;
  readonly place: Place;
  readonly bytes: number;
}

/** Below this level, an edge of four chunks, a leaf splits only where the hard limits demand it. */
const SMALL_LEVEL = 2;
/** A leaf of more blocks than this is split, however few bytes they take: reading it would take too long. */
export const LEAF_BLOCKS_TARGET = 2_048;
/** Leaves merge when together they take at most this part of a target, so that they do not split again soon. */
const MERGE_SHARE = 0.5;
/** What came out of merging may take a little more: places are further apart in a larger cell, and sizes are guessed. */
const MERGED_SHARE = 0.75;
/** More than the count before the entities of a blob ever takes. */
const COUNT_BYTES = 5;

/** Makes content ready; `ORT_ARGUMENT` when a block or clock does not belong into the cell. */
export function prepareLeaf(
  cell: Box,
  blocks: readonly StoredBlock[],
  entities: readonly EntityRecord[],
  clocks: readonly RegionClock[],
  shape: ChunkShape,
): LeafContent {
  requireLevel(cell, LEAF_LEVEL_MAX);
  const outside = blocks.find(({ place }) => !boxContains(cell, place));
  if (outside !== undefined) {
    const detail = `the block at [${outside.place}] is not in the leaf at ${describeCell(cell)}`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return {
    cell,
    blocks: arrangeBlocks(blocks),
    entities: sortEntities(entities).map((entity) => ({
      entity,
      place: clampInto(cell, chunkOfEntity(entity, shape)),
      bytes: encode(entityRecordCodec, entity).length,
    })),
    clocks: [...clocks],
  };
}

/**
 * The leaves that hold the content: one when it is small enough, else one for each of the sixteen children that
 * has any, and so on. Blobs stay under the target, and where a leaf has an edge of four chunks or less under the
 * hard limit. Content that is gone leaves no leaf.
 */
export function partitionLeaf(
  content: LeafContent,
  limits: SaveLimits,
  blobVersion: BlockBlobVersion = 2,
): readonly LeafContent[] {
  const { cell, blocks, entities, clocks } = content;
  if (blocks.length + entities.length + clocks.length === 0) return [];
  const level = requireLevel(cell);
  // A single chunk always fits but for its entities, which then get several records.
  if (level === 0 || fitsLeaf(content, limits, blobVersion)) return [content];
  const narrow = cellOfContent(content, Math.min(SMALL_LEVEL, level));
  if (!boxEquals(narrow, cell)) return partitionLeaf({ ...content, cell: narrow }, limits, blobVersion);
  return splitBySlot(content).flatMap((child) => partitionLeaf(child, limits, blobVersion));
}

/** Whether the content may be one leaf: it is under the targets or, in a small cell, under the hard limits. */
export function fitsLeaf(
  { cell, blocks, entities }: LeafContent,
  limits: SaveLimits,
  blobVersion: BlockBlobVersion = 2,
): boolean {
  const small = requireLevel(cell) <= SMALL_LEVEL;
  if (!small && blobVersion === 2 && blocks.length > LEAF_BLOCKS_TARGET) return false;
  const blockBytesMax = small ? limits.blockBlobHardMaxBytes : limits.blockBlobTargetBytes;
  const entityBytesMax = small ? limits.entityBlobHardMaxBytes : limits.entityBlobTargetBytes;
  if (blocks.length > 0 && !blocksFit(blocks, blockBytesMax, blobVersion)) return false;
  return entities.length === 0 || entityBlobBytes(cell, entities) <= entityBytesMax;
}

/** Whether the content of several leaves may become one. */
export function fitsMerged(
  { cell, blocks, entities }: LeafContent,
  limits: SaveLimits,
  blobVersion: BlockBlobVersion,
): boolean {
  if (blobVersion === 2 && blocks.length > LEAF_BLOCKS_TARGET * MERGED_SHARE) return false;
  const blockBytesMax = limits.blockBlobTargetBytes * MERGED_SHARE;
  if (blocks.length > 0 && !blocksFit(blocks, blockBytesMax, blobVersion)) return false;
  return entityBlobBytes(cell, entities) <= limits.entityBlobTargetBytes * MERGED_SHARE;
}

/** The entities of a leaf in as many blobs as the hard limit asks for: one, unless a single chunk is crowded. */
export function entityBatches(
  cell: Box,
  entities: readonly PreparedEntity[],
  limits: SaveLimits,
): readonly (readonly EntityRecord[])[] {
  const base = entityBlobBytes(cell, []);
  const fitsOne = entityBlobBytes(cell, entities) <= limits.entityBlobHardMaxBytes;
  const bytesMax = fitsOne ? limits.entityBlobHardMaxBytes : limits.entityBlobTargetBytes;
  const batches: EntityRecord[][] = [];
  let room = 0;
  for (const { entity, bytes } of entities) {
    if (base + bytes > limits.entityBlobHardMaxBytes) {
      throw new OrthantError("ORT_LIMIT", `entity ${entity.entityId} takes ${bytes} bytes`);
    }
    if (batches.length === 0 || bytes > room) {
      batches.push([]);
      room = bytesMax - base;
    }
    batches.at(-1)?.push(entity);
    room -= bytes;
  }
  return batches;
}

/**
 * The largest aligned cube, up to an edge of 2^16, that holds the leaf and others and in which all of them are
 * small enough to be one leaf; `undefined` when there is none.
 */
export function findMerge<Leaf extends { readonly cell: Box }>(
  map: LeafMap<Leaf>,
  leaf: Leaf,
  sizeOf: (leaf: Leaf) => { readonly blocks: BlobSize; readonly entityBytes: number },
  limits: SaveLimits,
): Box | undefined {
  let best: Box | undefined;
  for (let level = requireLevel(leaf.cell) + 1; level <= LEAF_LEVEL_MAX; level++) {
    const cell = cellAt(leaf.cell.min, level);
    let blockBytes = 0;
    let blockCount = 0;
    let entityBytes = 0;
    let members = 0;
    for (const member of map.inside(cell)) {
      // What is not in memory is not worth reading to save a leaf.
      if (member === undefined) return best;
      const size = sizeOf(member);
      blockBytes += size.blocks.bytes;
      blockCount += size.blocks.blocks;
      entityBytes += size.entityBytes;
      members++;
      if (blockCount > LEAF_BLOCKS_TARGET * MERGE_SHARE) return best;
      if (blockBytes > limits.blockBlobTargetBytes * MERGE_SHARE) return best;
      if (entityBytes > limits.entityBlobTargetBytes * MERGE_SHARE) return best;
    }
    if (members > 1) best = cell;
  }
  return best;
}

/** The chunk that an entity's position, as it is stored, lies in, rounded to the lattice where it lies beyond it. */
export function chunkOfEntity({ position }: Pick<EntityRecord, "position">, { extents }: ChunkShape): Place {
  return placeFrom((axis) => {
    const chunk = Math.floor(Math.fround(position[axis]) / extents[axis]);
    // A position that is no number has no chunk; any will do, as long as it is always the same.
    return Number.isNaN(chunk) ? 0 : Math.min(Math.max(chunk, -0x8000_0000), 0x7fff_ffff);
  });
}

function entityBlobBytes(cell: Box, entities: readonly PreparedEntity[]): number {
  return entities.reduce((sum, { bytes }) => sum + bytes, encode(boxCodec, cell).length + COUNT_BYTES);
}

function clockPlace(cell: Box, { region }: RegionClock): Place {
  return clampInto(
    cell,
    placeFrom((axis) => region[axis] * REGION_EDGE_CHUNKS),
  );
}

/** The least aligned cube around the content, of at least this level. */
function cellOfContent({ cell, blocks, entities, clocks }: LeafContent, levelMin: number): Box {
  const places = [...blocks, ...entities, ...clocks.map((clock) => ({ place: clockPlace(cell, clock) }))];
  const bounds = boundsOf(places);
  const around = cellAround(bounds.min, lastOf(bounds));
  return requireLevel(around) >= levelMin ? around : cellAt(bounds.min, levelMin);
}

function splitBySlot({ cell, blocks, entities, clocks }: LeafContent): readonly LeafContent[] {
  const slotOf = (place: Place): number => childSlot(cell, place);
  const inSlot = Array.from({ length: CHILDREN }, (_, slot) => ({
    cell: childCell(cell, slot),
    blocks: [] as StoredBlock[],
    entities: [] as PreparedEntity[],
    clocks: [] as RegionClock[],
  }));
  for (const block of blocks) inSlot[slotOf(block.place)]?.blocks.push(block);
  for (const entity of entities) inSlot[slotOf(entity.place)]?.entities.push(entity);
  for (const clock of clocks) inSlot[slotOf(clockPlace(cell, clock))]?.clocks.push(clock);
  return inSlot;
}
