import { type Box, type ChunkShape, isOrthantError, OrthantError } from "@orthant/core";
import { encode } from "@orthant/core/bytes";
import { comparePositions, PositionSet, type RegionClock, regionOf } from "@orthant/core/engine";
import { type BlobSize, blobSizeOf, type RecordRef, rememberSize, sealBlob } from "../codec/blob.ts";
import { entityBlobCodec, type StoredEntity } from "../codec/entity.ts";
import {
  CHUNK_BLOB,
  ENTITY_BLOB,
  isPackedVersion,
  PACKED_BLOB_VERSION,
  type SaveLimits,
  TABLE_BLOB_VERSION,
} from "../codec/layout.ts";
import { packedBytesAtLeast } from "../codec/packed-blob.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import type { StoredChunk } from "../codec/stored-chunk.ts";
import { type LeafChange, Pacer } from "../commit/save-change.ts";
import { describeCube } from "./cube.ts";
import type { LeafEntry } from "./leaf-entry.ts";
import type { LeafMap } from "./leaf-map.ts";
import {
  type ChunkBlobVersion,
  type ChunkStorage,
  chunkRecord,
  chunksToStore,
  entityBatches,
  findMerge,
  fitsLeaf,
  fitsMerged,
  type MeasuredRecord,
  type PreparedEntity,
  type PreparedLeaf,
  partitionLeaf,
  prepareLeaf,
} from "./leaf-partition.ts";

/** A leaf of the next generation: references that stay, and content that has no records yet. */
export interface PlannedLeaf extends LeafEntry {
  readonly newChunks?: readonly StoredChunk[];
  readonly newEntities?: readonly PreparedEntity[];
}

/** Properties shared by the leaves of a save, and access to content that is only on disk. */
interface PlanContext extends ChunkStorage {
  readonly shape: ChunkShape;
  readonly limits: SaveLimits;
  readStored(leaf: LeafEntry): Promise<readonly StoredChunk[]>;
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]>;
  readonly pacer: Pacer;
}

/**
 * Turns the map into that of the next generation. Returns its new leaves in the order of their regions, so that one
 * read gets all leaves of a region. Splits a leaf that has become too large, and merges leaves that together have become
 * small. Writes nothing. If it throws, the map is unusable.
 */
export async function planLeaves(
  map: LeafMap<PlannedLeaf>,
  changes: readonly LeafChange[],
  context: PlanContext,
): Promise<readonly PlannedLeaf[]> {
  // All old leaves are removed before any is added: a change may bring a cube where another's leaf was.
  const old = changes.map(({ cube }) => map.remove(cube));
  let added: PlannedLeaf[] = [];
  for (const [index, change] of changes.entries()) {
    for (const leaf of await planChange(change, old[index], context)) {
      map.add(leaf);
      added.push(leaf);
      await context.pacer.copied(leaf.chunks);
    }
  }
  for (const leaf of added) {
    const merged = map.at(leaf.cube) === leaf ? await mergeAround(map, leaf, context) : undefined;
    if (merged !== undefined) added = [...added, merged];
  }
  return added
    .filter((leaf) => map.at(leaf.cube) === leaf)
    .sort(
      ({ cube: a }, { cube: b }) =>
        comparePositions(regionOf(a.min), regionOf(b.min)) || comparePositions(a.min, b.min),
    );
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
  const { cube, entities, clocks } = change;
  const { shape, limits, blobVersion } = context;
  const newClocks = sortClocks(clocks ?? old?.clocks ?? []);
  const chunks = await chunksAfter(change, old, context);
  const given = prepareLeaf(cube, chunks ?? [], entities ?? [], newClocks, shape);
  await context.pacer.copied(given.chunks.length);
  if (fitsLeaf(given, limits, blobVersion)) {
    const leaf: PlannedLeaf = {
      cube,
      chunkRefs: chunks === undefined ? (old?.chunkRefs ?? []) : [],
      entityRefs: entities === undefined ? (old?.entityRefs ?? []) : [],
      chunks: chunks === undefined ? (old?.chunks ?? 0) : chunks.length,
      clocks: newClocks,
      ...(chunks !== undefined && { newChunks: given.chunks }),
      ...(entities !== undefined && { newEntities: given.entities }),
    };
    return holdsNothing(leaf) ? [] : [leaf];
  }
  const allChunks = chunks ?? (await storedIn(old, context));
  const allEntities = entities ?? (old === undefined ? [] : await context.readEntities(old));
  const isWhole = allChunks === chunks && allEntities.length === given.entities.length;
  const whole = isWhole ? given : prepareLeaf(cube, allChunks, allEntities, newClocks, shape);
  return (await partitionLeaf(whole, limits, blobVersion, context.pacer)).map(plannedOf);
}

