import { type Box, type Chunk, type ChunkShape, OrthantError, type Position } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import {
  boxCodec,
  boxContains,
  boxEquals,
  clampInto,
  positionFrom,
  REGION_EDGE_CHUNKS,
  type RegionClock,
  requireLatticePosition,
} from "@orthant/core/engine";
import { type BlobSize, sealBlob } from "../codec/blob.ts";
import { encodeChunkBlob } from "../codec/chunk-blob.ts";
import { type StoredEntity, sortEntities, storedEntityCodec } from "../codec/entity.ts";
import {
  type BLOB_VERSION,
  CHUNK_BLOB,
  isPackedVersion,
  LEAF_LEVEL_MAX,
  type PackedBlobVersion,
  type SaveLimits,
  TABLE_BLOB_VERSION,
} from "../codec/layout.ts";
import { encodePackedBlob, packedBytesAtLeast, packedBytesAtMost } from "../codec/packed-blob.ts";
import { type ChunkEntry, chunkBounds, prepareChunks } from "../codec/prepared-chunks.ts";
import {
  arrangeChunks,
  ChunkContent,
  entryStorer,
  type GeneratedChunks,
  realizeStored,
  type StoredChunk,
  WholeChunk,
} from "../codec/stored-chunk.ts";
import { NO_PARTS } from "../codec/tagged-part.ts";
import type { Pacer } from "../commit/save-change.ts";
import type { NewRecord } from "../pack/pack-writer.ts";
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
import { type IndexVersion, NEWEST_INDEX_VERSION } from "./leaf-entry.ts";
import type { LeafMap } from "./leaf-map.ts";

/** Content of a leaf, ready to be measured and split. */
export interface PreparedLeaf {
  readonly cube: Box;
  readonly chunks: readonly StoredChunk[];
  readonly entities: readonly PreparedEntity[];
  readonly clocks: readonly RegionClock[];
}

/** An entity with its size, and the chunk it is assigned to: its own, or the nearest in the cube. */
export interface PreparedEntity {
  readonly entity: StoredEntity;
  readonly position: Position;
  readonly bytes: number;
}

/** Up to this level, an edge of four chunks, a leaf is split only where the hard limits require it. */
const SMALL_LEVEL = 2;
/**
 * Number of chunks above which a leaf is split, however few bytes they take, because reading it would take
 * too long.
 */
export const LEAF_CHUNKS_TARGET = 2_048;
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

