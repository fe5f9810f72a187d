import type { Position } from "@orthant/core";
import { requireInteger } from "@orthant/core/arguments";
import {
  type FixedCodec,
  i32,
  magic,
  perAxis,
  type Struct,
  struct,
  U32_MAX,
  u8,
  u16,
  u32,
  u64Number,
} from "@orthant/core/bytes";

/** Value of `format` in `manifest.json`. */
export const FORMAT_NAME = "polychora-save";
/** Value of `version` in `manifest.json`. */
export const MANIFEST_VERSION = 3;
/** `format_version` of global and players files, of packs, and of the flat index. */
export const FILE_VERSION = 1;
/** `format_version` of a compacted pack. */
export const COMPACTED_PACK_VERSION = 2;
/** Type of a record that holds chunks. */
export const CHUNK_BLOB = 1;
/** Type of a record that holds entities. */
export const ENTITY_BLOB = 2;
/** Type of a record that holds the block catalog. */
export const CATALOG_BLOB = 3;
/** Type of a record that holds entries of the key-value store. */
export const STORE_PAGE_BLOB = 4;
/** Type of a record that lists the pages of the key-value store. */
export const STORE_LIST_BLOB = 5;
/** Highest type of a record. */
const BLOB_TYPE_MAX = STORE_LIST_BLOB;
/** `blob_version` of the records that belong to the world as a whole: a catalog, and the pages and list of a store. */
export const WORLD_BLOB_VERSION = 1;

/** Returns whether records of this type exist. */
export function isBlobType(blobType: number): boolean {
  return blobType >= CHUNK_BLOB && blobType <= BLOB_TYPE_MAX;
}

/** `blob_version` of the specification, for chunks and entities. */
export const BLOB_VERSION = 1;
/** `blob_version` of chunks that are packed and compressed, or are changes to the generator's output. */
export const PACKED_BLOB_VERSION = 2;
/** `blob_version` of packed chunks with a table that locates each of them, and with sections. */
export const TABLE_BLOB_VERSION = 3;
/** Bytes by which a blob of version 3 may exceed the hard limit, so that any chunk fits with its parts. Rule S116. */
export const PARTS_BYTES_MAX = 524_288;
/** Versions of packed and compressed chunks. */
export type PackedBlobVersion = typeof PACKED_BLOB_VERSION | typeof TABLE_BLOB_VERSION;

/**
 * Number of chunks above which a leaf is split, however few bytes they take, because reading it would take
 * too long.
 */
export const LEAF_CHUNKS_TARGET = 2_048;

/** Maximum level of a leaf, whose edge is 2^level, so that a local coordinate fits 16 bits. */
export const LEAF_LEVEL_MAX = 16;
/**
 * Size above which a page of an index is split, unless the limit for an index is lower. Pages are rarely
 * smaller than an eighth of it.
 */
export const INDEX_PAGE_TARGET_BYTES = 4_096;
/** The same in versions 2 and 3, and the size up to which these are a single file. */
export const OLD_PAGE_TARGET_BYTES = 16_384;
/** Marks an absent parent, child or leaf entry. */
export const NONE = 0xffff_ffff;
/** Maximum size of a manifest. */
export const MANIFEST_BYTES_MAX = 65_536;

/** File that names the live generation. */
export const MANIFEST_FILE = "manifest.json";
/** Folder of the index files. */
export const INDEX_FOLDER = "index";
/** Folder of the packs. */
export const DATA_FOLDER = "data";

/** Fields of a tree index's header. */
interface IndexHeader {
  readonly magic: "V4IX";
  readonly version: number;
  readonly generation: number;
  readonly rootMin: Position;
  /** Inclusive. */
  readonly rootLast: Position;
  readonly nodeCount: number;
  readonly leafCount: number;
  readonly payloadCrc32: number;
}

const fixedPosition: FixedCodec<Position> = { bytes: 16, ...perAxis(i32) };

/** Header of a tree index. */
export const indexHeader: Struct<IndexHeader> = struct({
  magic: magic("V4IX"),
  version: u32,
  generation: u64Number,
  rootMin: fixedPosition,
  rootLast: fixedPosition,
  nodeCount: u32,
  leafCount: u32,
  payloadCrc32: u32,
});

/** Fields at the beginning of a page of an index of version 3 or 4. */
export interface PageHeader {
  readonly magic: "V4IX";
  readonly version: number;
  /** Generation that wrote the page. */
  readonly generation: number;
  /** Number of the page within that generation; the root is 0. */
  readonly number: number;
  /** Level of its cube, whose edge is 2^level. */
  readonly level: number;
  readonly min: Position;
  readonly leafCount: number;
  readonly linkCount: number;
  readonly bodyCrc32: number;
}

