import { type Box, isOrthantError, OrthantError, type Position } from "@orthant/core";
import { checkedOptions, whole } from "@orthant/core/arguments";
import { type Codec, decode } from "@orthant/core/bytes";
import { boxContainsBox, boxEquals, comparePositions, WHOLE_LATTICE } from "@orthant/core/lattice";
import type { Disk } from "@orthant/disk";
import { atFile, decodeAt, requireDisk, type Source } from "@orthant/disk/files";
import type {
  ChunkAssignment,
  ChunkEntry,
  GlobalRecord,
  LeafEntry,
  RecordRef,
  StoredEntity,
  StoredPlayer,
} from "@orthant/save";
import {
  flatIndexPayloadFile,
  generationFiles,
  globalPayloadFile,
  type Manifest,
  PackReader,
  playersPayloadFile,
  readManifest,
  readPayloadFile,
  recordSource,
} from "@orthant/save/files";
import {
  type FlatGlobal,
  flatGlobalCodec,
  flatIndexCodec,
  flatPlayersCodec,
  globalOfFlat,
  worldOverrideCodec,
} from "./payloads.ts";
import {
  FLAT_CHUNK_RECORD,
  FLAT_ENTITY_RECORD,
  FLAT_RECORD_VERSION,
  type FlatChunkBlob,
  type FlatEntityBlob,
  flatChunkBlobCodec,
  flatEntityBlobCodec,
  flatRegionBox,
  flatRegionCube,
} from "./records.ts";

/** The format does not limit records: a region with a large edge is one record. */
const PAYLOAD_BYTES_MAX = 0x7fff_ffff;

/** Content of a flat index. */
interface FlatIndexContent {
  readonly generation: number;
  /** Chunks along each edge of a region. */
  readonly regionChunkEdge: number;
  /** The regions in lexicographic order. Their edge need not be a power of two. */
  readonly leaves: readonly LeafEntry[];
}

/** Content of a flat global file. */
export interface FlatGlobalContent {
  readonly global: GlobalRecord;
  /** Chunks that the last shipped servers kept in the global file. They take precedence over records. */
  readonly globalChunks: readonly ChunkEntry[];
  /** The same chunks, encoded. */
  readonly customPayload: Uint8Array;
}

/** One generation of a flat save. */
export interface FlatSave extends FlatIndexContent, FlatGlobalContent {
  readonly manifest: Manifest;
  /** In any order. */
  readonly players: readonly StoredPlayer[];
  /** Reads the chunks in the records of a region, without those in the global file. */
  readChunks(leaf: LeafEntry): Promise<readonly ChunkEntry[]>;
  /** Reads the entities of a region. */
  readEntities(leaf: LeafEntry): Promise<readonly StoredEntity[]>;
  close(): Promise<void>;
}

/**
 * Opens a save as the game Polychora wrote it. Reads and checks manifest, index, global and players in full,
 * and records when they are needed. Throws at the first fault; `verifyFlatSave` finds all of them.
 */
export async function openFlatSave(
  disk: Disk,
  options: { readonly generation?: number } = {},
): Promise<FlatSave> {
  requireDisk("disk", disk);
  const checked = checkedOptions("the options", options, {
    generation: whole(0),
  });
  const { manifest } = await readManifest(disk);
  const { generation = manifest.currentGeneration } = checked;
  const files = generation === manifest.currentGeneration ? manifest : generationFiles(generation);
  const index = await readFlatIndex(disk, files.indexFile, generation);
  const global = await readFlatGlobal(disk, files.globalFile);
  const players = await readFlatPlayers(disk, files.playersFile);
  const packs = new PackReader(disk);
  return {
    ...index,
    ...global,
    manifest,
    players,
    async readChunks({ cube, chunkRefs: [ref] }) {
      return ref === undefined ? [] : readFlatChunks(packs, ref, cube);
    },
    async readEntities({ cube, entityRefs: [ref] }) {
      return ref === undefined ? [] : readFlatEntities(packs, ref, cube);
    },
    close: () => packs.release(),
  };
}

/** Reads the index of a generation. */
export async function readFlatIndex(
  disk: Disk,
  path: string,
  generation?: number,
): Promise<FlatIndexContent> {
  const index = await readPayloadFile(disk, path, flatIndexPayloadFile, flatIndexCodec);
  const { regionChunkEdge } = index;
  const leaves = atFile({ path }, () =>
    index.leaves.map(({ region, chunkRef, entityRef }, at): LeafEntry => {
      const previous = index.leaves[at - 1];
      if (previous !== undefined && comparePositions(previous.region, region) >= 0) {
        throw new OrthantError("ORT_INDEX", `region [${region}] is out of order`);
      }
      const cube = flatRegionCube(region, regionChunkEdge);
      if (!boxContainsBox(WHOLE_LATTICE, cube)) {
        const detail = `region [${region}] of ${regionChunkEdge} chunks an edge is off the lattice`;
        throw new OrthantError("ORT_INDEX", detail);
      }
      const refs = { chunkRefs: listOf(chunkRef), entityRefs: listOf(entityRef) };
      return { cube, ...refs, chunks: 0, clocks: [] };
    }),
  );
  if (generation !== undefined && index.generation !== generation) {
    const detail = `the index is of generation ${index.generation}, not ${generation}`;
    throw new OrthantError("ORT_GENERATION", detail, { path });
  }
  return { generation: index.generation, regionChunkEdge, leaves };
}

