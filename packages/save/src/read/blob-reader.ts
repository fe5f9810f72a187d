import { type Box, OrthantError, type Position } from "@orthant/core";
import { ByteReader, decode } from "@orthant/core/bytes";
import { boxContains, boxEquals, PositionSet } from "@orthant/core/lattice";
import { atFile, atFileAsync, decodeAt, type Source } from "@orthant/disk/files";
import type { RecordRef } from "../codec/blob.ts";
import { type BlobFormat, blobFormatOf, rememberSize, TABLE_BLOBS } from "../codec/blob-format.ts";
import { entityBlobCodec, type StoredEntity } from "../codec/entity.ts";
import { packFile } from "../codec/files.ts";
import { BLOB_VERSION, CHUNK_BLOB, ENTITY_BLOB, recordHeader, type SaveLimits } from "../codec/layout.ts";
import type { ChunkEntry } from "../codec/prepared-chunks.ts";
import { type GeneratedChunks, realizeStored, type StoredChunk, ticksOf } from "../codec/stored-chunk.ts";
import { describeCube } from "../leaves/cube.ts";
import type { LeafEntry } from "../leaves/leaf-entry.ts";
import { checkRecord, type PackReader } from "../pack/pack-reader.ts";
import type { NewRecord } from "../pack/pack-writer.ts";
import { recordSpans } from "../pack/record-spans.ts";

/** Parameters needed to decode the blobs of a save. */
export interface BlobContext {
  readonly chunkVolume: number;
  readonly limits: Pick<SaveLimits, "chunkBlobHardMaxBytes" | "entityBlobHardMaxBytes">;
  /** The world's generator, for chunks that are stored as changes to its output. */
  readonly generated?: GeneratedChunks;
  /** Whether large records are inflated on another thread, which pays if several are read at once. Default: no. */
  readonly isOffThread?: boolean;
}

/** Size of a compressed record from which another thread is worth the way there. */
const OFF_THREAD_BYTES_MIN = 4 * 1024;

/** Reads the chunks of one record of a leaf in stored form. Rules S12, S13, S29 to S31 and S70 to S80. */
async function readStoredBlob(
  packReader: PackReader,
  ref: RecordRef,
  cube: Box,
  context: BlobContext,
): Promise<readonly StoredChunk[]> {
  const source = recordSource(ref, "chunk", cube);
  requireKind(ref, CHUNK_BLOB, source);
  const payload = await packReader.readPayload(ref, payloadLimit(context, ref));
  return decodeChunkPayload(payload, ref, source, cube, context);
}

/** Decodes the chunks of records that are not written yet. */
export async function decodeNewRecords(
  records: readonly NewRecord[],
  context: BlobContext,
): Promise<readonly StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for (const record of records) {
    if (record.blobType !== CHUNK_BLOB) continue;
    const format = formatOf(record);
    const bytes = await format.open(record.payload, payloadLimit(context, record));
    for (const entry of decode(format.locatedCodec(context.chunkVolume), bytes)) chunks.push(entry);
  }
  return chunks;
}

/** Reads the entities of one record of a leaf. Rules S12, S13, S32 and S33. */
async function readEntityBlob(
  packReader: PackReader,
  ref: RecordRef,
  cube: Box,
  context: BlobContext,
): Promise<readonly StoredEntity[]> {
  requireKind(ref, ENTITY_BLOB, recordSource(ref, "entity", cube));
  const payload = await packReader.readPayload(ref, payloadLimit(context, ref));
  return decodeEntityPayload(payload, ref, cube, context);
}

/**
 * Checks a chunk record whose payload is already read, like {@link readStoredBlob} but without its checksum.
 * Returns the positions of the chunks and creates no chunks.
 */
export async function checkChunkPayload(
  payload: Uint8Array,
  ref: RecordRef,
  cube: Box,
  context: BlobContext,
): Promise<readonly Position[]> {
  const source = recordSource(ref, "chunk", cube);
  requireKind(ref, CHUNK_BLOB, source);
  const { bytes, at } = await openPayload(payload, ref, source, context);
  const positions = atFile(at, () => {
    const input = new ByteReader(bytes, { origin: at.origin ?? 0 });
    const found = formatOf(ref).check(input, context.chunkVolume);
    input.end();
    return found;
  });
  const outside = positions.find((position) => !boxContains(cube, position));
  if (outside !== undefined) throw strayChunk(source, outside);
  return positions;
}

