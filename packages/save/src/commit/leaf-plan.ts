import { type Box, type ChunkShape, isOrthantError, OrthantError } from "@orthant/core";
import { comparePositions, PositionSet, regionOf } from "@orthant/core/lattice";
import type { LeafChange, Pacer } from "../change/save-change.ts";
import { type BlobSize, blobSizeOf } from "../codec/blob-format.ts";
import type { StoredEntity } from "../codec/entity.ts";
import type { SaveLimits } from "../codec/layout.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import type { StoredChunk } from "../codec/stored-chunk.ts";
import { type ChunkStorage, chunksToStore } from "../leaves/chunk-records.ts";
import { describeCube } from "../leaves/cube.ts";
import {
  type DraftLeaf,
  draftOf,
  leafEncoder,
  type PlannedLeaf,
  sortClocks,
} from "../leaves/leaf-encoder.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import type { LeafMap } from "../leaves/leaf-map.ts";
import {
  findMerge,
  fitsLeaf,
  fitsMerged,
  hasTooManyChunks,
  leafContent,
  type PreparedLeaf,
  prepareLeaf,
  storedLeaves,
} from "../leaves/leaf-partition.ts";
import type { NewRecord } from "../pack/pack-writer.ts";

/** Properties shared by the leaves of a save, and access to content that is only on disk. */
interface PlanContext extends ChunkStorage {
  readonly shape: ChunkShape;
  readonly limits: SaveLimits;
  readStored(leaf: LeafEntry): Promise<readonly StoredChunk[]>;
  /** Decodes the chunks of records that are not written yet. */
  decodeStored(records: readonly NewRecord[]): Promise<readonly StoredChunk[]>;
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]>;
  readonly pacer: Pacer;
}

/**
 * Turns the map into that of the next generation. Returns its new leaves in the order of their regions, so that one
 * read gets all leaves of a region. Splits a leaf that has become too large, and merges leaves that together have become
 * small. Encodes each leaf before it plans the next, and writes nothing. If it throws, the map is unusable.
 */
export async function planLeaves(
  map: LeafMap<PlannedLeaf>,
  changes: readonly LeafChange[],
  context: PlanContext,
): Promise<readonly PlannedLeaf[]> {
  // All old leaves are removed before any is added: a change may bring a cube where another's leaf was.
  const old = changes.map(({ cube }) => map.remove(cube));
  const encode = leafEncoder(context);
  const added: PlannedLeaf[] = [];
  const ahead = new ReadAhead(changes, old, context);
  try {
    for (const [index, change] of changes.entries()) {
      for await (const draft of planChange(change, old[index], ahead.at(index), context)) {
        const leaf = await encode(draft);
        map.add(leaf);
        added.push(leaf);
      }
    }
  } finally {
    await ahead.end();
  }
  const merged: PlannedLeaf[] = [];
  for (const leaf of added) {
    const draft = map.at(leaf.cube) === leaf ? await mergeAround(map, leaf, context) : undefined;
    if (draft === undefined) continue;
    const larger = await encode(draft);
    map.add(larger);
    merged.push(larger);
  }
  return [...added, ...merged]
    .filter((leaf) => map.at(leaf.cube) === leaf)
    .sort(
      ({ cube: a }, { cube: b }) =>
        comparePositions(regionOf(a.min), regionOf(b.min)) || comparePositions(a.min, b.min),
    );
}

/** Reads the chunks of the leaves that change, each while the one before it is planned. */
class ReadAhead {
  readonly #changes: readonly LeafChange[];
  readonly #old: readonly (LeafEntry | undefined)[];
  readonly #context: PlanContext;
  #next: Promise<readonly StoredChunk[]>;

  constructor(changes: readonly LeafChange[], old: readonly (LeafEntry | undefined)[], context: PlanContext) {
    this.#changes = changes;
    this.#old = old;
    this.#context = context;
    this.#next = this.#read(0);
  }

  /** Returns the old chunks of a leaf, of which only some change, and begins to read the next. Called once for each, in order. */
  at(index: number): Promise<readonly StoredChunk[]> {
    const read = this.#next;
    this.#next = this.#read(index + 1);
    return read;
  }

  /** Resolves when nothing is being read. */
  async end(): Promise<void> {
    await this.#next.catch(() => undefined);
  }

