import {
  type Box,
  ByteReader,
  boxContains,
  boxEquals,
  type Chunk,
  OrthantError,
  type Place,
  PlaceSet,
} from "@orthant/core";
import type { Dialect } from "./dialect.ts";
import { atFile, decodeAt, type Source } from "./files/at-file.ts";
import { packFile } from "./files/file-names.ts";
import type { PackShelf } from "./files/pack-shelf.ts";
import { flatBlockBlobCodec, flatEntityBlobCodec, flatRegionBox } from "./flat/flat-blobs.ts";
import { BLOB_VERSION, BLOCK_BLOB, ENTITY_BLOB, recordHeader } from "./layout.ts";
import type { SaveLimits } from "./limits.ts";
import type { BlobRef } from "./records/blob-ref.ts";
import { blockBlobCodec, checkBlockBlob } from "./records/block-blob.ts";
import { entityBlobCodec } from "./records/entity-blob.ts";
import type { EntityRecord } from "./records/entity-record.ts";
import type { LeafEntry } from "./records/leaf-entry.ts";
import type { BlockAssignment, BlockEntry } from "./records/prepared-blocks.ts";
import { describeCell } from "./tree-index/cell.ts";

/** What is needed to understand the blobs of a save. */
export interface BlobContext {
  readonly dialect: Dialect;
  readonly chunkVolume: number;
  readonly limits: Pick<SaveLimits, "blockBlobHardMaxBytes" | "entityBlobHardMaxBytes">;
  /** What the world's generator makes of a chunk. */
  readonly generated?: (place: Place) => Chunk;
}

/** A flat record has no limit of its own: a region of large edge is one record. */
const FLAT_PAYLOAD_BYTES_MAX = 0x7fff_ffff;

/** The blocks of one record of a leaf. Rules S12, S13 and S29 to S31. */
export async function readBlockBlob(
  shelf: PackShelf,
  ref: BlobRef,
  cell: Box,
  context: BlobContext,
): Promise<readonly BlockAssignment[]> {
  const source = sourceOf(ref, "block", cell);
  requireKind(ref, BLOCK_BLOB, source);
  const payload = await shelf.readPayload(ref, payloadBytesMax(context, "blockBlobHardMaxBytes"));
  return decodeBlockBlob(payload, source, cell, context);
}

/** The entities of one record of a leaf. Rules S12, S13, S32 and S33. */
export async function readEntityBlob(
  shelf: PackShelf,
  ref: BlobRef,
  cell: Box,
  context: BlobContext,
): Promise<readonly EntityRecord[]> {
  const source = sourceOf(ref, "entity", cell);
  requireKind(ref, ENTITY_BLOB, source);
  const payload = await shelf.readPayload(ref, payloadBytesMax(context, "entityBlobHardMaxBytes"));
  return decodeEntityBlob(payload, source, cell, context);
}

/**
 * The places of the blocks of a record whose payload is read already, after every check that {@link readBlockBlob}
 * makes but that of the checksum. Makes no chunks.
 */
export function checkBlockPayload(
  payload: Uint8Array,
  ref: BlobRef,
  cell: Box,
  context: BlobContext,
): readonly Place[] {
  const source = sourceOf(ref, "block", cell);
  requireKind(ref, BLOCK_BLOB, source);
  if (context.dialect === "flat") {
    return decodeBlockBlob(payload, source, cell, context).map(({ place }) => place);
  }
  const places = atFile(source, () => {
    const input = new ByteReader(payload, { origin: source.origin ?? 0 });
    const found = checkBlockBlob(input, context.chunkVolume);
    input.end();
    return found;
  });
  requireInside(places, cell, source);
  return places;
}

/** The entities of a record whose payload is read already, after every check but that of the checksum. */
export function decodeEntityPayload(
  payload: Uint8Array,
  ref: BlobRef,
  cell: Box,
  context: BlobContext,
): readonly EntityRecord[] {
  const source = sourceOf(ref, "entity", cell);
  requireKind(ref, ENTITY_BLOB, source);
  return decodeEntityBlob(payload, source, cell, context);
}

/** The most bytes that the payload of a record may have. */
export function payloadLimit(context: Omit<BlobContext, "chunkVolume">, kind: "block" | "entity"): number {
  return payloadBytesMax(context, kind === "block" ? "blockBlobHardMaxBytes" : "entityBlobHardMaxBytes");
}

