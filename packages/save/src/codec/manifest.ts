import { OrthantError, type Position } from "@orthant/core";
import { crc32, decodeUtf8, encodeUtf8, U32_MAX } from "@orthant/core/bytes";
import { AXES, CHUNK_VOXELS_MAX } from "@orthant/core/lattice";
import type { GenerationFiles } from "./files.ts";
import type { GlobalRecord } from "./global-record.ts";
import { FORMAT_NAME, MANIFEST_VERSION, type SaveLimits } from "./layout.ts";
import { type FileSeal, sealOf } from "./payload-file.ts";

/** Content of `manifest.json`: the live generation, and how the save is written. Rules S1 to S6. */
export interface Manifest extends Partial<Binding> {
  readonly currentGeneration: number;
  readonly createdMs: number;
  readonly lastModifiedMs: number;
  readonly activeDataFileId: number;
  /** Highest pack id that was ever active. */
  readonly dataFileCount: number;
  readonly indexFile: string;
  readonly globalFile: string;
  readonly playersFile: string;
  readonly limits: SaveLimits;
  /**
   * Shape of the chunks, repeated so that chunks can be read when all global files are lost. An extension of
   * ours.
   */
  readonly chunkExtents?: Position;
  /** Epoch of the journal segment that belongs to the live generation; absent without one. */
  readonly journalEpoch?: number;
  /**
   * The packs that generations may refer to, all of which must exist. Old manifests lack this list. Rule
   * S101.
   */
  readonly dataFiles?: PackList;
}

/** Returns the same manifest for a generation without a journal. */
export function withoutJournal({ journalEpoch: _journalEpoch, ...manifest }: Manifest): Manifest {
  return manifest;
}

/** A decoded manifest. */
export interface ReadManifest {
  readonly manifest: Manifest;
  /** Whether it had a checksum, which was then correct. */
  readonly hasChecksum: boolean;
}

const CHECKSUM_KEY = "manifest_crc32";
const SHAPE_KEY = "chunk_shape";
const WORLD_KEY = "world_id";
const SEALS_KEY = "file_seals";
const JOURNAL_KEY = "journal_epoch";
const PACKS_KEY = "data_files";
const WORLD_ID = /^[0-9a-f]{16}$/;

const SEAL_KEYS: readonly (readonly [key: string, name: keyof GenerationSeals])[] = [
  ["index", "indexFile"],
  ["global", "globalFile"],
  ["players", "playersFile"],
];

const LIMIT_KEYS: readonly (readonly [key: string, name: keyof SaveLimits])[] = [
  ["region_chunk_edge", "regionChunkEdge"],
  ["data_file_max_bytes", "dataFileMaxBytes"],
  ["index_soft_max_bytes", "indexSoftMaxBytes"],
  ["block_blob_target_bytes", "chunkBlobTargetBytes"],
  ["block_blob_hard_max_bytes", "chunkBlobHardMaxBytes"],
  ["entity_blob_target_bytes", "entityBlobTargetBytes"],
  ["entity_blob_hard_max_bytes", "entityBlobHardMaxBytes"],
];

/** Encodes the manifest as JSON whose last key is a checksum of everything before it. */
export function encodeManifest(manifest: Manifest): Uint8Array {
  const plain = plainManifest(manifest);
  const checksum = crc32(jsonBytes(plain));
  return jsonBytes({ ...plain, [CHECKSUM_KEY]: checksum });
}

/** Encodes the manifest as the original did, without a checksum. */
export function encodePlainManifest(manifest: Manifest): Uint8Array {
  return jsonBytes(plainManifest(manifest));
}

/**
 * Reads a manifest. One with a checksum must match the bytes that we write exactly. One without may have its
 * keys in any order and additional keys, as the original accepted.
 */
export function decodeManifest(bytes: Uint8Array): ReadManifest {
  const root = parseObject(bytes);
  const format = root["format"];
  const version = root["version"];
  if (format !== FORMAT_NAME) throw broken(`format is ${JSON.stringify(format)}, not "${FORMAT_NAME}"`);
  if (version !== MANIFEST_VERSION) {
    throw new OrthantError(
      "ORT_VERSION",
      `unsupported manifest version ${version} (expected ${MANIFEST_VERSION})`,
    );
  }
  const limits = root["limits"];
  if (!isObject(limits)) throw broken("limits is not an object");
  const manifest: Manifest = {
    currentGeneration: integer(root, "current_generation", 0),
    createdMs: integer(root, "created_ms", 0),
    lastModifiedMs: integer(root, "last_modified_ms", 0),
    activeDataFileId: integer(root, "active_data_file_id", 1),
    dataFileCount: integer(root, "data_file_count", 1),
    indexFile: text(root, "index_file"),
    globalFile: text(root, "global_file"),
    playersFile: text(root, "players_file"),
    limits: Object.fromEntries(
      LIMIT_KEYS.map(([key, name]) => [name, integer(limits, key, 1)]),
    ) as unknown as SaveLimits,
    ...(root[SHAPE_KEY] !== undefined && { chunkExtents: extents(root[SHAPE_KEY]) }),
    ...(root[WORLD_KEY] !== undefined && { worldId: worldId(root[WORLD_KEY]) }),
    ...(root[SEALS_KEY] !== undefined && { seals: seals(root[SEALS_KEY]) }),
    ...(root[JOURNAL_KEY] !== undefined && { journalEpoch: integer(root, JOURNAL_KEY, 1) }),
    ...(root[PACKS_KEY] !== undefined && { dataFiles: packList(root[PACKS_KEY]) }),
  };
  const hasChecksum = root[CHECKSUM_KEY] !== undefined;
  if (hasChecksum) requireChecksum(manifest, bytes);
  return { manifest, hasChecksum };
}