  #read(index: number): Promise<readonly StoredChunk[]> {
    const isNeeded = this.#changes[index]?.changed !== undefined;
    const read = readLeaf(isNeeded ? this.#old[index] : undefined, this.#context);
    // Who plans the leaf gets the failure.
    read.catch(() => undefined);
    return read;
  }
}

/**
 * Yields the leaves that result from one change. Content that the change omits is read only if the leaf has
 * to be split.
 */
async function* planChange(
  change: LeafChange,
  old: LeafEntry | undefined,
  oldChunks: Promise<readonly StoredChunk[]>,
  context: PlanContext,
): AsyncGenerator<DraftLeaf> {
  const { cube, entities, clocks } = change;
  const { shape, limits, blobs } = context;
  const newClocks = sortClocks(clocks ?? old?.clocks ?? []);
  let chunks = chunksAfter(change, await oldChunks);
  if (chunks === undefined || !hasTooManyChunks(cube, chunks.length, blobs)) {
    const stored = await chunksToStore(chunks ?? [], context);
    const given = prepareLeaf(cube, stored, entities ?? [], newClocks, shape);
    await context.pacer.copied(given.chunks.length);
    if (fitsLeaf(given, limits, blobs)) {
      const draft: DraftLeaf = {
        cube,
        chunkRefs: chunks === undefined ? (old?.chunkRefs ?? []) : [],
        entityRefs: entities === undefined ? (old?.entityRefs ?? []) : [],
        chunks: chunks === undefined ? (old?.chunks ?? 0) : chunks.length,
        clocks: newClocks,
        newChunks: given.chunks,
        newEntities: given.entities,
      };
      if (!holdsNothing(draft)) yield draft;
      return;
    }
    if (chunks !== undefined) chunks = given.chunks;
  }
  const allChunks = chunks ?? (await readLeaf(old, context));
  const allEntities = entities ?? (old === undefined ? [] : await context.readEntities(old));
  const content = leafContent(cube, allChunks, allEntities, newClocks, shape);
  for await (const leaf of storedLeaves(content, limits, context)) yield draftOf(leaf);
}

/** Returns all chunks of a leaf after a change of those that it had; `undefined` if the change has none. */
function chunksAfter(
  { cube, chunks, changed }: LeafChange,
  oldChunks: readonly StoredChunk[],
): readonly (ChunkEntry | StoredChunk)[] | undefined {
  if (changed === undefined) return chunks;
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
  const kept = oldChunks.filter(({ position }) => !gone.has(...position));
  return [...kept, ...added];
}

/** Reads the chunks of a leaf from disk. */
async function readLeaf(leaf: LeafEntry | undefined, context: PlanContext): Promise<readonly StoredChunk[]> {
  return leaf === undefined ? [] : context.readStored(leaf);
}

/** Removes the given leaf and its neighbours if together they are small enough for one leaf, which it returns. */
async function mergeAround(
  map: LeafMap<PlannedLeaf>,
  leaf: PlannedLeaf,
  context: PlanContext,
): Promise<DraftLeaf | undefined> {
  const { limits, blobs } = context;
  const cube = findMerge(map, leaf, sizesOf, limits);
  if (cube === undefined) return undefined;
  const members = [...map.inside(cube)].filter((member) => member !== undefined);
  const content = await readMembers(cube, members, context);
  if (content === undefined || !fitsMerged(content, limits, blobs)) return undefined;
  for (const member of members) map.remove(member.cube);
  return draftOf(content);
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
      for (const entry of await chunksOf(member, context)) chunks.push(entry);
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

/** Returns the chunks of a leaf, which are on disk or in records that are not written yet. */
async function chunksOf(leaf: PlannedLeaf, context: PlanContext): Promise<readonly StoredChunk[]> {
  const isStored = leaf.chunkRefs.length > 0 || leaf.records === undefined;
  const chunks = isStored ? readLeaf(leaf, context) : context.decodeStored(await leaf.records);
  return chunksToStore(await chunks, context);
}

function holdsNothing({ chunkRefs, entityRefs, clocks, newChunks, newEntities }: DraftLeaf): boolean {
  return chunkRefs.length + entityRefs.length + clocks.length + newChunks.length + newEntities.length === 0;
}

function sizesOf({ chunkRefs, entityRefs, newChunks, newEntities = [] }: PlannedLeaf): {
  readonly chunks: BlobSize;
  readonly entityBytes: number;
} {
  let bytes = newChunks?.bytes ?? 0;
  let chunks = newChunks?.chunks ?? 0;
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