/** Returns all chunks of a leaf after a change; `undefined` if the change has none. */
async function chunksAfter(
  { cube, chunks, changed }: LeafChange,
  old: LeafEntry | undefined,
  context: PlanContext,
): Promise<readonly StoredChunk[] | undefined> {
  if (changed === undefined) return chunks && chunksToStore(chunks, context);
  if (chunks !== undefined) {
    const detail = `the change of the leaf at ${describeCube(cube)} has all of its chunks and those that changed`;
    throw new OrthantError("ORT_ARGUMENT", detail);
  }
  const gone = new PositionSet();
  const added: ChunkEntry[] = [];
  for (const { position, chunk, ticks } of changed) {
    gone.add(...position);
    if (chunk !== undefined) added.push({ position, chunk, ticks });
  }
  const kept = (await storedIn(old, context)).filter(({ position }) => !gone.has(...position));
  return [...kept, ...(await chunksToStore(added, context))];
}

/** Reads the chunks of a leaf from disk, in the form the save stores. */
async function storedIn(leaf: LeafEntry | undefined, context: PlanContext): Promise<readonly StoredChunk[]> {
  return leaf === undefined ? [] : chunksToStore(await context.readStored(leaf), context);
}

/** Replaces the given leaf and its neighbours with one leaf if together they are small enough. */
async function mergeAround(
  map: LeafMap<PlannedLeaf>,
  leaf: PlannedLeaf,
  context: PlanContext,
): Promise<PlannedLeaf | undefined> {
  const { limits, blobVersion = TABLE_BLOB_VERSION } = context;
  const cube = findMerge(map, leaf, sizesOf, limits);
  if (cube === undefined) return undefined;
  const members = [...map.inside(cube)].filter((member) => member !== undefined);
  const content = await readMembers(cube, members, context);
  if (content === undefined || !fitsMerged(content, limits, blobVersion)) return undefined;
  for (const member of members) map.remove(member.cube);
  const merged = plannedOf(content);
  map.add(merged);
  return merged;
}

