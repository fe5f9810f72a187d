import { type Box, type ChunkShape, OrthantError, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import {
  boxCodec,
  boxContains,
  boxEquals,
  clampInto,
  positionFrom,
  REGION_EDGE_CHUNKS,
} from "@orthant/core/lattice";
import type { RegionClock } from "@orthant/core/tree";
import type { Pacer } from "../change/save-change.ts";
import { type BlobFormat, type BlobSize, TABLE_BLOBS } from "../codec/blob-format.ts";
import { type StoredEntity, sortEntities, storedEntityCodec } from "../codec/entity.ts";
import { LEAF_CHUNKS_TARGET, LEAF_LEVEL_MAX, type SaveLimits } from "../codec/layout.ts";
import { type ChunkEntry, chunkBounds } from "../codec/prepared-chunks.ts";
import { arrangeChunks, type StoredChunk } from "../codec/stored-chunk.ts";
import { type ChunkStorage, chunksFit, chunksToStore } from "./chunk-records.ts";
import {
  alignedCubeAt,
  CHILDREN,
  childCube,
  childSlot,
  cubeAround,
  describeCube,
  lastOf,
  requireLevel,
} from "./cube.ts";
import type { LeafMap } from "./leaf-map.ts";

/** Content of a leaf. */
interface LeafContent<Entry extends ChunkEntry | StoredChunk = ChunkEntry | StoredChunk> {
  readonly cube: Box;
  readonly chunks: readonly Entry[];
  readonly entities: readonly PreparedEntity[];
  readonly clocks: readonly RegionClock[];
}

/** Content of a leaf, ready to be measured: its chunks are as the save stores them, in order. */
export type PreparedLeaf = LeafContent<StoredChunk>;

/** An entity with its size, and the chunk it is assigned to: its own, or the nearest in the cube. */
export interface PreparedEntity {
  readonly entity: StoredEntity;
  readonly position: Position;
  readonly bytes: number;
}

/** Up to this level, an edge of four chunks, a leaf is split only where the hard limits require it. */
const SMALL_LEVEL = 2;
/**
 * Leaves are merged if together they take at most this share of a target, so that they do not split again
 * soon.
 */
const MERGE_SHARE = 0.5;
/**
 * A merged leaf may be a little larger: positions are further apart in a larger cube, and sizes are
 * estimated.
 */
const MERGED_SHARE = 0.75;
/** Upper bound for the size of the entity count in a blob. */
const COUNT_BYTES = 5;

/** Gathers content. Throws `ORT_ARGUMENT` if a chunk is outside the cube. */
export function leafContent<Entry extends ChunkEntry | StoredChunk>(
  cube: Box,
  chunks: readonly Entry[],
  entities: readonly StoredEntity[],
  clocks: readonly RegionClock[],
  shape: ChunkShape,
): LeafContent<Entry> {
  requireLevel(cube, LEAF_LEVEL_MAX);
  const outside = chunks.find(({ position }) => !boxContains(cube, position));
  if (outside !== undefined) {
    const detail = `the chunk at [${outside.position}] is not in the leaf at ${describeCube(cube)}`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return {
    cube,
    chunks,
    entities: sortEntities(entities).map((entity) => ({
      entity,
      position: clampInto(cube, chunkOfEntity(entity, shape)),
      bytes: encode(storedEntityCodec, entity).length,
    })),
    clocks: [...clocks],
  };
}

/** Does the same, and brings the chunks in order. Throws `ORT_ARGUMENT` if two are at one position. */
export function prepareLeaf(...parts: Parameters<typeof leafContent<StoredChunk>>): PreparedLeaf {
  const content = leafContent(...parts);
  return { ...content, chunks: arrangeChunks(content.chunks) };
}

/**
 * Splits content like {@link partitionLeaf}, and yields each leaf as soon as its chunks are as the save stores them. Memory
 * never holds more chunks in that form than one leaf has.
 */
export async function* storedLeaves(
  content: LeafContent,
  limits: SaveLimits,
  storage: ChunkStorage,
): AsyncGenerator<PreparedLeaf> {
  const { cube, chunks } = content;
  const { blobs, pacer } = storage;
  if (hasTooManyChunks(cube, chunks.length, blobs)) {
    for (const part of partsOf(content)) yield* storedLeaves(part, limits, storage);
    return;
  }
  const prepared = { ...content, chunks: arrangeChunks(await chunksToStore(chunks, storage)) };
  yield* await partitionLeaf(prepared, limits, blobs, pacer);
}

/**
 * Splits content into leaves: one if it is small enough, else recursively one for each non-empty child of
 * sixteen. Blobs stay below the target or, in leaves with an edge of four chunks or less, below the hard
 * limit. Empty content yields no leaf.
 */
export async function partitionLeaf(
  content: PreparedLeaf,
  limits: SaveLimits,
  blobs: BlobFormat = TABLE_BLOBS,
  pacer?: Pacer,
): Promise<readonly PreparedLeaf[]> {
  const { cube, chunks, entities, clocks } = content;
  if (chunks.length + entities.length + clocks.length === 0) return [];
  await pacer?.copied(chunks.length);
  // A single chunk always fits, except for its entities, which then get several records.
  if (requireLevel(cube) === 0 || fitsLeaf(content, limits, blobs)) return [content];
  const leaves: PreparedLeaf[] = [];
  for (const part of partsOf(content)) leaves.push(...(await partitionLeaf(part, limits, blobs, pacer)));
  return leaves;
}

/** Returns whether a leaf is split because of the number of its chunks, whatever their size. */
export function hasTooManyChunks(cube: Box, chunks: number, { leafChunksMax }: BlobFormat): boolean {
  return chunks > leafChunksMax && requireLevel(cube) > SMALL_LEVEL;
}

/**
 * Returns whether the content fits one leaf: below the targets or, in a small cube, below the hard limits.
 */
export function fitsLeaf(
  { cube, chunks, entities }: PreparedLeaf,
  limits: SaveLimits,
  blobs: BlobFormat,
): boolean {
  if (hasTooManyChunks(cube, chunks.length, blobs)) return false;
  const small = requireLevel(cube) <= SMALL_LEVEL;
  const chunkBytesMax = small ? limits.chunkBlobHardMaxBytes : limits.chunkBlobTargetBytes;
  const entityBytesMax = small ? limits.entityBlobHardMaxBytes : limits.entityBlobTargetBytes;
  if (chunks.length > 0 && !chunksFit(chunks, chunkBytesMax, blobs)) return false;
  return entities.length === 0 || entityBlobBytes(cube, entities) <= entityBytesMax;
}

/** Returns whether the content of several leaves may become one. */
export function fitsMerged(
  { cube, chunks, entities }: PreparedLeaf,
  limits: SaveLimits,
  blobs: BlobFormat,
): boolean {
  if (chunks.length > blobs.leafChunksMax * MERGED_SHARE) return false;
  const chunkBytesMax = limits.chunkBlobTargetBytes * MERGED_SHARE;
  if (chunks.length > 0 && !chunksFit(chunks, chunkBytesMax, blobs)) return false;
  return entityBlobBytes(cube, entities) <= limits.entityBlobTargetBytes * MERGED_SHARE;
}

/**
 * Splits the entities of a leaf into as many blobs as the hard limit requires: one, unless a single chunk is
 * crowded.
 */
export function entityBatches(
  cube: Box,
  entities: readonly PreparedEntity[],
  limits: SaveLimits,
): readonly (readonly StoredEntity[])[] {
  const base = entityBlobBytes(cube, []);
  const fitsOne = entityBlobBytes(cube, entities) <= limits.entityBlobHardMaxBytes;
  const bytesMax = fitsOne ? limits.entityBlobHardMaxBytes : limits.entityBlobTargetBytes;
  const batches: StoredEntity[][] = [];
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
 * Returns the largest aligned cube, up to an edge of 2^16, that contains the leaf and others which together
 * are small enough for one leaf; `undefined` if there is none.
 */
export function findMerge<Leaf extends { readonly cube: Box }>(
  map: LeafMap<Leaf>,
  leaf: Leaf,
  sizeOf: (leaf: Leaf) => { readonly chunks: BlobSize; readonly entityBytes: number },
  limits: SaveLimits,
): Box | undefined {
  let best: Box | undefined;
  for (let level = requireLevel(leaf.cube) + 1; level <= LEAF_LEVEL_MAX; level++) {
    const cube = alignedCubeAt(leaf.cube.min, level);
    let chunkBytes = 0;
    let chunkCount = 0;
    let entityBytes = 0;
    let members = 0;
    for (const member of map.inside(cube)) {
      // Saving a leaf is not worth reading a page that is not in memory.
      if (member === undefined) return best;
      const size = sizeOf(member);
      chunkBytes += size.chunks.bytes;
      chunkCount += size.chunks.chunks;
      entityBytes += size.entityBytes;
      members++;
      if (chunkCount > LEAF_CHUNKS_TARGET * MERGE_SHARE) return best;
      if (chunkBytes > limits.chunkBlobTargetBytes * MERGE_SHARE) return best;
      if (entityBytes > limits.entityBlobTargetBytes * MERGE_SHARE) return best;
    }
    if (members > 1) best = cube;
  }
  return best;
}

/** Returns the chunk of an entity's stored position, clamped to the lattice. */
export function chunkOfEntity(
  { position }: Pick<StoredEntity, "position">,
  { extents }: ChunkShape,
): Position {
  return positionFrom((axis) => {
    const chunk = Math.floor(Math.fround(position[axis]) / extents[axis]);
    // A NaN position has no chunk. Any chunk will do, as long as it is always the same.
    return Number.isNaN(chunk) ? 0 : Math.min(Math.max(chunk, -0x8000_0000), 0x7fff_ffff);
  });
}

function entityBlobBytes(cube: Box, entities: readonly PreparedEntity[]): number {
  return entities.reduce((sum, { bytes }) => sum + bytes, encode(boxCodec, cube).length + COUNT_BYTES);
}

function clockPosition(cube: Box, { region }: RegionClock): Position {
  return clampInto(
    cube,
    positionFrom((axis) => region[axis] * REGION_EDGE_CHUNKS),
  );
}

/** Returns the smallest aligned cube around the content, of at least this level. */
function cubeOfContent({ cube, chunks, entities, clocks }: LeafContent, levelMin: number): Box {
  const positions = [
    ...chunks,
    ...entities,
    ...clocks.map((clock) => ({ position: clockPosition(cube, clock) })),
  ];
  const bounds = chunkBounds(positions);
  const around = cubeAround(bounds.min, lastOf(bounds));
  return requireLevel(around) >= levelMin ? around : alignedCubeAt(bounds.min, levelMin);
}

/** Returns the same content in the smallest cube around it or, if that is its cube, in each child of sixteen. */
function partsOf<Entry extends ChunkEntry | StoredChunk>(
  content: LeafContent<Entry>,
): readonly LeafContent<Entry>[] {
  const { cube } = content;
  const narrow = cubeOfContent(content, Math.min(SMALL_LEVEL, requireLevel(cube)));
  return boxEquals(narrow, cube) ? splitBySlot(content) : [{ ...content, cube: narrow }];
}

function splitBySlot<Entry extends ChunkEntry | StoredChunk>({
  cube,
  chunks,
  entities,
  clocks,
}: LeafContent<Entry>): readonly LeafContent<Entry>[] {
  const slotOf = (position: Position): number => childSlot(cube, position);
  const inSlot = Array.from({ length: CHILDREN }, (_, slot) => ({
    cube: childCube(cube, slot),
    chunks: [] as Entry[],
    entities: [] as PreparedEntity[],
    clocks: [] as RegionClock[],
  }));
  for (const entry of chunks) inSlot[slotOf(entry.position)]?.chunks.push(entry);
  for (const entity of entities) inSlot[slotOf(entity.position)]?.entities.push(entity);
  for (const clock of clocks) inSlot[slotOf(clockPosition(cube, clock))]?.clocks.push(clock);
  return inSlot;
}