/** Decodes the entities of a record whose payload is already read, with every check except the checksum. */
export async function decodeEntityPayload(
  payload: Uint8Array,
  ref: RecordRef,
  cube: Box,
  context: BlobContext,
): Promise<readonly StoredEntity[]> {
  const source = recordSource(ref, "entity", cube);
  requireKind(ref, ENTITY_BLOB, source);
  const { bytes, at } = await openPayload(payload, ref, source, context);
  const { volume, entities } = decodeAt(at, entityBlobCodec, bytes);
  if (!boxEquals(volume, cube)) throw misplaced(source, `is of the leaf at ${describeCube(volume)}`);
  return entities;
}

/** Maximum size of a record's payload, and of its content when uncompressed. */
export function payloadLimit(
  { limits }: Pick<BlobContext, "limits">,
  { blobType, blobVersion }: Pick<RecordRef, "blobType" | "blobVersion">,
): number {
  if (blobType !== CHUNK_BLOB) return limits.entityBlobHardMaxBytes;
  return limits.chunkBlobHardMaxBytes + (blobFormatOf(blobVersion)?.partsBytesMax ?? 0);
}

/**
 * Reads the chunks of a leaf from all of its records in stored form. Generates nothing and creates no chunks.
 */
export async function readLeafStored(
  packReader: PackReader,
  leaf: LeafEntry,
  context: BlobContext,
): Promise<readonly StoredChunk[]> {
  const blobs = leaf.chunkRefs.map((ref) => () => readStoredBlob(packReader, ref, leaf.cube, context));
  return joinBlobs(leaf, blobs);
}

/** Bytes between two records up to which one read gets both. */
const GAP_BYTES_MAX = 16 * 1024;

/** Does the same for several leaves at once, whose records are read together where they are near each other. */
export function readLeavesStored(
  packReader: PackReader,
  leaves: readonly LeafEntry[],
  context: BlobContext,
): readonly Promise<readonly StoredChunk[]>[] {
  const items = leaves.flatMap(({ cube, chunkRefs }) => chunkRefs.map((ref) => ({ ref, cube })));
  const payloads = new Map<RecordRef, () => Promise<readonly StoredChunk[]>>();
  for (const { packId, start, end, items: near } of recordSpans(items, GAP_BYTES_MAX)) {
    const reading = near.length > 1 ? packReader.readSpan(packId, start, end - start) : undefined;
    for (const { ref, cube } of near) {
      payloads.set(ref, async () => {
        const from = ref.recordOffset - start;
        const record = (await reading)?.subarray(from, from + ref.recordBytes);
        const isOdd = record === undefined || record.length < recordHeader.bytes;
        // Reading it by itself says what is wrong with it.
        if (isOdd || record.length - recordHeader.bytes > payloadLimit(context, ref))
          return readStoredBlob(packReader, ref, cube, context);
        const source = recordSource(ref, "chunk", cube);
        requireKind(ref, CHUNK_BLOB, source);
        const payload = atFile({ path: packFile(ref.packId) }, () => checkRecord(record, ref));
        return decodeChunkPayload(payload, ref, source, cube, context);
      });
    }
  }
  return leaves.map((leaf) => {
    const blobs = leaf.chunkRefs.map((ref) => payloads.get(ref) ?? (async () => []));
    return joinBlobs(leaf, blobs);
  });
}

/** Returns the chunks of all records of a leaf, read one after the other. */
async function joinBlobs(
  { cube, chunkRefs }: LeafEntry,
  blobs: readonly (() => Promise<readonly StoredChunk[]>)[],
): Promise<readonly StoredChunk[]> {
  const [first] = blobs;
  if (first !== undefined && blobs.length === 1) return first();
  const chunks: StoredChunk[] = [];
  const positions = new PositionSet();
  for (const [index, ref] of chunkRefs.entries()) {
    for (const entry of (await blobs[index]?.()) ?? []) {
      if (positions.has(...entry.position)) throw twice(ref, cube, `the chunk at [${entry.position}]`);
      positions.add(...entry.position);
      chunks.push(entry);
    }
  }
  return chunks;
}