function requireChecksum(manifest: Manifest, bytes: Uint8Array): void {
  const expected = encodeManifest(manifest);
  const differs = expected.findIndex((byte, index) => byte !== bytes[index]);
  const offset = differs >= 0 ? differs : expected.length;
  if (differs >= 0 || expected.length !== bytes.length) {
    throw new OrthantError("ORT_CHECKSUM", "the manifest changed after its checksum was made", { offset });
  }
}

function plainManifest(manifest: Manifest): Record<string, unknown> {
  const { limits } = manifest;
  return {
    format: FORMAT_NAME,
    version: MANIFEST_VERSION,
    current_generation: manifest.currentGeneration,
    created_ms: manifest.createdMs,
    last_modified_ms: manifest.lastModifiedMs,
    active_data_file_id: manifest.activeDataFileId,
    data_file_count: manifest.dataFileCount,
    index_file: manifest.indexFile,
    global_file: manifest.globalFile,
    players_file: manifest.playersFile,
    limits: Object.fromEntries(LIMIT_KEYS.map(([key, name]) => [key, limits[name]])),
    ...(manifest.chunkExtents !== undefined && { [SHAPE_KEY]: manifest.chunkExtents }),
    ...(manifest.worldId !== undefined && { [WORLD_KEY]: hexOfId(manifest.worldId) }),
    ...(manifest.seals !== undefined && { [SEALS_KEY]: plainSeals(manifest.seals) }),
    ...(manifest.journalEpoch !== undefined && { [JOURNAL_KEY]: manifest.journalEpoch }),
    ...plainPacks(manifest.dataFiles),
  };
}

/** Omits a list that is too long: the manifest is then read like one from before such lists. */
function plainPacks(dataFiles: PackList | undefined): Record<string, string> {
  const text = dataFiles && packListText(dataFiles);
  return text === undefined || text.length > PACK_LIST_CHARS_MAX ? {} : { [PACKS_KEY]: text };
}

function plainSeals(seals: GenerationSeals): Record<string, FileSeal> {
  return Object.fromEntries(
    SEAL_KEYS.map(([key, name]) => [key, { bytes: seals[name].bytes, crc32: seals[name].crc32 }]),
  );
}

function jsonBytes(value: Record<string, unknown>): Uint8Array {
  return encodeUtf8(JSON.stringify(value, undefined, 2));
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  const json = decodeUtf8(bytes, 0, bytes.length);
  if (json === undefined) throw new OrthantError("ORT_UTF8", "the manifest is not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new OrthantError("ORT_MANIFEST", "the manifest is not JSON", {}, { cause });
  }
  if (!isObject(value)) throw broken("it is not an object");
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function integer(object: Record<string, unknown>, key: string, min: number): number {
  const value = object[key];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min) return value;
  throw broken(`${key} is ${JSON.stringify(value)}, not an integer from ${min} to 2^53 - 1`);
}

function extents(value: unknown): Position {
  const isShape =
    Array.isArray(value) &&
    value.length === AXES.length &&
    value.every((extent) => Number.isSafeInteger(extent) && extent >= 1) &&
    value.reduce((product: number, extent: number) => product * extent, 1) <= CHUNK_VOXELS_MAX;
  if (!isShape) throw broken(`${SHAPE_KEY} is ${JSON.stringify(value)}, not the shape of a chunk`);
  return value as unknown as Position;
}

function worldId(value: unknown): bigint {
  const id = typeof value === "string" && WORLD_ID.test(value) ? BigInt(`0x${value}`) : 0n;
  if (id !== 0n) return id;
  throw broken(`${WORLD_KEY} is ${JSON.stringify(value)}, not 16 hexadecimal digits other than 0`);
}

function seals(value: unknown): GenerationSeals {
  if (!isObject(value)) throw broken(`${SEALS_KEY} is not an object`);
  return Object.fromEntries(
    SEAL_KEYS.map(([key, name]) => [name, seal(value[key], `${SEALS_KEY}.${key}`)]),
  ) as unknown as GenerationSeals;
}