/** Prepares content. Throws `ORT_ARGUMENT` if a chunk or clock is outside the cube. */
export function prepareLeaf(
  cube: Box,
  chunks: readonly StoredChunk[],
  entities: readonly StoredEntity[],
  clocks: readonly RegionClock[],
  shape: ChunkShape,
): PreparedLeaf {
  requireLevel(cube, LEAF_LEVEL_MAX);
  const outside = chunks.find(({ position }) => !boxContains(cube, position));
  if (outside !== undefined) {
    const detail = `the chunk at [${outside.position}] is not in the leaf at ${describeCube(cube)}`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  return {
    cube,
    chunks: arrangeChunks(chunks),
    entities: sortEntities(entities).map((entity) => ({
      entity,
      position: clampInto(cube, chunkOfEntity(entity, shape)),
      bytes: encode(storedEntityCodec, entity).length,
    })),
    clocks: [...clocks],
  };
}

/**
 * Splits content into leaves: one if it is small enough, else recursively one for each non-empty child of
 * sixteen. Blobs stay below the target or, in leaves with an edge of four chunks or less, below the hard
 * limit. Empty content yields no leaf.
 */
export async function partitionLeaf(
  content: PreparedLeaf,
  limits: SaveLimits,
  blobVersion: ChunkBlobVersion = TABLE_BLOB_VERSION,
  pacer?: Pacer,
): Promise<readonly PreparedLeaf[]> {
  const { cube, chunks, entities, clocks } = content;
  if (chunks.length + entities.length + clocks.length === 0) return [];
  const level = requireLevel(cube);
  await pacer?.copied(chunks.length);
  // A single chunk always fits, except for its entities, which then get several records.
  if (level === 0 || fitsLeaf(content, limits, blobVersion)) return [content];
  const narrow = cubeOfContent(content, Math.min(SMALL_LEVEL, level));
  if (!boxEquals(narrow, cube))
    return partitionLeaf({ ...content, cube: narrow }, limits, blobVersion, pacer);
  const parts: PreparedLeaf[] = [];
  for (const child of splitBySlot(content))
    parts.push(...(await partitionLeaf(child, limits, blobVersion, pacer)));
  return parts;
}

/**
 * Returns whether the content fits one leaf: below the targets or, in a small cube, below the hard limits.
 */
export function fitsLeaf(
  { cube, chunks, entities }: PreparedLeaf,
  limits: SaveLimits,
  blobVersion: ChunkBlobVersion = TABLE_BLOB_VERSION,
): boolean {
  const small = requireLevel(cube) <= SMALL_LEVEL;
  if (!small && isPackedVersion(blobVersion) && chunks.length > LEAF_CHUNKS_TARGET) return false;
  const chunkBytesMax = small ? limits.chunkBlobHardMaxBytes : limits.chunkBlobTargetBytes;
  const entityBytesMax = small ? limits.entityBlobHardMaxBytes : limits.entityBlobTargetBytes;
  if (chunks.length > 0 && !chunksFit(chunks, chunkBytesMax, blobVersion)) return false;
  return entities.length === 0 || entityBlobBytes(cube, entities) <= entityBytesMax;
}

/** Returns whether the content of several leaves may become one. */
export function fitsMerged(
  { cube, chunks, entities }: PreparedLeaf,
  limits: SaveLimits,
  blobVersion: ChunkBlobVersion,
): boolean {
  if (isPackedVersion(blobVersion) && chunks.length > LEAF_CHUNKS_TARGET * MERGED_SHARE) return false;
  const chunkBytesMax = limits.chunkBlobTargetBytes * MERGED_SHARE;
  if (chunks.length > 0 && !chunksFit(chunks, chunkBytesMax, blobVersion)) return false;
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
function cubeOfContent({ cube, chunks, entities, clocks }: PreparedLeaf, levelMin: number): Box {
  const positions = [
    ...chunks,
    ...entities,
    ...clocks.map((clock) => ({ position: clockPosition(cube, clock) })),
  ];
  const bounds = chunkBounds(positions);
  const around = cubeAround(bounds.min, lastOf(bounds));
  return requireLevel(around) >= levelMin ? around : alignedCubeAt(bounds.min, levelMin);
}

function splitBySlot({ cube, chunks, entities, clocks }: PreparedLeaf): readonly PreparedLeaf[] {
  const slotOf = (position: Position): number => childSlot(cube, position);
  const inSlot = Array.from({ length: CHILDREN }, (_, slot) => ({
    cube: childCube(cube, slot),
    chunks: [] as StoredChunk[],
    entities: [] as PreparedEntity[],
    clocks: [] as RegionClock[],
  }));
  for (const entry of chunks) inSlot[slotOf(entry.position)]?.chunks.push(entry);
  for (const entity of entities) inSlot[slotOf(entity.position)]?.entities.push(entity);
  for (const clock of clocks) inSlot[slotOf(clockPosition(cube, clock))]?.clocks.push(clock);
  return inSlot;
}

/** Version of chunk blob: 1 follows the specification, 2 is packed and compressed, 3 locates each chunk. */
export type ChunkBlobVersion = typeof BLOB_VERSION | PackedBlobVersion;

/** Returns the version of the chunk blobs that go with an index of some version. Rule S84. */
export function blobVersionOf(indexVersion: IndexVersion): ChunkBlobVersion {
  if (indexVersion === 1) return 1;
  return indexVersion === NEWEST_INDEX_VERSION ? TABLE_BLOB_VERSION : 2;
}

/** Options for storing the chunks of a save. */
export interface ChunkStorage {
  /** Default: 3. Use 1 for a reader that knows only the specification. */
  readonly blobVersion?: ChunkBlobVersion;
  /** The world's generator. Without it no chunk is stored as a change. */
  readonly generated?: GeneratedChunks;
  /** Counts every chunk, so that a large change is encoded in slices. */
  readonly pacer?: Pacer;
}

/** A record to write, with the size by which leaves are measured. */
export interface MeasuredRecord extends NewRecord {
  readonly size?: BlobSize;
}

/** Minimum bytes of a version 1 chunk, besides its chunk. */
const CHUNK_BYTES_MIN = 6;

/** Returns the chunks in the form the save stores. Version 1 has no changes, so all of them become chunks. */
export async function chunksToStore(
  chunks: readonly (ChunkEntry | StoredChunk)[],
  storage: ChunkStorage,
): Promise<readonly StoredChunk[]> {
  const { blobVersion = TABLE_BLOB_VERSION, generated, pacer } = storage;
  const store = isPackedVersion(blobVersion) ? entryStorer(chunks, generated) : chunkStorer(generated);
  const stored: StoredChunk[] = [];
  for (const entry of chunks) {
    stored.push(store(entry));
    if (!("kind" in entry)) await pacer?.stored(1);
  }
  return stored;
}

function chunkStorer(
  generated: GeneratedChunks | undefined,
): (entry: ChunkEntry | StoredChunk) => StoredChunk {
  const contents = new Map<Chunk, ChunkContent>();
  return (entry) => {
    // Version 1 has no voxel data; conversions to it report the loss.
    const chunk = ("kind" in entry ? realizeStored(entry, generated) : entry.chunk).withoutData();
    const content = contents.get(chunk) ?? ChunkContent.of(chunk);
    contents.set(chunk, content);
    requireLatticePosition(...entry.position);
    return new WholeChunk(entry.position, content);
  };
}

/** Returns whether the uncompressed blob of arranged chunks has at most `bytesMax` bytes. */
function chunksFit(chunks: readonly StoredChunk[], bytesMax: number, blobVersion: ChunkBlobVersion): boolean {
  const isPacked = isPackedVersion(blobVersion);
  const bytesMin = isPacked ? packedBytesAtLeast(chunks) : plainBytesAtLeast(chunks);
  if (bytesMin > bytesMax) return false;
  // Most leaves are far from the limit and need not be encoded to be measured.
  if (isPacked && packedBytesAtMost(chunks, bytesMin) <= bytesMax) return true;
  return encodeChunks(chunks, blobVersion).length <= bytesMax;
}

/** Encodes the record of arranged chunks, and compresses it on another thread if `isBeside`. */
export async function chunkRecord(
  chunks: readonly StoredChunk[],
  blobVersion: ChunkBlobVersion,
  isBeside = false,
): Promise<MeasuredRecord> {
  const inner = encodeChunks(chunks, blobVersion);
  const isPacked = isPackedVersion(blobVersion);
  return {
    blobType: CHUNK_BLOB,
    blobVersion: isPacked ? packedVersionFor(chunks, blobVersion) : blobVersion,
    payload: isPacked ? await sealBlob(inner, isBeside) : inner,
    size: { bytes: inner.length, chunks: chunks.length },
  };
}

function encodeChunks(chunks: readonly StoredChunk[], blobVersion: ChunkBlobVersion): Uint8Array {
  if (isPackedVersion(blobVersion)) return encodePackedBlob(chunks, packedVersionFor(chunks, blobVersion));
  const realized = chunks.map((entry) => ({
    position: entry.position,
    chunk: realizeStored(entry, undefined),
  }));
  return encodeChunkBlob(prepareChunks(realized, realized[0]?.chunk.volume ?? 1));
}

/** Returns the version of a record: a save of an older version has version 3 only where chunks have parts. */
function packedVersionFor(chunks: readonly StoredChunk[], blobVersion: PackedBlobVersion): PackedBlobVersion {
  return chunks.some(({ parts = NO_PARTS }) => parts.length > 0) ? TABLE_BLOB_VERSION : blobVersion;
}

function plainBytesAtLeast(chunks: readonly StoredChunk[]): number {
  const contents = new Set<ChunkContent>();
  for (const entry of chunks) if (entry.kind === "chunk") contents.add(entry.content);
  let bytes = chunks.length * CHUNK_BYTES_MIN;
  for (const { chunk } of contents) bytes += chunk.isEmpty ? 0 : chunk.byteLength;
  return bytes;
}