/** Reads the content of several leaves; `undefined` if some of it is unreadable. */
async function readMembers(
  cube: Box,
  members: readonly PlannedLeaf[],
  context: PlanContext,
): Promise<PreparedLeaf | undefined> {
  const chunks: StoredChunk[] = [];
  const entities: StoredEntity[] = [];
  try {
    for (const member of members) {
      for (const entry of member.newChunks ?? (await storedIn(member, context))) chunks.push(entry);
      const known = member.newEntities?.map(({ entity }) => entity);
      entities.push(...(known ?? (await context.readEntities(member))));
    }
  } catch (error) {
    // A damaged neighbour must not keep this leaf from being saved. It stays unchanged, to be found.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
  const clocks = sortClocks(members.flatMap((member) => member.clocks));
  return prepareLeaf(cube, chunks, entities, clocks, context.shape);
}

/** Returns a planned leaf whose content is all new. */
export function plannedOf({ cube, chunks, entities, clocks }: PreparedLeaf): PlannedLeaf {
  return {
    cube,
    chunkRefs: [],
    entityRefs: [],
    chunks: chunks.length,
    clocks: sortClocks(clocks),
    newChunks: chunks,
    newEntities: entities,
  };
}

function holdsNothing({
  chunkRefs,
  entityRefs,
  clocks,
  newChunks = [],
  newEntities = [],
}: PlannedLeaf): boolean {
  return chunkRefs.length + entityRefs.length + clocks.length + newChunks.length + newEntities.length === 0;
}

function sizesOf({ chunkRefs, entityRefs, newChunks = [], newEntities = [] }: PlannedLeaf): {
  readonly chunks: BlobSize;
  readonly entityBytes: number;
} {
  let bytes = packedBytesAtLeast(newChunks);
  let chunks = newChunks.length;
  for (const ref of chunkRefs) {
    const size = blobSizeOf(ref);
    bytes += size.bytes;
    chunks += size.chunks;
  }
  let entityBytes = 0;
  for (const { recordBytes } of entityRefs) entityBytes += recordBytes;
  for (const entity of newEntities) entityBytes += entity.bytes;
  return { chunks: { bytes, chunks }, entityBytes };
}

function sortClocks(clocks: readonly RegionClock[]): readonly RegionClock[] {
  return [...clocks].sort((a, b) => comparePositions(a.region, b.region));
}

/** Chunks of a commit from which other threads compress its records. */
const BESIDE_CHUNKS_MIN = 1_024;
/** Records that are compressed while the next is encoded. */
const ENCODED_AT_ONCE = 4;

/** Encodes the records of each planned leaf, chunks before entities. */
export async function encodeLeaves(
  planned: readonly PlannedLeaf[],
  limits: SaveLimits,
  blobVersion: ChunkBlobVersion = TABLE_BLOB_VERSION,
  pacer: Pacer = new Pacer(),
): Promise<readonly (readonly MeasuredRecord[])[]> {
  const chunks = planned.reduce((sum, { newChunks = [] }) => sum + newChunks.length, 0);
  const isBeside = chunks >= BESIDE_CHUNKS_MIN;
  const encoding: Promise<readonly MeasuredRecord[]>[] = [];
  for (const [index, leaf] of planned.entries()) {
    const next = encodeLeaf(leaf, limits, blobVersion, isBeside);
    // The failure is thrown when its turn comes.
    next.catch(() => undefined);
    encoding.push(next);
    await encoding[isBeside ? index - ENCODED_AT_ONCE : index];
    await pacer.copied(leaf.newChunks?.length ?? 0);
  }
  return Promise.all(encoding);
}

async function encodeLeaf(
  { cube, newChunks = [], newEntities = [] }: PlannedLeaf,
  limits: SaveLimits,
  blobVersion: ChunkBlobVersion,
  isBeside: boolean,
): Promise<readonly MeasuredRecord[]> {
  const records: MeasuredRecord[] = [];
  if (newChunks.length > 0) records.push(await chunkRecord(newChunks, blobVersion, isBeside));
  for (const entities of entityBatches(cube, newEntities, limits)) {
    const inner = encode(entityBlobCodec, { volume: cube, entities });
    const record = isPackedVersion(blobVersion)
      ? { blobVersion: PACKED_BLOB_VERSION, payload: await sealBlob(inner) }
      : { blobVersion, payload: inner };
    records.push({ blobType: ENTITY_BLOB, ...record });
  }
  return records;
}

/** Adds to planned leaves the references to their records, given in the order of {@link encodeLeaves}. */
export function finishLeaves(
  planned: readonly PlannedLeaf[],
  records: readonly (readonly MeasuredRecord[])[],
  refs: readonly RecordRef[],
): readonly LeafEntry[] {
  let next = 0;
  return planned.map(({ cube, chunkRefs, entityRefs, chunks, clocks }, index) => {
    const count = records[index]?.length ?? 0;
    const own = refs.slice(next, next + count);
    next += count;
    for (const [at, record] of (records[index] ?? []).entries()) {
      const ref = own[at];
      if (ref !== undefined && record.size !== undefined) rememberSize(ref, record.size);
    }
    const ofType = (type: number): readonly RecordRef[] => own.filter(({ blobType }) => blobType === type);
    return {
      cube,
      chunkRefs: [...chunkRefs, ...ofType(CHUNK_BLOB)],
      entityRefs: [...entityRefs, ...ofType(ENTITY_BLOB)],
      chunks,
      clocks,
    };
  });
}