/** Header of a page. */
export const pageHeader: Struct<PageHeader> = struct({
  magic: magic("V4IX"),
  version: u32,
  generation: u64Number,
  number: u32,
  level: u8,
  min: fixedPosition,
  leafCount: u32,
  linkCount: u32,
  bodyCrc32: u32,
});

/** Fields at the beginning of a pack. */
interface PackHeader {
  readonly magic: "V4DT";
  readonly version: number;
  readonly packId: number;
}

/** Header of `data/dt-*.v4dt`. */
export const packHeader: Struct<PackHeader> = struct({ magic: magic("V4DT"), version: u32, packId: u32 });

/** Fields at the beginning and at the end of a compacted pack. */
export interface CompactedPackHeader extends PackHeader {
  readonly recordCount: number;
  readonly tableBytes: number;
  /** Checksum of the preceding header fields and of the table. */
  readonly tableCrc32: number;
}

/** Header of a compacted pack. It begins like that of any pack. */
export const compactedPackHeader: Struct<CompactedPackHeader> = struct({
  magic: magic("V4DT"),
  version: u32,
  packId: u32,
  recordCount: u32,
  tableBytes: u32,
  tableCrc32: u32,
});

/** Fields at the beginning of a record. */
export interface RecordHeader {
  readonly magic: "RECD";
  readonly blobType: number;
  readonly blobVersion: number;
  readonly payloadBytes: number;
  readonly payloadCrc32: number;
}

/** Header of a record in a pack. */
export const recordHeader: Struct<RecordHeader> = struct({
  magic: magic("RECD"),
  blobType: u8,
  blobVersion: u16,
  payloadBytes: u32,
  payloadCrc32: u32,
});

/** Thresholds for writing a save, stored in its manifest. */
export interface SaveLimits {
  /** Chunks along each edge of a region; used only by flat saves. */
  readonly regionChunkEdge: number;
  readonly dataFileMaxBytes: number;
  readonly indexSoftMaxBytes: number;
  readonly chunkBlobTargetBytes: number;
  readonly chunkBlobHardMaxBytes: number;
  readonly entityBlobTargetBytes: number;
  readonly entityBlobHardMaxBytes: number;
}

/** Thresholds of the specification. */
export const DEFAULT_LIMITS: SaveLimits = {
  regionChunkEdge: 4,
  dataFileMaxBytes: 134_217_728,
  indexSoftMaxBytes: 4_194_304,
  chunkBlobTargetBytes: 131_072,
  chunkBlobHardMaxBytes: 524_288,
  entityBlobTargetBytes: 65_536,
  entityBlobHardMaxBytes: 262_144,
};

/** Minimum hard limits: a record must have room for any chunk, and for any entity of reasonable size. */
const CHUNK_HARD_MIN_BYTES = 262_144;
const ENTITY_HARD_MIN_BYTES = 4_096;
/** Minimum size of a pack before the next one begins. */
const DATA_FILE_MIN_BYTES = 1_024;

/** Throws `ORT_ARGUMENT` for limits that cannot be used to write a save. */
export function requireLimits(limits: SaveLimits): void {
  requireInteger(limits.regionChunkEdge, 1, U32_MAX, "limits.regionChunkEdge");
  requireInteger(
    limits.dataFileMaxBytes,
    DATA_FILE_MIN_BYTES,
    Number.MAX_SAFE_INTEGER,
    "limits.dataFileMaxBytes",
  );
  requireInteger(limits.indexSoftMaxBytes, 1, U32_MAX, "limits.indexSoftMaxBytes");
  requireInteger(limits.chunkBlobHardMaxBytes, CHUNK_HARD_MIN_BYTES, U32_MAX, "limits.chunkBlobHardMaxBytes");
  requireInteger(limits.chunkBlobTargetBytes, 1, limits.chunkBlobHardMaxBytes, "limits.chunkBlobTargetBytes");
  requireInteger(
    limits.entityBlobHardMaxBytes,
    ENTITY_HARD_MIN_BYTES,
    U32_MAX,
    "limits.entityBlobHardMaxBytes",
  );
  requireInteger(
    limits.entityBlobTargetBytes,
    1,
    limits.entityBlobHardMaxBytes,
    "limits.entityBlobTargetBytes",
  );
}