/** Reads the chunks of a leaf from all of its records, without untouched positions. Rule S81. */
export async function readLeafChunks(
  packReader: PackReader,
  leaf: LeafEntry,
  context: BlobContext,
): Promise<readonly ChunkEntry[]> {
  const chunks = await readLeafStored(packReader, leaf, context);
  return chunks.map((entry): ChunkEntry => {
    const chunk = realizeStored(entry, context.generated);
    const ticks = ticksOf(entry, chunk.volume);
    return { position: entry.position, chunk, ...(ticks.length > 0 && { ticks }) };
  });
}

/** Reads the entities of a leaf from all of its records. */
export async function readLeafEntities(
  packReader: PackReader,
  { cube, entityRefs }: LeafEntry,
  context: BlobContext,
): Promise<readonly StoredEntity[]> {
  const entities = new Map<bigint, StoredEntity>();
  for (const ref of entityRefs) {
    for (const entity of await readEntityBlob(packReader, ref, cube, context)) {
      if (entities.has(entity.entityId)) throw twice(ref, cube, `entity ${entity.entityId}`);
      entities.set(entity.entityId, entity);
    }
  }
  return [...entities.values()];
}

async function decodeChunkPayload(
  payload: Uint8Array,
  ref: RecordRef,
  source: Source,
  cube: Box,
  context: BlobContext,
): Promise<readonly StoredChunk[]> {
  const { bytes, at } = await openPayload(payload, ref, source, context);
  const chunks = decodeAt(at, formatOf(ref).locatedCodec(context.chunkVolume), bytes);
  const outside = chunks.find(({ position }) => !boxContains(cube, position));
  if (outside !== undefined) throw strayChunk(source, outside.position);
  rememberSize(ref, { bytes: bytes.length, chunks: chunks.length });
  return chunks;
}

/** Returns the format of a record, whose version must be known. */
function formatOf({ blobVersion }: Pick<RecordRef, "blobVersion">): BlobFormat {
  return blobFormatOf(blobVersion) ?? TABLE_BLOBS;
}

/** Returns the uncompressed content of a payload, and the source to name in its errors. */
async function openPayload(
  payload: Uint8Array,
  ref: RecordRef,
  source: Source,
  context: BlobContext,
): Promise<{ readonly bytes: Uint8Array; readonly at: Source }> {
  const { path, origin = 0, what } = source;
  const bytesMax = payloadLimit(context, ref);
  const isOffThread = context.isOffThread === true && payload.length >= OFF_THREAD_BYTES_MIN;
  const bytes = await atFileAsync(source, async () =>
    formatOf(ref).open(payload, bytesMax, origin, isOffThread),
  );
  if (bytes === payload) return { bytes, at: source };
  // Offsets in the uncompressed content are not offsets in the file.
  return { bytes, at: { path, what: `${what}, uncompressed` } };
}

function strayChunk(source: Source, position: Position): OrthantError {
  return misplaced(source, `holds the chunk at [${position}]`);
}

function requireKind({ blobType, blobVersion }: RecordRef, expected: number, source: Source): void {
  const context = { path: source.path, offset: (source.origin ?? 0) - recordHeader.bytes };
  if (blobType !== expected) {
    throw new OrthantError("ORT_RECORD", `${source.what}: a reference of type ${blobType}`, context);
  }
  const newest = expected === CHUNK_BLOB ? TABLE_BLOBS.version : TABLE_BLOBS.entityVersion;
  if (blobVersion < BLOB_VERSION || blobVersion > newest) {
    const detail = `${source.what}: unsupported blob version ${blobVersion} (expected at most ${newest})`;
    throw new OrthantError("ORT_VERSION", detail, context);
  }
}

/** Describes the place of a leaf's record, for errors. */
export function recordSource(ref: RecordRef, kind: "chunk" | "entity", cube: Box): Source {
  return {
    path: packFile(ref.packId),
    origin: ref.recordOffset + recordHeader.bytes,
    what: `the ${kind} record of the leaf at ${describeCube(cube)}`,
  };
}

function misplaced({ path, origin, what }: Source, detail: string): OrthantError {
  return new OrthantError("ORT_BLOB", `${what} ${detail}`, {
    path,
    ...(origin === undefined ? {} : { offset: origin }),
  });
}

function twice(ref: RecordRef, cube: Box, what: string): OrthantError {
  const context = { path: packFile(ref.packId), offset: ref.recordOffset };
  return new OrthantError(
    "ORT_BLOB",
    `${what} is in two records of the leaf at ${describeCube(cube)}`,
    context,
  );
}