/** Reads a global file. */
export async function readFlatGlobal(disk: Disk, path: string): Promise<FlatGlobalContent> {
  return flatGlobalContent(await readPayloadFile(disk, path, globalPayloadFile, flatGlobalCodec), path);
}

/** Decodes the chunks in a global record. */
export function flatGlobalContent(flat: FlatGlobal, path: string): FlatGlobalContent {
  const { customPayload } = flat;
  const source = { path, what: "the chunks in the custom payload" };
  const globalChunks = customPayload.length === 0 ? [] : decodeAt(source, worldOverrideCodec, customPayload);
  return { global: globalOfFlat(flat), globalChunks, customPayload };
}

/** Reads a players file. */
export function readFlatPlayers(disk: Disk, path: string): Promise<readonly StoredPlayer[]> {
  return readPayloadFile(disk, path, playersPayloadFile, flatPlayersCodec);
}

/** Reads the chunks of a region's record. */
export async function readFlatChunks(
  packs: PackReader,
  ref: RecordRef,
  cube: Box,
): Promise<readonly ChunkEntry[]> {
  return storedChunks(await readRecord(packs, ref, cube, "chunk", FLAT_CHUNK_RECORD, flatChunkBlobCodec));
}

/** Reads the entities of a region's record. */
export async function readFlatEntities(
  packs: PackReader,
  ref: RecordRef,
  cube: Box,
): Promise<readonly StoredEntity[]> {
  const codec = flatEntityBlobCodec;
  return (await readRecord(packs, ref, cube, "entity", FLAT_ENTITY_RECORD, codec)).entities;
}

async function readRecord<Blob extends { readonly region: Position; readonly regionChunkEdge: number }>(
  packs: PackReader,
  ref: RecordRef,
  cube: Box,
  what: "chunk" | "entity",
  kind: number,
  codec: Codec<Blob>,
): Promise<Blob> {
  const source = recordSource(ref, what, cube);
  requireKind(ref, kind, source);
  const blob = decodeAt(source, codec, await packs.readPayload(ref, PAYLOAD_BYTES_MAX));
  const { region, regionChunkEdge } = blob;
  requireRegion(flatRegionBox(region, regionChunkEdge), cube, source, `is of region [${region}]`);
  return blob;
}

/** Returns the chunks that a record has; it may also say of some that they are not there. */
function storedChunks({ chunks }: { readonly chunks: readonly ChunkAssignment[] }): readonly ChunkEntry[] {
  return chunks.flatMap(({ position, chunk }) => (chunk === undefined ? [] : [{ position, chunk }]));
}

/** Content of a record without its region's entry in the index. */
interface FlatRecordContent {
  readonly volume: Box;
  readonly chunks: readonly ChunkEntry[];
  readonly entities: readonly StoredEntity[];
}

/** Decodes a record; `undefined` if its bytes are intact but cannot be decoded here. */
export function decodeFlatRecord(
  { blobType, blobVersion }: RecordRef,
  payload: Uint8Array,
): FlatRecordContent | undefined {
  if (blobVersion !== FLAT_RECORD_VERSION) return undefined;
  try {
    const blob = decode<FlatChunkBlob | FlatEntityBlob>(
      blobType === FLAT_CHUNK_RECORD ? flatChunkBlobCodec : flatEntityBlobCodec,
      payload,
    );
    const volume = flatRegionBox(blob.region, blob.regionChunkEdge);
    const chunks = "chunks" in blob ? storedChunks(blob) : [];
    return volume && { volume, chunks, entities: "entities" in blob ? blob.entities : [] };
  } catch (error) {
    // The caller reports that the record is unusable.
    if (isOrthantError(error)) return undefined;
    throw error;
  }
}

function requireKind(
  { blobType, blobVersion, recordOffset }: RecordRef,
  expected: number,
  source: Source,
): void {
  const context = { path: source.path, offset: recordOffset };
  if (blobType !== expected) {
    throw new OrthantError("ORT_RECORD", `${source.what}: a reference of type ${blobType}`, context);
  }
  if (blobVersion !== FLAT_RECORD_VERSION) {
    const detail = `${source.what}: unsupported blob version ${blobVersion} (expected ${FLAT_RECORD_VERSION})`;
    throw new OrthantError("ORT_VERSION", detail, context);
  }
}

function requireRegion(
  found: Box | undefined,
  cube: Box,
  { path, origin, what }: Source,
  detail: string,
): void {
  if (found !== undefined && boxEquals(found, cube)) return;
  throw new OrthantError("ORT_BLOB", `${what} ${detail}`, {
    path,
    ...(origin !== undefined && { offset: origin }),
  });
}

function listOf(ref: RecordRef | undefined): readonly RecordRef[] {
  return ref === undefined ? [] : [ref];
}