function seal(value: unknown, key: string): FileSeal {
  if (!isObject(value)) throw broken(`${key} is not an object`);
  return { bytes: integer(value, "bytes", 0), crc32: integer(value, "crc32", 0) };
}

function packList(value: unknown): PackList {
  const list = typeof value === "string" ? parsePackList(value) : undefined;
  if (list !== undefined) return list;
  throw broken(`${PACKS_KEY} is not a list of packs in ascending order, such as "1-17,19"`);
}

function text(object: Record<string, unknown>, key: string): string {
  const value = object[key];
  if (typeof value === "string") return value;
  throw broken(`${key} is ${JSON.stringify(value)}, not a path`);
}

function broken(detail: string): OrthantError {
  return new OrthantError("ORT_MANIFEST", `in the manifest, ${detail}`);
}

/** A range of pack ids, both ends included. */
export interface PackRange {
  readonly first: number;
  readonly last: number;
}

/** Pack ids as ranges in ascending order, with at least one missing id between two ranges. */
export type PackList = readonly PackRange[];

/** Maximum length of the list in a manifest, which must stay below its own size limit. */
const PACK_LIST_CHARS_MAX = 32_768;

const PACK_LIST = /^(?:\d{1,10}(?:-\d{1,10})?(?:,\d{1,10}(?:-\d{1,10})?)*)?$/;

/** Returns the list of some ids, given in any order. */
export function packListOf(ids: Iterable<number>): PackList {
  return withPacks([], ids);
}

/** Adds ids to a list. */
export function withPacks(list: PackList, ids: Iterable<number>): PackList {
  const added = Array.from(ids, (id) => ({ first: id, last: id }));
  const merged: PackRange[] = [];
  for (const range of [...list, ...added].sort((a, b) => a.first - b.first)) {
    const last = merged.at(-1);
    if (last === undefined || range.first > last.last + 1) merged.push(range);
    else merged[merged.length - 1] = { first: last.first, last: Math.max(last.last, range.last) };
  }
  return merged;
}

/** Removes ids from a list. A range is never expanded into its ids, however long it is. */
export function withoutPacks(list: PackList, ids: Iterable<number>): PackList {
  const removed = [...new Set(ids)].sort((a, b) => a - b);
  const left: PackRange[] = [];
  let next = 0;
  for (const { first, last } of list) {
    let from = first;
    while ((removed[next] ?? Infinity) < first) next++;
    for (let id = removed[next]; id !== undefined && id <= last; id = removed[++next]) {
      if (id > from) left.push({ first: from, last: id - 1 });
      from = id + 1;
    }
    if (from <= last) left.push({ first: from, last });
  }
  return left;
}

/** Returns whether a list contains an id. */
export function hasPack(list: PackList, id: number): boolean {
  return list.some(({ first, last }) => first <= id && id <= last);
}

/** Formats a list for the manifest, such as `1-17,19`. */
export function packListText(list: PackList): string {
  return list.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

/** Parses a list. Returns `undefined` for any text that {@link packListText} would not write. Rule S101. */
function parsePackList(text: string): PackList | undefined {
  if (text.length > PACK_LIST_CHARS_MAX || !PACK_LIST.test(text)) return undefined;
  const list: PackRange[] = [];
  for (const item of text === "" ? [] : text.split(",")) {
    const [first = 0, last = first] = item.split("-").map(Number);
    const before = list.at(-1)?.last ?? -1;
    if (first <= before + 1 || last < first || last > U32_MAX) return undefined;
    list.push({ first, last });
  }
  return packListText(list) === text ? list : undefined;
}

/** The seals of a generation's three files. */
export type GenerationSeals = Readonly<Record<keyof GenerationFiles, FileSeal>>;

/** Ties a generation's files to its manifest and its world. Rule S94. */
interface Binding {
  /** Absent for a world without an id. */
  readonly worldId?: bigint;
  readonly seals: GenerationSeals;
}

/** Computes the binding of a generation from the bytes of its files. */
export function bindingOf(
  files: Readonly<Record<keyof GenerationFiles, Uint8Array>>,
  { description: { worldId } }: Pick<GlobalRecord, "description">,
): Binding {
  return {
    ...(worldId !== 0n && { worldId }),
    seals: {
      indexFile: sealOf(files.indexFile),
      globalFile: sealOf(files.globalFile),
      playersFile: sealOf(files.playersFile),
    },
  };
}

/**
 * Throws `ORT_GENERATION` if a global file belongs to another world than the manifest. Worlds created before
 * ids existed have none.
 */
export function requireSameWorld(path: string, { description }: GlobalRecord, worldId = 0n): void {
  if (worldId === 0n || description.worldId === 0n || description.worldId === worldId) return;
  const detail = `the file is of world ${hexOfId(description.worldId)}, not ${hexOfId(worldId)}`;
  throw new OrthantError("ORT_GENERATION", detail, { path });
}

/** Formats a world's id as 16 hexadecimal digits. */
function hexOfId(worldId: bigint): string {
  return worldId.toString(16).padStart(16, "0");
}