/** The blocks of a leaf from all of its records, without places that are virgin. */
export async function readLeafBlocks(
  shelf: PackShelf,
  { cell, blockRefs }: LeafEntry,
  context: BlobContext,
): Promise<readonly BlockEntry[]> {
  const entries: BlockEntry[] = [];
  const places = new PlaceSet();
  for (const ref of blockRefs) {
    for (const { place, chunk } of await readBlockBlob(shelf, ref, cell, context)) {
      if (places.has(...place)) throw twice(ref, cell, `the block at [${place}]`);
      if (blockRefs.length > 1) places.add(...place);
      if (chunk !== undefined) entries.push({ place, chunk });
    }
  }
  return entries;
}

/** The entities of a leaf from all of its records. */
export async function readLeafEntities(
  shelf: PackShelf,
  { cell, entityRefs }: LeafEntry,
  context: BlobContext,
): Promise<readonly EntityRecord[]> {
  const entities = new Map<bigint, EntityRecord>();
  for (const ref of entityRefs) {
    for (const entity of await readEntityBlob(shelf, ref, cell, context)) {
      if (entities.has(entity.entityId)) throw twice(ref, cell, `entity ${entity.entityId}`);
      entities.set(entity.entityId, entity);
    }
  }
  return [...entities.values()];
}

function decodeBlockBlob(
  payload: Uint8Array,
  source: Source,
  cell: Box,
  { dialect, chunkVolume }: BlobContext,
): readonly BlockAssignment[] {
  if (dialect === "flat") {
    const blob = decodeAt(source, flatBlockBlobCodec, payload);
    requireRegion(blob, cell, source);
    return blob.blocks;
  }
  const blocks = decodeAt(source, blockBlobCodec(chunkVolume), payload);
  requireInside(
    blocks.map(({ place }) => place),
    cell,
    source,
  );
  return blocks;
}

function requireInside(places: readonly Place[], cell: Box, source: Source): void {
  const outside = places.find((place) => !boxContains(cell, place));
  if (outside !== undefined) throw misplaced(source, `holds the block at [${outside}]`);
}

function decodeEntityBlob(
  payload: Uint8Array,
  source: Source,
  cell: Box,
  { dialect }: BlobContext,
): readonly EntityRecord[] {
  if (dialect === "flat") {
    const blob = decodeAt(source, flatEntityBlobCodec, payload);
    requireRegion(blob, cell, source);
    return blob.entities;
  }
  const { volume, entities } = decodeAt(source, entityBlobCodec, payload);
  if (!boxEquals(volume, cell)) throw misplaced(source, `is of the leaf at ${describeCell(volume)}`);
  return entities;
}

function requireKind({ blobType, blobVersion }: BlobRef, expected: number, source: Source): void {
  const context = { path: source.path, offset: (source.origin ?? 0) - recordHeader.bytes };
  if (blobType !== expected) {
    throw new OrthantError("ORT_RECORD", `${source.what}: a reference of type ${blobType}`, context);
  }
  if (blobVersion !== BLOB_VERSION) {
    const detail = `${source.what}: blob version ${blobVersion}, known is ${BLOB_VERSION}`;
    throw new OrthantError("ORT_VERSION", detail, context);
  }
}

function requireRegion(
  { region, regionChunkEdge }: { readonly region: Box["min"]; readonly regionChunkEdge: number },
  cell: Box,
  source: Source,
): void {
  const box = flatRegionBox(region, regionChunkEdge);
  if (box === undefined || !boxEquals(box, cell)) throw misplaced(source, `is of region [${region}]`);
}

function payloadBytesMax(
  { dialect, limits }: Omit<BlobContext, "chunkVolume">,
  name: keyof BlobContext["limits"],
): number {
  return dialect === "flat" ? FLAT_PAYLOAD_BYTES_MAX : limits[name];
}

function sourceOf(ref: BlobRef, kind: string, cell: Box): Source {
  return {
    path: packFile(ref.dataFileId),
    origin: ref.recordOffset + recordHeader.bytes,
    what: `the ${kind} record of the leaf at ${describeCell(cell)}`,
  };
}

function misplaced({ path, origin, what }: Source, detail: string): OrthantError {
  return new OrthantError("ORT_BLOB", `${what} ${detail}`, {
    path,
    ...(origin === undefined ? {} : { offset: origin }),
  });
}

function twice(ref: BlobRef, cell: Box, what: string): OrthantError {
  const context = { path: packFile(ref.dataFileId), offset: ref.recordOffset };
  return new OrthantError(
    "ORT_BLOB",
    `${what} is in two records of the leaf at ${describeCell(cell)}`,
    context,
  );
}
